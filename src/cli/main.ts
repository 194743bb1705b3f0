#!/usr/bin/env node
/** The `pearl` command: gathers the commands, runs one, and turns every ending into a line and an exit code. */
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { InterruptedError, messageOf, PearlError } from "../errors.js";
import { registerAblate } from "./ablate.js";
import { registerAugment } from "./augment.js";
import { registerBench } from "./bench.js";
import { registerCluster } from "./cluster.js";
import { registerCorpus } from "./corpus.js";
import { registerData } from "./data.js";
import { registerDedupe } from "./dedupe.js";
import { registerDoctor } from "./doctor.js";
import { registerEncode } from "./encode.js";
import { registerExport } from "./export.js";
import { registerFinetune } from "./finetune.js";
import { registerImport } from "./import.js";
import { registerIndex } from "./index-build.js";
import { wasInterrupted } from "./interruption.js";
import { registerJoin } from "./join.js";
import { registerMine } from "./mine.js";
import { registerModels } from "./models.js";
import { registerPlot } from "./plot.js";
import { registerPretrain } from "./pretrain.js";
import { registerPretrainCharacters } from "./pretrain-characters.js";
import { registerSearch } from "./search.js";
import { registerType } from "./type.js";

/** Adding a command takes one import and one line here, in the order in which `pearl --help` lists them. */
function registerCommands(program: Command): void {
  registerEncode(program);
  registerJoin(program);
  registerCluster(program);
  registerDedupe(program);
  registerIndex(program);
  registerSearch(program);
  registerPlot(program);
  registerFinetune(program);
  registerPretrain(program);
  registerPretrainCharacters(program);
  registerAugment(program);
  registerMine(program);
  registerType(program);
  registerBench(program);
  registerAblate(program);
  registerCorpus(program);
  registerData(program);
  registerModels(program);
  registerImport(program);
  registerExport(program);
  registerDoctor(program);
}

const overview = `
Examples:
  pearl encode phrases.csv                 vectors of a table's phrases, into phrases.embeddings.parquet
  pearl bench --task autofj --model tfidf  measure a model or a baseline
  pearl models                             which models are on this machine
  pearl doctor                             what works on this machine, and how to get the rest

"pearl COMMAND --help" shows a command's options with examples.
Documentation of the library is in README.md beside this program.`;

function packageVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function createProgram(): Command {
  const program = new Command("pearl");
  // These settings come first: subcommands inherit what is set when they are created.
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
    .description("Phrase embeddings: encode, match and judge names, terms and titles, offline.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", overview);
  registerCommands(program);
  return program;
}

/** Says in one line what went wrong, and gives the exit code that belongs to it. */
function report(error: unknown): number {
  // Commander has printed its message; its own exit code for wrong usage is 1, ours is 2.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const interrupted = wasInterrupted() || error instanceof InterruptedError;
  const known = error instanceof PearlError;
  const text = interrupted && !known ? "interrupted" : messageOf(error);
  const advice = known || interrupted ? "" : " (unexpected; set PEARL_DEBUG=1 for the stack)";
  process.stderr.write(`pearl: ${text}${advice}\n`);
  if (process.env.PEARL_DEBUG === "1" && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  if (interrupted) return 130;
  return known ? error.exitCode : 1;
}

/** Ends with the code once the streams are flushed, even where a library keeps a thread or a timer alive. */
function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), 2_000).unref();
}

/** A reader that goes away (`pearl models | head -1`) is no error of ours: the rest is not wanted. */
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
    await createProgram().parseAsync(process.argv);
    if (wasInterrupted()) endWith(report(new InterruptedError("interrupted")));
  } catch (error) {
    endWith(report(error));
  }
}

await main();
