/** The levels of many pairs of rows, column by column. */
import type { Pairs } from "../candidates/pair-set.js";
import { inParts, type PartOptions } from "../parts/in-parts.js";
import type { RowComparison } from "./pair-evidence.js";

/** One array per column with the level of each pair. An aborted call rejects with the reason of its signal. */
export async function pairLevels(
  { settings, columns }: RowComparison,
  { left, right }: Pairs,
  options: PartOptions = {},
): Promise<Int8Array[]> {
  const levels = columns.map(() => new Int8Array(left.length));
  await inParts(
    "compare",
    {
      settings,
      total: left.length,
      partAt: (from, to) => ({ left: left.slice(from, to), right: right.slice(from, to) }),
      take: (found, from) => found.forEach((ofColumn, column) => levels[column].set(ofColumn, from)),
    },
    options,
  );
  return levels;
}
