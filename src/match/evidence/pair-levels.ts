/** The levels of many pairs of rows, column by column. */
import type { Range } from "../../files/shards/shard.js";
import { inRanges, type RangeOptions } from "../run/partition.js";
import type { RowPairs } from "../weights/left-rows.js";
import { ClassesBuilder, type PairClasses } from "../weights/pair-classes.js";
import type { RowComparison } from "./pair-evidence.js";

/** Fewer pairs take no longer than to start a thread. */
const pairsPerThread = 65_536;

/** One array per column with the level of each pair. An aborted call rejects with the reason of its signal. */
export async function pairLevels(
  comparison: RowComparison,
  pairs: RowPairs,
  options?: RangeOptions,
): Promise<Int8Array[]> {
  const levels = comparison.columns.map(() => new Int8Array(pairs.left.length));
  await compareInRanges(comparison, pairs, options, (found, { from }) => {
    for (const [column, ofColumn] of found.entries()) levels[column].set(ofColumn, from);
  });
  return levels;
}

/** The classes of pairs. Levels of single pairs, a byte for each column, are never all in memory. */
export async function comparedClasses(
  comparison: RowComparison,
  pairs: RowPairs,
  options?: RangeOptions,
): Promise<PairClasses> {
  const classes = new ClassesBuilder(comparison.columns.length, pairs.left.length);
  await compareInRanges(comparison, pairs, options, (found, { from }) =>
    classes.add(found, (pair) => from + pair),
  );
  return classes.finish();
}

const compareInRanges = (
  { settings }: RowComparison,
  { left, right }: RowPairs,
  options: RangeOptions | undefined,
  take: (levels: readonly Int8Array[], range: Range) => void,
): Promise<void> =>
  inRanges(
    "compare",
    {
      ...{ settings, total: left.length, take },
      itemsIn: ({ from, to }) => ({ left: left.slice(from, to), right: right.slice(from, to) }),
    },
    { itemsPerThread: pairsPerThread, ...options },
  );
