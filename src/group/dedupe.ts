/** Removes duplicates from a list: keeps one row of each cluster. */
import { ArgumentError } from "../errors.js";
import type { PrecisionPromise } from "../match/estimates/spacing-precision.js";
import { type ClusterOptions, cluster } from "./cluster.js";

/** Options of {@link dedupe}: those of {@link cluster} without `k`, and which row of a cluster to keep. */
export interface DedupeOptions extends Omit<ClusterOptions, "k"> {
  /**
   * How complete each row is, such as its number of filled cells. The most complete row of a cluster is kept, or the
   * first of several. Default: all equal.
   */
  readonly completeness?: ArrayLike<number>;
}

/** A removed row and the row kept in its place. */
export interface DuplicateRow {
  readonly row: number;
  /** The row kept in its place. */
  readonly keptRow: number;
  /** Similarity of the two, 0 to 1. */
  readonly similarity: number;
}

/** The rows that {@link dedupe} keeps and removes. Rows are positions in the list, counted from 0. */
export interface Deduplication {
  /** Kept rows, ascending. */
  readonly kept: Int32Array;
  /** Removed rows, ascending. */
  readonly removed: readonly DuplicateRow[];
  /** Rows of at least this similarity, 0 to 1, count as duplicates. */
  readonly threshold: number;
  /** Estimated share of removed rows that are duplicates, without labels. */
  readonly estimatedPrecision: number;
  /** Whether the estimate reached `precision`; undefined with `threshold`. */
  readonly promise?: PrecisionPromise;
}

/**
 * Finds duplicates.
 *
 *     const { kept } = await dedupe(["Acme Inc.", "Acme Incorporated", "Apex Ltd"]);
 *
 * Rows without visible characters are all kept. @throws ArgumentError
 */
export async function dedupe(
  phrases: readonly string[],
  options: DedupeOptions = {},
): Promise<Deduplication> {
  const { completeness, ...clustering } = options;
  if (completeness !== undefined && completeness.length !== phrases.length)
    throw new ArgumentError(`completeness has ${completeness.length} numbers for ${phrases.length} phrases`);
  const found = await cluster(phrases, clustering);
  const { groups, similarityOf, threshold = 1, estimatedPrecision = 1, promise } = found;
  const kept: number[] = [];
  const removed: DuplicateRow[] = [];
  for (const { rows } of groups) {
    let stays = rows[0];
    for (const row of rows) if (completeness && completeness[row] > completeness[stays]) stays = row;
    kept.push(stays);
    for (const row of rows)
      if (row !== stays) removed.push({ row, keptRow: stays, similarity: similarityOf(row, stays) });
  }
  removed.sort((a, b) => a.row - b.row);
  return { kept: Int32Array.from(kept).sort(), removed, threshold, estimatedPrecision, promise };
}
