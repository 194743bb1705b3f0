/** Takes duplicates out of a list: of each group of variants one row stays. */
import { ArgumentError } from "../errors.js";
import { type ClusterOptions, cluster } from "./cluster.js";

export interface DedupeOptions extends Omit<ClusterOptions, "k"> {
  /**
   * How complete each row is, such as its number of filled cells: of a group the most complete row stays, of equally
   * complete ones the first. Default all equal.
   */
  readonly completeness?: ArrayLike<number>;
}

/** A row that went, or one that stayed in its place. */
export interface DuplicateRow {
  readonly row: number;
  /** The row that stands for it now. */
  readonly keptRow: number;
  /** Similarity of the two, 0 to 1. */
  readonly similarity: number;
}

export interface Deduplication {
  /** Rows that stay, ascending. */
  readonly kept: Int32Array;
  /** Rows that go, ascending. */
  readonly removed: readonly DuplicateRow[];
  readonly threshold: number;
  /** How likely a row that was joined to another is its duplicate, estimated without labels. */
  readonly estimatedPrecision: number;
}

/**
 * Finds duplicates.
 *
 *     const { kept } = await dedupe(["Acme Inc.", "Acme Incorporated", "Apex Ltd"]);
 *
 * Rows without visible characters all stay. @throws ArgumentError, InterruptedError
 */
export async function dedupe(
  phrases: readonly string[],
  options: DedupeOptions = {},
): Promise<Deduplication> {
  const { completeness, ...clustering } = options;
  if (completeness !== undefined && completeness.length !== phrases.length)
    throw new ArgumentError(`completeness has ${completeness.length} numbers for ${phrases.length} phrases`);
  const { groups, similarityOf, threshold = 1, estimatedPrecision = 1 } = await cluster(phrases, clustering);
  const kept: number[] = [];
  const removed: DuplicateRow[] = [];
  for (const { rows } of groups) {
    let stays = rows[0];
    for (const row of rows) if (completeness && completeness[row] > completeness[stays]) stays = row;
    kept.push(stays);
    for (const row of rows) {
      if (row !== stays) removed.push({ row, keptRow: stays, similarity: similarityOf(row, stays) });
    }
  }
  removed.sort((a, b) => a.row - b.row);
  return { kept: Int32Array.from(kept).sort(), removed, threshold, estimatedPrecision };
}
