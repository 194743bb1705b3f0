/** `pearl type`: classifies phrases with a model's type head. */
import { stat } from "node:fs/promises";
import { InvalidArgumentError } from "commander";
import { type TypeParts, typeParts } from "../../encoder/type-probabilities.js";
import { alignColumns } from "../../files/text-table.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { option, positiveInteger, shared } from "../options.js";
import { loadEncoder, type Session } from "../session.js";

interface TypedPhrase {
  readonly phrase: string;
  readonly types: readonly TypeParts[];
}

export default command({
  name: "type",
  summary: "classify phrases: lexical class and entity type, with probabilities",
  arguments: [["<phrases...>", "phrases, or one table of phrases; - reads a table from standard input"]],
  options: [
    option("-m, --model <model>", "model trained with types: folder or hub id (default: the embedded model)"),
    option("-o, --output <file>", "output: .csv, .tsv or .jsonl (default: print)", outputName),
    shared.column,
    option("--top <n>", "types per phrase", positiveInteger, 1),
    shared.json,
    ...shared.run,
  ],
  examples: [
    ['pearl type "The New York Times" "in the end"', "two phrases"],
    ["pearl type phrases.csv -o types.csv", "a table"],
    ['pearl type "Paris" --model my-model --top 3 --json', "the three most probable types, for a program"],
  ],
  run: async ([given], options, session) => {
    const { output, top, json, column } = options;
    const isTable = given.length === 1 && (await isFile(given[0]));
    const phrases = isTable ? await phrasesOf(given[0], column) : given;
    const encoder = await loadEncoder(options, session);
    const types = await encoder.types(phrases, {
      signal: session.signal,
      onProgress: (done, total) => session.show("typing", done, total, "phrases"),
    });
    const rows = phrases.map((phrase, row) => ({ phrase, types: typeParts(types[row]).slice(0, top) }));
    if (output !== undefined) await write(output, rows, session);
    else if (json) for (const row of rows) session.print(asJson(row));
    else session.print(alignColumns([header, ...rows.flatMap(cellsOf)], (place) => place >= 3));
  },
});

function outputName(name: string): string {
  if (/\.(?:csv|tsv|jsonl)$/.test(name)) return name;
  throw new InvalidArgumentError("Its name must end in .csv, .tsv or .jsonl.");
}

/** True for a file, and for standard input. */
export async function isFile(path: string): Promise<boolean> {
  return path === "-" || ((await stat(path).catch(() => undefined))?.isFile() ?? false);
}

export async function phrasesOf(path: string, column: string | undefined): Promise<readonly string[]> {
  const { readWholeTable } = await import("../../table/whole-table.js");
  return (await readWholeTable(path, { column })).phrases;
}

const header = ["phrase", "class", "type", "probability", "class_probability", "type_probability"];

function cellsOf({ phrase, types }: TypedPhrase): string[][] {
  if (types.length === 0) return [[phrase, "", "", "", "", ""]];
  return types.map(({ lexical, entity, both, ofClass, ofEntity }) => [
    ...[phrase, lexical, entity],
    ...[both, ofClass, ofEntity].map((probability) => probability.toFixed(3)),
  ]);
}

const rounded = (probability: number): number => Number(probability.toFixed(6));

const asJson = ({ phrase, types }: TypedPhrase): string =>
  JSON.stringify({
    phrase,
    types: types.map(({ lexical, entity, both, ofClass, ofEntity }) => ({
      ...{ class: lexical, type: entity, probability: rounded(both) },
      ...{ classProbability: rounded(ofClass), typeProbability: rounded(ofEntity) },
    })),
  });

async function write(path: string, rows: readonly TypedPhrase[], { print }: Session): Promise<void> {
  if (path.endsWith(".jsonl")) {
    const { writeWholeFile } = await import("../../files/whole-file.js");
    await writeWholeFile(path, rows.map((row) => `${asJson(row)}\n`).join(""));
  } else {
    const { writeRows } = await import("../../table/write/text-rows.js");
    await writeRows(path, header, [rows.flatMap(cellsOf)]);
  }
  print(`wrote ${path}: types of ${counted(rows.length, "phrase")}`);
}
