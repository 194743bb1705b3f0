/** `pearl type`: what kind of thing each phrase names, by a model's type head. */
import { stat } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import type { TypeProbability } from "../encoder/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import { formatCount, formatTable } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { addDeviceOption, addExamples, addQuietOption, positiveInteger } from "./options.js";
import { startProgress } from "./progress.js";

interface TypeCommandOptions {
  readonly model?: string;
  readonly output?: string;
  readonly column?: string;
  readonly top: number;
  readonly json?: boolean;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly quiet?: boolean;
}

/** A type with the probabilities of both, of its class whatever the entity, and of its entity whatever the class. */
interface ToldType {
  readonly lexical: string;
  readonly entity: string;
  readonly both: number;
  readonly ofClass: number;
  readonly ofEntity: number;
}

/** A phrase with what the model says of it, the most probable first. */
interface TypedPhrase {
  readonly phrase: string;
  readonly types: readonly ToldType[];
}

export function registerType(program: Command): void {
  const command = program
    .command("type")
    .description("tell what phrases name: lexical class and entity type, each with its probability")
    .argument("<phrases...>", "phrases, or one table of them (CSV, TSV, JSONL, Parquet, plain text)")
    .option(
      "-m, --model <model>",
      "a model trained with types: a folder or hub id (default: the embedded model)",
    )
    .option(
      "-o, --output <file>",
      "where to write, a .csv, .tsv or .jsonl file (default: standard output)",
      outputName,
    )
    .option("-c, --column <name>", "the table's column of phrases, by name or number from 1")
    .option("--top <n>", "types told of each phrase", positiveInteger, 1)
    .option("--json", "print one line of JSON a phrase");
  addDeviceOption(command).option("--threads <n>", "CPU threads (default: all)", positiveInteger);
  addQuietOption(command).action(run);
  addExamples(command, [
    ['pearl type "The New York Times" "in the end"', "two phrases"],
    ["pearl type phrases.csv -o types.csv", "a table"],
    ['pearl type "Paris" --model my-model --top 3 --json', "the three most probable types, for programs"],
  ]);
}

const formats = [".csv", ".tsv", ".jsonl"] as const;

function outputName(name: string): string {
  if (formats.some((ending) => name.endsWith(ending))) return name;
  throw new InvalidArgumentError(`Its name must end in ${formats.join(", ")}.`);
}

async function run(given: readonly string[], options: TypeCommandOptions): Promise<void> {
  const phrases = await phrasesOf(given, options);
  const { PhraseEncoder } = await import("../encoder/index.js");
  const signal = interruptionSignal();
  const { quiet, device, threads, top } = options;
  const progress = await startProgress({ label: "typing", quiet });
  const encoder = await PhraseEncoder.load(options.model, { device, threads, signal });
  try {
    const types = await encoder.types(phrases, {
      signal,
      onProgress: (done, total) => progress.update(done, total),
    });
    progress.finish();
    const rows = phrases.map((phrase, row) => ({ phrase, types: withShares(types[row]).slice(0, top) }));
    if (options.output === undefined) process.stdout.write(options.json ? asJsonLines(rows) : asTable(rows));
    else {
      await writeRows(options.output, rows);
      process.stdout.write(`wrote ${options.output}: types of ${formatCount(rows.length)} phrases\n`);
    }
  } finally {
    progress.finish();
    await encoder.dispose();
  }
}

/** One argument that is a file is a table; everything else is a phrase. */
async function phrasesOf(
  given: readonly string[],
  { column }: TypeCommandOptions,
): Promise<readonly string[]> {
  const [first] = given;
  const isTable = given.length === 1 && (await stat(first).catch(() => undefined))?.isFile();
  if (!isTable) return given;
  const { Table } = await import("../table/index.js");
  const table = await Table.open(first, { column });
  try {
    const phrases: string[] = [];
    for await (const chunk of table.phrases()) for (const phrase of chunk) phrases.push(phrase);
    return phrases;
  } finally {
    await table.close();
  }
}

/** "NP-ORG" as its class and its entity type; a model's own labels without a hyphen have no class. */
function partsOf(type: string): readonly [lexical: string, entity: string] {
  const at = type.indexOf("-");
  return at < 0 ? ["", type] : [type.slice(0, at), type.slice(at + 1)];
}

function withShares(types: readonly TypeProbability[]): ToldType[] {
  const classes = new Map<string, number>();
  const entities = new Map<string, number>();
  const parts = types.map(({ type, probability }) => {
    const [lexical, entity] = partsOf(type);
    classes.set(lexical, (classes.get(lexical) ?? 0) + probability);
    entities.set(entity, (entities.get(entity) ?? 0) + probability);
    return { lexical, entity, both: probability };
  });
  return parts.map((part) => ({
    ...part,
    ofClass: classes.get(part.lexical) as number,
    ofEntity: entities.get(part.entity) as number,
  }));
}

const header = ["phrase", "class", "type", "probability", "class_probability", "type_probability"];

function cellsOf({ phrase, types }: TypedPhrase): string[][] {
  if (types.length === 0) return [[phrase, "", "", "", "", ""]];
  return types.map(({ lexical, entity, both, ofClass, ofEntity }) => [
    ...[phrase, lexical, entity],
    ...[both, ofClass, ofEntity].map((probability) => probability.toFixed(3)),
  ]);
}

const asTable = (rows: readonly TypedPhrase[]): string =>
  `${formatTable([header, ...rows.flatMap(cellsOf)], { right: [3, 4, 5] })}\n`;

const asJsonLines = (rows: readonly TypedPhrase[]): string =>
  rows.map((row) => `${JSON.stringify(asObject(row))}\n`).join("");

const rounded = (probability: number): number => Number(probability.toFixed(6));

const asObject = ({ phrase, types }: TypedPhrase) => ({
  phrase,
  types: types.map(({ lexical, entity, both, ofClass, ofEntity }) => ({
    ...{ class: lexical, type: entity, probability: rounded(both) },
    ...{ classProbability: rounded(ofClass), typeProbability: rounded(ofEntity) },
  })),
});

async function writeRows(path: string, rows: readonly TypedPhrase[]): Promise<void> {
  const { writeFile, rename } = await import("node:fs/promises");
  const isTab = path.endsWith(".tsv");
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const line = (cells: readonly string[]) =>
    isTab ? cells.map((cell) => cell.replace(/[\t\n\r]/g, " ")).join("\t") : cells.map(quoted).join(",");
  const text = path.endsWith(".jsonl")
    ? asJsonLines(rows)
    : `${[header, ...rows.flatMap(cellsOf)].map(line).join("\n")}\n`;
  await writeFile(`${path}.partial`, text);
  await rename(`${path}.partial`, path);
}
