#!/usr/bin/env node
/** The `pearl` command: runs one of its commands and turns every error into one line and an exit code. */
import "./interruption.js"; // first: it installs the handlers of signals

import { Command, CommanderError } from "commander";
import { messageOf, PearlError } from "../errors.js";
import { packageVersion } from "../files/version.js";
import { type AnyCommand, register } from "./command.js";
import { dieBy, interruption } from "./interruption.js";

/** Every command, in the order of `pearl --help`; only the one that is run is loaded. */
const commands: Readonly<Record<string, () => Promise<{ default: AnyCommand }>>> = {
  demo: () => import("./use/demo.js"),
  encode: () => import("./use/encode.js"),
  join: () => import("./use/join.js"),
  cluster: () => import("./use/cluster.js"),
  dedupe: () => import("./use/dedupe.js"),
  index: () => import("./use/index-table.js"),
  search: () => import("./use/search.js"),
  plot: () => import("./use/plot.js"),
  finetune: () => import("./learn/finetune.js"),
  pretrain: () => import("./learn/pretrain.js"),
  "pretrain-characters": () => import("./learn/pretrain-characters.js"),
  augment: () => import("./learn/augment.js"),
  mine: () => import("./learn/mine.js"),
  type: () => import("./use/type.js"),
  bench: () => import("./judge/bench.js"),
  ablate: () => import("./judge/ablate.js"),
  corpus: () => import("./learn/corpus.js"),
  data: () => import("./judge/data.js"),
  models: () => import("./models/list.js"),
  import: () => import("./models/import.js"),
  export: () => import("./models/export.js"),
  doctor: () => import("./doctor/doctor.js"),
};

const overview = `
Examples:
  pearl demo                               join two small tables, explained: a first try in a minute
  pearl encode phrases.csv                 embed a table's phrases into phrases.embeddings.parquet
  pearl bench --task autofj --model tfidf  measure a model or a baseline
  pearl models                             list the models on this machine
  pearl doctor                             check this machine and show install commands

"pearl COMMAND --help" shows the options of a command, with examples.
README.md, installed with this program, documents the library.`;

async function createProgram(first: string | undefined): Promise<Command> {
  const program = new Command("pearl");
  // Subcommands inherit the settings that are made before they are added.
  program
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('See "pearl --help" or "pearl COMMAND --help".')
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "pearl: ")),
      // Help follows the width of the terminal, and stays readable in a very wide one.
      getOutHelpWidth: () => Math.min(process.stdout.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(process.stderr.columns ?? 100, 120),
    })
    .description("Phrase embeddings: encode, match and compare names, terms and titles, offline.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", overview);
  const named =
    first !== undefined && Object.hasOwn(commands, first) ? [commands[first]] : Object.values(commands);
  const isVersion = first === "--version" || first === "-V";
  const loaded = isVersion ? [] : await Promise.all(named.map((load) => load()));
  for (const { default: declared } of loaded) register(program, declared);
  return program;
}

/** Prints one line about the error. @returns the exit code */
function report(error: unknown): number {
  // Commander has printed its message; its exit code for wrong usage is 1, ours is 2.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const interrupted = interruption();
  const known = error instanceof PearlError;
  const text = messageOf(known ? error : (interrupted ?? error));
  const advice = known || interrupted ? "" : " (unexpected; set PEARL_DEBUG=1 for the stack)";
  process.stderr.write(`pearl: ${text}${advice}\n`);
  if (process.env.PEARL_DEBUG === "1" && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  if (interrupted) return 130;
  return known ? error.exitCode : 1;
}

/** Exits once the streams are flushed, even if a library keeps a thread or a timer alive. */
function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => (interruption() ? dieBy("SIGINT") : process.exit()), 2_000).unref();
}

/** Exits without an error when the reader closes the pipe, as in `pearl models | head -1`. */
function endQuietlyWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(process.exitCode ?? 0);
    });
  }
}

async function main(): Promise<void> {
  endQuietlyWithoutReader();
  process.on("uncaughtException", (error) => process.exit(report(error)));
  try {
    const program = await createProgram(process.argv[2]);
    await program.parseAsync(process.argv);
    if (interruption()) endWith(report(interruption()));
  } catch (error) {
    endWith(report(error));
  }
}

await main();
