/** The `pearl` command without its process: one of its commands from words, and one line about an error. */
import { Command, CommanderError } from "commander";
import { messageOf, PearlError, redacted } from "../errors.js";
import { packageVersion } from "../files/package.js";
import { wordWithoutPassword } from "../table/postgres/address.js";
import { type AnyCommand, bareCommand, bareHelp, register } from "./command.js";
import { loadCommands } from "./commands.js";
import { interruption } from "./interruption.js";

const overview = `
Examples:
  pearl demo                               join two small tables, explained: a first try in a minute
  pearl encode phrases.csv                 embed a table's phrases into phrases.embeddings.parquet
  pearl bench --task autofj --model tfidf  measure a model or a baseline
  pearl models                             list the models on this machine
  pearl doctor                             check this machine and show install commands
  pearl completion bash                    complete commands and options in your shell

"pearl COMMAND --help" shows the options of a command, with examples.
README.md, installed with this program, documents the library.`;

function createProgram(loaded: readonly AnyCommand[]): Command {
  const program = new Command("pearl");
  // Subcommands inherit the settings that are made before they are added.
  program
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('See "pearl --help" or "pearl COMMAND --help".')
    .configureOutput({
      outputError: (text, write) =>
        write(
          redacted(text)
            .replace(/^error: /, "pearl: ")
            .replace(/ cannot be used with option .*/, "$&. Leave one of them out."),
        ),
      // Help follows the width of the terminal, and stays readable in a very wide one.
      getOutHelpWidth: () => Math.min(process.stdout.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(process.stderr.columns ?? 100, 120),
    })
    .description("Phrase embeddings: encode, match and compare names, terms and titles, offline.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", overview);
  for (const declared of loaded) register(program, declared);
  return program;
}

/** Runs a command. @param words those behind `pearl` @throws what {@link report} reports */
export async function runCommand(given: readonly string[]): Promise<void> {
  const words = given.map(wordWithoutPassword);
  const loaded = await loadCommands(words[0]);
  const bare = bareCommand(words, loaded);
  if (bare === undefined) {
    await createProgram(loaded).parseAsync(words, { from: "user" });
    return;
  }
  process.stderr.write(bareHelp(bare.name, bare.command));
  process.exitCode = 2;
}

/** Prints one line about the error. @returns the exit code */
export function report(error: unknown): number {
  // Commander has printed its message; its exit code for wrong usage is 1, ours is 2.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const interrupted = interruption();
  const known = error instanceof PearlError;
  const text = messageOf(known ? error : (interrupted ?? error));
  const advice = known || interrupted ? "" : " (unexpected; set PEARL_DEBUG=1 for the stack)";
  process.stderr.write(`pearl: ${text}${advice}\n`);
  if (process.env.PEARL_DEBUG === "1" && error instanceof Error)
    process.stderr.write(redacted(`${error.stack}\n`));
  if (interrupted) return 130;
  return known ? error.exitCode : 1;
}
