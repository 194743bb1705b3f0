/** Options that several commands share, and parsers of option values. */
import type { Option as TypedOption } from "@commander-js/extra-typings";
import { InvalidArgumentError, Option } from "commander";
import { messageOf, UsageError } from "../errors.js";
import { readSurvivor, type Survivor, survivorRuleList } from "../group/survivor-rules.js";
import { type ColumnKind, type ColumnRole, columnKinds, columnRoles } from "../match/columns/profile.js";
import { parseDelimiter, parseEncoding, rowsFormats } from "../table/format.js";
import type { OptionsOf } from "./command.js";

/** A parser of numbers; `rule` completes the message "It must be ...". */
const numberParser =
  (rule: string, isValid: (value: number) => boolean, form = /\S/) =>
  (text: string): number => {
    const value = Number(text);
    if (!form.test(text) || !isValid(value)) throw new InvalidArgumentError(`It must be ${rule}.`);
    return value;
  };

const wholeParser = (rule: string, least: number, most = Number.MAX_SAFE_INTEGER) =>
  numberParser(rule, (value) => value >= least && value <= most, /^\d+$/);

export const positiveInteger = wholeParser("a whole number of at least 1", 1);
export const wholeNumber = wholeParser("a whole number of at least 0", 0);
export const portNumber = wholeParser("a port between 0 and 65535", 0, 65_535);
export const positiveNumber = numberParser("a number above 0", (value) => value > 0 && value < Infinity);
export const fraction = numberParser("a number between 0 and 1", (value) => value >= 0 && value <= 1);
export const fractionBelowOne = numberParser(
  "a number of at least 0 and below 1",
  (value) => value >= 0 && value < 1,
);

/** Parser of `--shard i/n`: the i-th of n equal parts, counted from 1. */
export function shardOf(text: string): { readonly index: number; readonly count: number } {
  const [index, count] = /^\d+\/\d+$/.test(text) ? text.split("/").map(Number) : [0, 0];
  if (index >= 1 && index <= count) return { index, count };
  throw new InvalidArgumentError("It must be i/n with 1 <= i <= n, for example 2/4.");
}

/** Parser of sizes such as 500m and 4g: bytes, in powers of 1024. */
function memorySize(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([mg])$/i.exec(text) ?? [];
  const bytes = Number(number) * 2 ** (unit?.toLowerCase() === "g" ? 30 : 20);
  if (bytes > 0) return bytes;
  throw new InvalidArgumentError("It must be a number of megabytes or gigabytes, for example 500m or 4g.");
}

const parsedBy =
  (parse: (text: string) => string) =>
  (text: string): string => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };
export const delimiterOf = parsedBy(parseDelimiter);
const encodingOf = parsedBy(parseEncoding);

/** Parser of the name of a file that is written in one format. */
export const fileEndingIn =
  (ending: string) =>
  (text: string): string => {
    if (text.toLowerCase().endsWith(ending)) return text;
    throw new InvalidArgumentError(`The name must end in ${ending}.`);
  };

/** Parser of names separated by commas; the option may be repeated: `--task turney,bird --task autofj`. */
export function commaSeparated(text: string, previous: readonly string[] | undefined): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => name === "")) {
    throw new InvalidArgumentError("It must be names separated by commas.");
  }
  return [...(previous ?? []), ...names];
}

export function repeatable(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Parser of names with weights, separated by commas. */
export function weights(text: string): Record<string, number> {
  const entries = text.split(",").map((part): [string, number] => {
    const [name, word = "", ...rest] = part.split("=").map((side) => side.trim());
    const value = word === "" ? Number.NaN : Number(word);
    if (rest.length > 0 || name === "" || !(value >= 0 && value < Infinity))
      throw new InvalidArgumentError(`"${part}" is not NAME=NUMBER, as in character=.3,synonym=.2.`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** Parser of `--kind-of born=date`; repeatable. */
export function kindOfColumn(
  text: string,
  previous: Readonly<Record<string, ColumnKind | ColumnRole>> | undefined,
): Record<string, ColumnKind | ColumnRole> {
  const [, name, word] = /^(.+)=(\w+)$/.exec(text) ?? [];
  const kinds = [...columnKinds, ...columnRoles];
  const kind = kinds.find((known) => known === word);
  if (kind === undefined)
    throw new InvalidArgumentError(`It must be COLUMN=KIND; kinds are ${kinds.join(", ")}.`);
  return { ...previous, [name.replaceAll("\\=", "=")]: kind };
}

/** Parser of `--compare price=5%`; repeatable. */
function comparisonOfColumn(
  text: string,
  previous: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const [, name, how] = /^((?:\\=|[^=])+)=(.+)$/.exec(text) ?? [];
  if (how === undefined)
    throw new InvalidArgumentError("It must be COLUMN=5%, COLUMN=2 or COLUMN=./MODULE.mjs.");
  return { ...previous, [name.replaceAll("\\=", "=")]: how };
}

/** Declares an option; its parser and its default give the type of its value. */
export function option<Flags extends string, Value = undefined, Default = undefined>(
  flags: Flags,
  description: string,
  parse?: (text: string, previous: Value | undefined) => Value,
  standard?: Default,
): TypedOption<Flags, undefined, Default, Value> {
  const declared = new Option(flags, description);
  if (parse) declared.argParser(parse);
  if (standard !== undefined) declared.default(standard);
  return declared as unknown as TypedOption<Flags, undefined, Default, Value>;
}

/** An option that may be repeated. */
export const many = <Flags extends string>(flags: Flags, description: string) =>
  option(flags, `${description}; repeatable`, repeatable);

/** `-o` of a command that writes a table. */
export const tableOutput = (what: string, byDefault: string) =>
  option(
    "-o, --output <file>",
    `${what}: .csv, .tsv, .jsonl, .parquet, .xlsx; - is standard output (default: ${byDefault})`,
  );

export function choice<
  Flags extends string,
  const Words extends readonly string[],
  Default extends Words[number] | undefined = undefined,
>(
  flags: Flags,
  description: string,
  words: Words,
  standard?: Default,
): TypedOption<Flags, undefined, Default, undefined, false, Words[number]> {
  const declared = new Option(flags, description).choices(words);
  if (standard !== undefined) declared.default(standard);
  return declared as unknown as TypedOption<Flags, undefined, Default, undefined, false, Words[number]>;
}

export function required<Flags extends string, Value = undefined>(
  flags: Flags,
  description: string,
  parse?: (text: string, previous: Value | undefined) => Value,
): TypedOption<Flags, undefined, undefined, Value, true> {
  const declared = new Option(flags, description).makeOptionMandatory();
  if (parse) declared.argParser(parse);
  return declared as unknown as TypedOption<Flags, undefined, undefined, Value, true>;
}

const device = choice("--device <name>", "where the model runs", ["auto", "cpu", "webgpu", "cuda"], "auto");
const threads = option("--threads <n>", "CPU threads (default: all cores)", positiveInteger);
const quiet = option("-q, --quiet", "print no progress and no notes, only results and errors");
const run = [device, threads, quiet] as const;

const model = option("-m, --model <model>", "embedded model (the default), folder, s3://... or hub id");
const modelOrNone = option("-m, --model <model>", "embedded model, folder or hub id; none: no embeddings");
const column = option("-c, --column <name>", "the column of phrases, by name or by number from 1");
const noQuotes = option("--no-quotes", "treat quotes as ordinary characters");
const encoding = option(
  "--encoding <name>",
  "encoding of the input, such as windows-1252 or shift_jis (default: detected)",
  encodingOf,
);
const tableFormat = [
  option(
    "--delimiter <character>",
    "column separator: one character, or tab, comma, semicolon, pipe, space (default: detected)",
    delimiterOf,
  ),
  option("--header", "the first line names the columns (default: detected)"),
  option("--no-header", "the first line is a row"),
  noQuotes,
  encoding,
  choice("--input-format <name>", "format of the input", ["csv", "tsv", "jsonl", "parquet", "text"]),
] as const;
const table = [column, ...tableFormat] as const;

/** Options that several commands have, single and in groups. */
export const shared = {
  ...{ device, threads, quiet, run, model, modelOrNone, column, noQuotes, encoding, tableFormat, table },
  /** Which columns a matching compares; default: all that carry evidence. */
  compared: [
    many("--on <column>", "compare only this column; LEFT=RIGHT where its names differ").conflicts("column"),
    many("--ignore <column>", "compare all columns but this one").conflicts("column"),
    option(
      "--kind-of <column=kind>",
      "what a column holds, such as born=date, or if it identifies: company=shared; repeatable",
      kindOfColumn,
    ),
  ] as const,
  /** What the user knows of names and columns, beside what is learned. */
  rules: [
    option(
      "--compare <column=how>",
      "compare numbers or dates with a tolerance, price=5% or year=2, or cells by a module, code=./code.mjs; repeatable",
      comparisonOfColumn,
    ),
    option("--aliases <file>", "a table of names in each row that mean the same: a name, and its aliases"),
    many("--same <columns>", "rows with equal cells here are the same: email, vat+country, email=mail"),
    many("--never <column>", "rows whose cells differ here are not the same, such as birth_date"),
  ] as const,
  /** How much memory a matching takes, and where its temporary files go. */
  bounded: [
    option("--memory <size>", "memory at most, such as 4g or 800m; the rest goes to disk", memorySize),
    option("--temp <folder>", "folder for temporary files (default: the system's)"),
  ] as const,
  /** Beside `--golden`. */
  golden: [
    option(
      "--golden-json <file>",
      "write the origin of each cell of --golden: .jsonl",
      fileEndingIn(".jsonl"),
    ),
    option(
      "--survivor <column=rule>",
      `how --golden chooses the cells of a column: ${survivorRuleList} (default: by kind; "=" in a name: \\=); repeatable`,
      survivorOfColumn,
    ),
  ] as const,
  /** Pairs that a person judges. */
  judged: [
    option("--review-out <file>", "write doubtful pairs for a person to decide"),
    option("--review <file>", "apply the decisions of a reviewed file"),
    option("--related-out <file>", "write pairs that look alike and are different things"),
    many("--labels <file>", "apply known pairs: left, right and, if some do not match, decision"),
  ] as const,
  tableEncoding: [model, ...table, ...run] as const,
  /** The same where phrases are compared by spelling too. */
  tableComparing: [modelOrNone, ...table, ...run] as const,
  format: choice("--format <name>", "format of the output (default: by its name, else csv)", rowsFormats),
  phrase: many("--phrase <text>", "a phrase, also if it looks like a file"),
  json: option("--json", "print JSON"),
  report: option("--json <file>", "also write a report of the run as JSON"),
  batchSize: option("--batch-size <n>", "largest number of phrases in a batch", positiveInteger),
  truncate: option(
    "--dims, --truncate-dim <n>",
    "keep the first n dimensions of each embedding; for a model trained with --dims, n is one of its lengths",
    positiveInteger,
  ),
  int8: option("--int8", "compute with 8-bit weights: faster, nearly the same embeddings"),
  data: option(
    "--data <folder>",
    "benchmark data (default: $PEARL_DATA, else ./data/bench, else ~/.cache/pearl/bench)",
  ),
  seed: option("--seed <n>", "random seed (default: 0)", wholeNumber),
};

/** Parser of `--survivor phone=newest:updated`; repeatable. */
function survivorOfColumn(text: string, previous: readonly Survivor[] = []): Survivor[] {
  const survivor = readSurvivor(text);
  if (survivor !== undefined) return [...previous, survivor];
  throw new InvalidArgumentError(`It must be COLUMN=RULE; rules are ${survivorRuleList}.`);
}

/** @throws UsageError for what stands beside `--golden`, without it */
export function checkGolden({
  golden,
  goldenJson,
  survivor,
}: OptionsOf<typeof shared.golden> & { readonly golden?: string }): void {
  if (golden === undefined && (survivor ?? goldenJson) !== undefined)
    throw new UsageError("--survivor and --golden-json are about golden records. Add --golden FILE.");
}

/** How a table is read. */
export type TableOptions = OptionsOf<typeof tableFormat> & { readonly column?: string };

export function tableOptionsOf(options: TableOptions) {
  const { column, delimiter, encoding, header, quotes, inputFormat } = options;
  return {
    ...{ column, delimiter, encoding, format: inputFormat },
    header: header === undefined ? "auto" : header ? "present" : "absent",
    quote: quotes ? "double" : "none",
  } as const;
}

export const resumption = (resume: true | undefined): "continue" | "start-over" =>
  resume ? "continue" : "start-over";

/** For commands that print for people where no output is named. @throws UsageError */
export function checkFormat({
  output,
  format,
}: {
  readonly output?: string;
  readonly format?: string;
}): void {
  if (format === undefined || output !== undefined) return;
  throw new UsageError(
    "--format is for tables, and without -o none is written: add -o FILE, or -o - for standard output",
  );
}

/** Reports `--ignore` beside `--on`. It is no error: the commands that messages suggest add `--on` to what was typed. */
export function noteUnused(
  { on, ignore }: OptionsOf<typeof shared.compared>,
  say: (text: string) => void,
): void {
  if (on !== undefined && ignore !== undefined)
    say("--ignore has no effect: --on names all columns that are compared");
}

/** The flag of an option's name: "--batch-size" of "batchSize". */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
