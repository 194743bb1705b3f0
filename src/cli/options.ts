/** Options that several commands share, and the parsers that say what a wrong value should have been. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { TableFormat, TableOptions } from "../table/index.js";

/** Where the network runs: `auto` takes the fastest device that works and says which. */
export const deviceNames = ["auto", "cpu", "webgpu", "cuda"] as const;

/** One shard of a table: `index` counts from 1 to `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Parser of a whole number of at least one, such as `--batch-size 256`. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number of at least 1.");
  }
  return value;
}

/** Parser of a whole number of at least zero, such as `--seed 0`. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number of at least 0.");
  }
  return value;
}

/** Parser of a number above 0, such as `--lr 3e-5`. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0 && Number.isFinite(value))) {
    throw new InvalidArgumentError("It must be a number above 0.");
  }
  return value;
}

/** Parser of a fraction from 0 to 1, such as `--precision 0.9`. */
export function fraction(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError("It must be a number between 0 and 1.");
  }
  return value;
}

/** Parser of `--shard i/n`: the i-th of n equal parts, counted from 1. */
export function shardOf(text: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  if (!match || index < 1 || index > count) {
    throw new InvalidArgumentError("It must be i/n with 1 <= i <= n, for example 2/4.");
  }
  return { index, count };
}

/** Parser of `--delimiter`: one character, or the words tab, comma, semicolon, pipe and space. */
export function delimiterOf(text: string): string {
  const names: Record<string, string> = {
    tab: "\t",
    "\\t": "\t",
    comma: ",",
    semicolon: ";",
    pipe: "|",
    space: " ",
  };
  const value = names[text] ?? text;
  if ([...value].length !== 1) {
    throw new InvalidArgumentError("It must be one character, or tab, comma, semicolon, pipe or space.");
  }
  return value;
}

/** How a table is read, as the command line says it. */
export interface TableReadingOptions {
  readonly column?: string;
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly quotes: boolean;
  readonly inputFormat?: TableFormat;
}

/** Adds the options that say how a table of phrases is read. */
export function addTableOptions(command: Command): Command {
  const formats = ["csv", "tsv", "jsonl", "parquet", "text"];
  return command
    .option("-c, --column <name>", "the column that holds the phrases, by name or number from 1")
    .option("--delimiter <character>", "what separates columns, or tab, comma, semicolon, pipe", delimiterOf)
    .option("--header", "the first line names the columns (default: found by its looks)")
    .option("--no-header", "the first line is a row")
    .option("--no-quotes", "quotes are ordinary characters and hold no cells together")
    .addOption(new Option("--input-format <name>", "format of the input").choices(formats));
}

/** The library's table options for those of the command line. */
export function tableOptionsOf(options: TableReadingOptions): TableOptions {
  return {
    column: options.column,
    delimiter: options.delimiter,
    header: options.header === undefined ? "auto" : options.header ? "present" : "absent",
    quote: options.quotes ? "double" : "none",
    format: options.inputFormat,
  };
}

/** Parser of an option that may be given several times: `--model a --model b` gives both, in order. */
export function repeatable(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Adds `--device`, default `auto`. */
export function addDeviceOption(command: Command): Command {
  return command.addOption(
    new Option("--device <name>", "where the network runs").choices(deviceNames).default("auto"),
  );
}

/** Adds the options of a command that finds groups of phrases which mean the same; `promised` are the rows promised for. */
export function addGroupingOptions(command: Command, { promised }: { readonly promised: string }): Command {
  return command
    .option("--precision <p>", `promise for ${promised}; chooses the threshold (default: 0.9)`, fraction)
    .option("--threshold <t>", "link phrases of at least this similarity instead", fraction);
}

/** Adds `--model`, how the table is read, `--device`, `--threads` and `--quiet`: for commands that encode a table. */
export function addTableEncodingOptions(command: Command): Command {
  command.option("-m, --model <model>", "embedded model, folder or hub id (default: the embedded model)");
  addTableOptions(command);
  addDeviceOption(command).option("--threads <n>", "CPU threads (default: all)", positiveInteger);
  return addQuietOption(command);
}

/** Adds `--quiet`: no progress and no notes on stderr; errors still come. */
export function addQuietOption(command: Command): Command {
  return command.option("-q, --quiet", "no progress and no notes, only results and errors");
}

/** Adds the examples that end a command's help; each is the line to type and what it is for. */
export function addExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, purpose]) => `  ${line.padEnd(width)}  ${purpose}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}
