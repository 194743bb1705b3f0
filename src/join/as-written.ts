/** Which of a row's candidates comes first where all columns agree equally well: the one that is equal as it is written. */
import { groupBy } from "../by-key.js";
import type { TableColumns } from "../match/columns/align.js";
import type { PreparedTables } from "../match/columns/fields.js";
import { sameness } from "../match/rank-rows.js";
import { certain } from "../match/weights/learn.js";
import type { PairSide, PairTable } from "../match/weights/pair-table.js";

/** How alike two prepared rows are as they are written. */
export type Alike = (left: number, right: number) => number;

/** @param columns of the prepared tables, as they were before */
export const alikeAsWritten =
  ([first, second]: readonly TableColumns[], { fields, order }: PreparedTables): Alike =>
  (left, right) =>
    fields
      .map(({ name, other }) => sameness(first[name][order[0][left]], second[other][order[1][right]]))
      .reduce((sum, one) => sum + one, 0);

/** The pairs that may be accepted, each with its probability, which changes, and what its columns say. */
interface LikelyPairs {
  readonly table: PairTable;
  readonly pairs: Int32Array;
  readonly own: Float64Array;
  scoreOf(pair: number): number;
}

/** Gives the pair of a row that is most alike as written the probability of those that agree equally well. */
export function preferAsWritten(
  { table, pairs, own, scoreOf }: LikelyPairs,
  sides: readonly PairSide[],
  alike: Alike,
): void {
  // A row may have several partners that a person confirmed.
  const places = [...pairs.keys()].filter((at) => scoreOf(pairs[at]) !== certain);
  const alikeAt = (place: number): number => alike(table.left.at(pairs[place])!, table.right[pairs[place]]);
  for (const { rowOf } of sides)
    for (const tied of groupBy(places, (at) => `${rowOf(pairs[at])} ${scoreOf(pairs[at])}`).values()) {
      if (tied.length === 1) continue;
      const [best, next] = tied.map((at) => ({ at, alike: alikeAt(at) })).sort((a, b) => b.alike - a.alike);
      if (best.alike === next.alike) continue;
      const sum = tied.reduce((all, at) => all + own[at], 0);
      for (const at of tied) own[at] = 0;
      own[best.at] = Math.min(1, sum);
    }
}
