/** The commands of `pearl` as a flat list for completion scripts. */
import type { AnyCommand } from "../command.js";

/** A command or a group of commands with what may follow its name. */
export interface Entry {
  /** The words that lead here: "pearl index build". */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly EntryOption[];
  /** Whether the path is a command by itself, so that files may follow it. */
  readonly isCommand: boolean;
}

export interface EntryOption {
  /** As they are typed: "-o", "--output". */
  readonly names: readonly string[];
  readonly description: string;
  /** Whether a value follows. */
  readonly value: "none" | "some";
  /** The values to choose from; none where any text or file may follow. */
  readonly choices: readonly string[];
}

/** @param own the options that may follow the path itself; none where it is no command */
export function entriesOf(
  path: string,
  commands: readonly AnyCommand[],
  own: readonly EntryOption[] = [],
): Entry[] {
  const names = commands.map(({ name, summary }) => ({ name, summary }));
  const here = { path, commands: names, options: own, isCommand: own.length > 0 };
  return [here, ...commands.flatMap((command) => entriesOfCommand(`${path} ${command.name}`, command))];
}

/** A group has its own options, or those of the command that runs where none is named. */
function entriesOfCommand(path: string, { commands = [], options, run }: AnyCommand): Entry[] {
  const byDefault = commands.find(({ runs }) => runs === "default");
  const own = options ?? byDefault?.options ?? [];
  const shown = own.filter(({ hidden }) => !hidden);
  const declared = shown.map(({ short, long, description, required, optional, argChoices = [] }) => ({
    names: [short, long].filter((name) => name !== undefined),
    description,
    value: required || optional ? ("some" as const) : ("none" as const),
    choices: argChoices,
  }));
  return entriesOf(path, commands, (run ?? byDefault) === undefined ? [] : [...declared, help]);
}

const help: EntryOption = {
  names: ["-h", "--help"],
  description: "show the help",
  value: "none",
  choices: [],
};
