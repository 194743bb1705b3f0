/** Twins of a whole table of phrases, written to a file with the rule that made each. */
import { createRandom } from "../random.js";
import { type RowsFormat, rowsFormatOfName } from "../table/format.js";
import type { Table } from "../table/table.js";
import { refuseOverwriting } from "../table/write/output-names.js";
import { writeRows } from "../table/write/text-rows.js";
import type { Augmenter } from "./augmenter.js";
import { type Granularity, RULE_NAMES, type RuleName, rulesOfTwin } from "./rule.js";

export interface AugmentTableOptions {
  /** Twins drawn for each phrase. Default 1. */
  readonly count?: number;
  /** Default 1. The same seed gives the same file. */
  readonly seed?: number;
  /** Format of the output; default by its name. */
  readonly format?: RowsFormat;
  readonly signal?: AbortSignal;
  /** Receives the number of finished rows and of all rows. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Draws twins for the phrases of an open table. Writes phrase, twin, rule (or rules: "year+abbreviation") and
 * granularity, in the table's order, as CSV, TSV, JSONL or Parquet by the output's ending. The file appears when it is complete.
 * @throws TableError for another ending or where it cannot be written, ArgumentError where it is the input table
 */
export async function augmentTable(
  table: Table,
  output: string,
  augmenter: Augmenter,
  { count = 1, seed = 1, format = rowsFormatOfName(output), signal, onProgress }: AugmentTableOptions = {},
) {
  signal?.throwIfAborted();
  refuseOverwriting([table.description.path], [output]);
  const byRule = Object.fromEntries(RULE_NAMES.map((name) => [name, 0])) as Record<RuleName, number>;
  const byGranularity: Record<Granularity, number> = { character: 0, token: 0, phrase: 0, none: 0 };
  const random = createRandom(seed);
  let done = 0;
  const rowOf = (phrase: string): string[] => {
    const twin = augmenter.augment(phrase, random);
    const rules = rulesOfTwin(twin);
    for (const rule of rules) byRule[rule]++;
    byGranularity[twin.granularity]++;
    return [phrase, twin.text, rules.join("+"), twin.granularity];
  };
  async function* batches(): AsyncGenerator<string[][]> {
    for await (const phrases of table.phrases()) {
      yield phrases.flatMap((phrase) => Array.from({ length: count }, () => rowOf(phrase)));
      done += phrases.length;
      onProgress?.(done, table.description.rowCount);
      signal?.throwIfAborted();
    }
  }
  await writeRows(output, ["phrase", "twin", "rule", "granularity"], batches(), format);
  return {
    ...{ path: output, phrases: done, twins: count * done },
    /** Twins with the phrase's own text: by "dropout", by "unchanged", or because nothing applied. */
    unchanged: byGranularity.none,
    /** Twins by rule; a twin made by several rules counts for each. */
    byRule,
    byGranularity,
  };
}
