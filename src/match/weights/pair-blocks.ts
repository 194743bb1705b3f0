/**
 * Pairs in blocks: what is computed of all pairs is a few loops over arrays of one block, several times faster than a call for
 * each pair, and takes no memory for each of them.
 */
import { type RowPairs, SortedRows } from "./left-rows.js";
import type { PairClasses } from "./pair-classes.js";

/** Pairs that follow each other, with the rows and the class of each. */
export interface PairBlock {
  /** The first pair. */
  readonly from: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly classOf: Int32Array;
}

/** Writes the probability of each pair of a block. */
export type Probabilities = (block: PairBlock, into: Float64Array) => void;

/** Pairs of a block at most: its arrays stay in the processor's cache. */
export const blockSize = 2 ** 14;

/** All pairs, or those of a range. The arrays of a block hold until the next one is asked for. */
export function* pairBlocks(
  pairs: RowPairs & PairClasses,
  start = 0,
  end = pairs.right.length,
): Generator<PairBlock> {
  const rows = new Int32Array(blockSize);
  for (let from = start; from < end; from += blockSize)
    yield blockOf(pairs, from, Math.min(from + blockSize, end), rows);
}

function blockOf(
  { left, right, classOf }: RowPairs & PairClasses,
  from: number,
  to: number,
  rows = new Int32Array(to - from),
): PairBlock {
  if (left instanceof SortedRows) left.writeTo(rows, from, to);
  else rows.set(left.slice(from, to));
  return {
    ...{ from, left: rows.subarray(0, to - from) },
    ...{ right: right.subarray(from, to), classOf: classOf.subarray(from, to) },
  };
}

/** The probability of a single pair. */
export function probabilityAt(
  pairs: RowPairs & PairClasses,
  probabilities: Probabilities,
  pair: number,
): number {
  const found = new Float64Array(1);
  probabilities(blockOf(pairs, pair, pair + 1), found);
  return found[0];
}

/** Looks up the number of each place. */
export function lookUp(numbers: Float64Array, places: Int32Array, into: Float64Array): void {
  for (let at = 0; at < places.length; at++) into[at] = numbers[places[at]];
}

/** Adds to each place its number. Most are 0, of which the sums need not be looked up. */
export function addTo(sums: Float64Array, places: Int32Array, numbers: Float64Array): void {
  for (let at = 0; at < places.length; at++) if (numbers[at] !== 0) sums[places[at]] += numbers[at];
}
