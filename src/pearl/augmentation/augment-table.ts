/** Twins of a whole table of phrases, written to a file with the rule that made each. */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { ArgumentError, InterruptedError, messageOf, PearlError, TableError } from "../../errors.js";
import { replaceFile } from "../../files/whole-file.js";
import { createRandom } from "../../random.js";
import type { Table } from "../../table/table.js";
import type { Augmenter } from "./augmenter.js";
import { type Granularity, RULE_NAMES, type RuleName, rulesOfTwin, type Twin } from "./rule.js";

export interface AugmentTableOptions {
  /** Twins drawn for each phrase. Default 1. */
  readonly count?: number;
  /** Default 1. The same seed gives the same file. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  /** Rows finished and in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** How many twins there are, and of which kind. */
export interface TwinCounts {
  readonly twins: number;
  /** Twins with the phrase's own text: by "dropout", by "unchanged", or because nothing applied. */
  readonly unchanged: number;
  /** Twins that a rule had a part in: one that several rules went over counts for each of them. */
  readonly byRule: Readonly<Record<RuleName, number>>;
  readonly byGranularity: Readonly<Record<Granularity, number>>;
}

export interface AugmentTableReport extends TwinCounts {
  readonly path: string;
  readonly phrases: number;
}

/** Counts twins as they come. */
export function twinCounter(): { add(twin: Twin): void; counts(): TwinCounts } {
  const byRule = Object.fromEntries(RULE_NAMES.map((name) => [name, 0])) as Record<RuleName, number>;
  const byGranularity: Record<Granularity, number> = { character: 0, token: 0, phrase: 0, none: 0 };
  let twins = 0;
  return {
    add: (twin) => {
      twins++;
      for (const rule of rulesOfTwin(twin)) byRule[rule]++;
      byGranularity[twin.granularity]++;
    },
    counts: () => ({ twins, unchanged: byGranularity.none, byRule, byGranularity }),
  };
}

const columns = ["phrase", "twin", "rule", "granularity"] as const;

interface Format {
  readonly header: string;
  readonly line: (cells: readonly string[]) => string;
}

/** By the file's ending. */
const formats: Record<string, Format> = {
  csv: { header: columns.join(","), line: (cells) => cells.map(csvCell).join(",") },
  tsv: { header: columns.join("\t"), line: (cells) => cells.map(tsvCell).join("\t") },
  jsonl: {
    header: "",
    line: (cells) => JSON.stringify(Object.fromEntries(cells.map((cell, index) => [columns[index], cell]))),
  },
};

/**
 * Draws twins for the phrases of an open table. Writes phrase, twin, rule (or rules: "year+abbreviation") and
 * granularity, in the table's order, as CSV, TSV or JSONL by the output's ending. The file appears when it is complete.
 * @throws ArgumentError for another ending, TableError where it cannot be written, InterruptedError
 */
export async function augmentTable(
  table: Table,
  output: string,
  augmenter: Augmenter,
  options: AugmentTableOptions = {},
): Promise<AugmentTableReport> {
  const ending = output.slice(output.lastIndexOf(".") + 1).toLowerCase();
  if (!Object.hasOwn(formats, ending)) {
    throw new ArgumentError(
      `${output}: twins are written as .csv, .tsv or .jsonl. Choose one of these endings.`,
    );
  }
  if (resolve(output) === resolve(table.description.path)) {
    throw new ArgumentError(`${output} is the input table. Name another output with -o.`);
  }
  const counter = twinCounter();
  const chunks = twinLines(table, augmenter, formats[ending], counter, options);
  try {
    const phrases = await replaceFile(output, (temporary) => writeChunks(temporary, chunks));
    return { path: output, phrases, ...counter.counts() };
  } catch (error) {
    if (error instanceof PearlError) throw error;
    throw new TableError(`${output} cannot be written (${messageOf(error)}).`, { cause: error });
  }
}

/** Some phrases' lines. */
interface TwinChunk {
  readonly text: string;
  readonly phrases: number;
}

async function* twinLines(
  table: Table,
  augmenter: Augmenter,
  { header, line }: Format,
  counter: ReturnType<typeof twinCounter>,
  { count = 1, seed = 1, signal, onProgress }: AugmentTableOptions,
): AsyncGenerator<TwinChunk> {
  const random = createRandom(seed);
  if (header !== "") yield { text: `${header}\n`, phrases: 0 };
  let done = 0;
  for await (const phrases of table.phrases()) {
    if (signal?.aborted) throw new InterruptedError("interrupted; nothing was written");
    let text = "";
    for (const phrase of phrases) {
      for (let drawn = 0; drawn < count; drawn++) {
        const twin = augmenter.augment(phrase, random);
        counter.add(twin);
        text += `${line([phrase, twin.text, rulesOfTwin(twin).join("+"), twin.granularity])}\n`;
      }
    }
    yield { text, phrases: phrases.length };
    done += phrases.length;
    onProgress?.(done, table.description.rowCount);
  }
}

/** @returns the number of phrases */
async function writeChunks(path: string, chunks: AsyncIterable<TwinChunk>): Promise<number> {
  const file = await open(path, "w");
  let phrases = 0;
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk.text);
      phrases += chunk.phrases;
    }
  } finally {
    await file.close();
  }
  return phrases;
}

function csvCell(text: string): string {
  return /[",\n\r]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
}

function tsvCell(text: string): string {
  return /["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
