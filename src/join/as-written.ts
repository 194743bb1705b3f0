/** Which of a row's candidates comes first where all columns agree equally well: the one that is equal as it is written. */
import { groupBy } from "../by-key.js";
import type { TableColumns } from "../match/columns/align.js";
import type { PreparedTables } from "../match/columns/fields.js";
import { sameness } from "../match/spelling/sameness.js";
import type { Relation } from "../match/weights/learn.js";
import { pairBlocks } from "../match/weights/pair-blocks.js";
import { competingSides, type PairTable } from "../match/weights/pair-table.js";
import { bestTwo } from "../match/weights/start.js";

/** How alike two rows are as they are written; of prepared rows. */
export type Alike = (left: number, right: number) => number;

/** @param columns of the prepared tables, as the caller gave them */
export function alikeAsWritten(
  columns: readonly [TableColumns, TableColumns],
  { fields, order }: Pick<PreparedTables, "fields" | "order">,
): Alike {
  const [first, second] = columns;
  return (left, right) =>
    fields.reduce((sum, { name, other }) => {
      return sum + sameness(first[name][order[0][left]], second[other][order[1][right]]);
    }, 0);
}

/** Of the likely pairs of a row that agree equally well, those that are less alike as they are written, each as no match. */
export function lessAlike(
  table: PairTable,
  logOdds: Float64Array,
  relation: Relation,
  alike: Alike,
): Map<number, 0> {
  const found = new Map<number, 0>();
  for (const side of competingSides(table, relation)) {
    const { best, second } = bestTwo(side, table, logOdds);
    const tied: { pair: number; row: number; alike: number }[] = [];
    for (const { from, classOf, left, right } of pairBlocks(table))
      for (let at = 0; at < classOf.length; at++) {
        const [odds, row] = [logOdds[classOf[at]], side.name === "left" ? left[at] : right[at]];
        if (odds > 0 && odds === second[row] && odds === logOdds[table.classOf[best[row]]])
          tied.push({ pair: from + at, row, alike: alike(left[at], right[at]) });
      }
    for (const [, pairs] of groupBy(tied, ({ row }) => row)) {
      const most = pairs.reduce((greatest, { alike: own }) => Math.max(greatest, own), 0);
      for (const { pair, alike: own } of pairs) if (own < most) found.set(pair, 0);
    }
  }
  return found;
}
