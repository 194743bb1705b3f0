/** Numbers of pairs by level of a column, and the weights that follow from their ratios. */
import { missing } from "../evidence/levels.js";
import { total } from "./expected-counts.js";

/**
 * The log-ratio of two distributions over ordinal levels, made monotone: neighbouring levels in the wrong order are
 * pooled, which gives the ratio of greatest likelihood among those that never fall (Barlow et al. 1972, pool adjacent
 * violators).
 */
export function monotoneLogRatio(match: ArrayLike<number>, other: ArrayLike<number>): Float64Array {
  const blocks: { match: number; other: number; levels: number }[] = [];
  for (let level = 0; level < match.length; level++) {
    let block = { match: match[level], other: other[level], levels: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.match * block.other < block.match * last.other) break;
      block = {
        match: last.match + block.match,
        other: last.other + block.other,
        levels: last.levels + block.levels,
      };
      blocks.pop();
    }
    blocks.push(block);
  }
  const weights = new Float64Array(match.length);
  let level = 0;
  for (const block of blocks) {
    const weight = Math.log(block.match / block.other);
    for (let count = 0; count < block.levels; count++) weights[level++] = weight;
  }
  return weights;
}

const strongest = { against: -6, for: 14 };

/** The sum of the numbers of the classes at each level. */
export function byLevel(levels: Int8Array, count: number, ofClass: Float64Array | undefined): Float64Array {
  const sums = new Float64Array(count);
  const classes = ofClass?.length ?? 0;
  for (let place = 0; place < classes; place++)
    if (levels[place] !== missing) sums[levels[place]] += ofClass![place];
  return sums;
}

export function sharesOf(counts: Float64Array): Float64Array {
  const sum = total(counts);
  return counts.map((count) => count / sum);
}

/** The log-ratio of shares, within bounds. @param isMonotone whether it never falls with the level */
export const clampedLogRatio = (
  shares: Float64Array,
  others: Float64Array,
  isMonotone: boolean,
): Float64Array => {
  const ratio = isMonotone
    ? monotoneLogRatio(shares, others)
    : shares.map((share, level) => Math.log(share / others[level]));
  return ratio.map((weight) => Math.min(strongest.for, Math.max(strongest.against, weight)));
};
