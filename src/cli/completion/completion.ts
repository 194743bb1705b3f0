/** `pearl completion`: prints a script that completes commands, options and their values in a shell. */
import { UsageError } from "../../errors.js";
import { type AnyCommand, command } from "../command.js";
import { entriesOf } from "./entries.js";
import { type Shell, scripts } from "./scripts.js";

/** @param loadAll gives every command, this one included */
export const completionCommand = (loadAll: () => Promise<AnyCommand[]>): AnyCommand =>
  command({
    name: "completion",
    summary: "print a script that completes commands, options and their values in bash, zsh or fish",
    arguments: [["<shell>", "bash, zsh or fish"]],
    options: [],
    examples: [
      ["pearl completion bash >> ~/.bashrc", "for bash, from the next shell on"],
      ["pearl completion zsh >> ~/.zshrc", "for zsh, below the line with compinit"],
      ["pearl completion fish > ~/.config/fish/completions/pearl.fish", "for fish"],
    ],
    run: async ([shell], _, session) => {
      if (!Object.hasOwn(scripts, shell)) {
        throw new UsageError(`"${shell}" is not a shell that pearl knows: use bash, zsh or fish`);
      }
      session.print(scripts[shell as Shell](entriesOf("pearl", await loadAll())).trimEnd());
    },
  });
