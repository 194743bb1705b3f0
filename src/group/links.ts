/** Links between the phrases of a list, by how similar they are, and the phrase that represents a group. */
import { placeIn } from "../match/weights/chosen-places.js";
import { type PlacesByNumber, placesByNumber } from "../places-by-number.js";
import type { CountedTable } from "./one-column/promised-threshold.js";

/** Pairs of rows with their similarity, ascending by left row and then by right row. */
export interface Links {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Similarities, 0 to 1. */
  readonly scores: Float32Array;
}

/** Links that are found by their similarity and by their rows. */
export interface LinkTable extends Links {
  /** All links, the most similar first; of equal ones the earlier. */
  readonly strongest: Uint32Array;
  /** The links of a row, ascending. */
  ofRow(row: number): Iterable<number>;
}

export function linkTable(size: number, { left, right, scores }: Links): LinkTable {
  const toRight = placesByNumber(right, size);
  const fromLeft = placesByNumber(left, size).starts;
  return {
    ...{ left, right, scores, strongest: strongestFirst(scores) },
    *ofRow(row) {
      // A row is on the right of links of earlier rows.
      yield* toRight.order.subarray(toRight.starts[row], toRight.starts[row + 1]);
      for (let link = fromLeft[row]; link < fromLeft[row + 1]; link++) yield link;
    },
  };
}

/** The rows that a row is linked with, and how similar they are. */
export function* linkedWith(links: LinkTable, row: number): Generator<readonly [number, number]> {
  for (const link of links.ofRow(row))
    yield [links.left[link] === row ? links.right[link] : links.left[link], links.scores[link]];
}

/** Sorts by the bits of the numbers, which are in the order of the numbers where these are not negative: each half once. */
function strongestFirst(scores: Float32Array): Uint32Array {
  const bits = new Int32Array(scores.buffer, scores.byteOffset, scores.length);
  const byLow = placesByNumber(
    bits.map((value) => ~value & 0xffff),
    2 ** 16,
  ).order;
  const byBoth = placesByNumber(
    Int32Array.from(byLow, (link) => ~bits[link] >>> 16),
    2 ** 16,
  ).order;
  return byBoth.map((place) => byLow[place]);
}

/** In larger groups only this many of the most frequent members are candidates. */
const LARGEST_SEARCHED = 300;

/**
 * The medoid: the row most similar to all others, weighted by their occurrences. Ties (always between two rows) go to the
 * more frequent, then the longer, then the first.
 */
export function representative(
  members: ArrayLike<number>,
  { similarity, counts, phrases }: Pick<CountedTable, "similarity" | "counts" | "phrases">,
): number {
  const searched = Array.from(members)
    .sort((a, b) => counts[b] - counts[a] || a - b)
    .slice(0, LARGEST_SEARCHED)
    .sort((a, b) => counts[b] - counts[a] || phrases[b].length - phrases[a].length || a - b);
  if (searched.length <= 2) return searched[0];
  let [best, bestSum] = [members[0], -Infinity];
  for (const row of searched) {
    // Without its own occurrences, a frequent row would score below its neighbours.
    let sum = counts[row];
    for (const other of searched) if (other !== row) sum += counts[other] * similarity(row, other);
    if (sum > bestSum + 1e-6) [best, bestSum] = [row, sum];
  }
  return best;
}

/** The representative of each group. @param rowsOf rows by group, none of which is empty up to the last */
export function representativesOf(
  { starts, order }: PlacesByNumber,
  table: Pick<CountedTable, "similarity" | "counts" | "phrases">,
): Int32Array {
  const count = placeIn(0, starts.length - 1, (group) => starts[group] < order.length);
  return Int32Array.from({ length: count }, (_, group) => {
    const [from, to] = [starts[group], starts[group + 1]];
    return to - from === 1 ? order[from] : representative(order.subarray(from, to), table);
  });
}
