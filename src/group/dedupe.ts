/** Removes duplicates from a list: keeps one row of each cluster. */
import { ArgumentError } from "../errors.js";
import type { KnownPair } from "../match/compare-tables.js";
import type { DoubtfulPair } from "../match/review/doubtful.js";
import type { ClusterOptions } from "./cluster.js";
import { type DuplicateRow, removedRows } from "./kept-rows.js";
import { duplicatesByColumn, type FoundDuplicates } from "./roads.js";

/** Options of {@link dedupe}: those of {@link cluster} without `k`, and which rows to keep. */
export interface DedupeOptions extends Omit<ClusterOptions, "k"> {
  /**
   * How complete each row is, such as its number of filled cells. The most complete row of a cluster is kept, or the
   * first of several. Default: all equal.
   */
  readonly completeness?: ArrayLike<number>;
  /** Judged pairs of rows: confirmed ones end in one group, rejected ones in two. */
  readonly known?: readonly KnownPair[];
  /** Whether likely duplicates are removed if the promise is not established. Default "keep". */
  readonly likely?: "keep" | "remove";
}

/** The rows that {@link dedupe} keeps and removes. Rows are positions in the list, counted from 0. */
export interface Deduplication extends FoundDuplicates {
  /** Kept rows, ascending. */
  readonly kept: Int32Array;
  /** Removed rows, ascending. If the promise is not established, only rows that are equal or confirmed. */
  readonly removed: readonly DuplicateRow[];
  readonly threshold: number;
  /** Pairs that are most worth judging, the most doubtful first. */
  doubtful(count: number): DoubtfulPair[];
}

/**
 * Finds duplicates.
 *
 *     const { kept } = await dedupe(["Acme Inc.", "Acme Incorporated", "Apex Ltd"], { threshold: 0.7 });
 *
 * Rows that are empty, or hold a word for that (n/a, null, -), are all kept. @throws ArgumentError
 */
export async function dedupe(
  phrases: readonly string[],
  options: DedupeOptions = {},
): Promise<Deduplication> {
  const { completeness, known = [] } = options;
  if (completeness !== undefined && completeness.length !== phrases.length)
    throw new ArgumentError(`completeness has ${completeness.length} numbers for ${phrases.length} phrases`);
  const { report, table, doubtful } = await duplicatesByColumn({ phrase: phrases }, "phrase", {
    ...options,
    known,
  });
  const isTrusted = report.promise?.established !== false || options.likely === "remove";
  const rows = removedRows(table, isTrusted ? "all" : "sure");
  return { ...report, ...rows, threshold: report.threshold ?? 1, doubtful };
}
