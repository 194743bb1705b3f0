/**
 * How likely a match is right, without labels: from the spacing of a table that is nearly free of duplicates
 * (Li et al., "Auto-FuzzyJoin: Auto-Program Fuzzy Similarity Joins Without Labeled Examples", SIGMOD 2021).
 *
 * A row matched at distance t lies in the ball of radius t around it; other rows of the table within 2t of the
 * matched row could have been meant as well, since distances obey the triangle inequality.
 */
import { ArgumentError } from "../errors.js";

/**
 * Estimated precision of one match: 1 / (1 + rows of the reference table within `reach` × distance of the matched
 * row).
 *
 * @param distance of the match, at least 0
 * @param neighbours distances from the matched row to other rows of its own table, in any order; rows farther
 *   than reach × distance may be left out
 * @param options.reach default 2, as published
 */
export function spacingPrecision(
  distance: number,
  neighbours: ArrayLike<number>,
  { reach = 2 }: { readonly reach?: number } = {},
): number {
  const radius = reach * distance;
  let within = 0;
  for (let index = 0; index < neighbours.length; index++) if (neighbours[index] <= radius) within++;
  return 1 / (1 + within);
}

/** What can be kept under a promised precision. */
export interface PromisedMatches {
  /** Positions of the kept matches among the estimates, most certain first. */
  readonly kept: Int32Array;
  /** Mean estimate of the kept ones; 1 where none is kept. */
  readonly estimatedPrecision: number;
  /** The lowest estimate kept; Infinity where none is. */
  readonly threshold: number;
}

/**
 * The most matches whose mean estimated precision meets the promise: certain ones pay for doubtful ones. Equal
 * estimates are kept together or not at all.
 *
 * @param estimates precision of each match, from 0 to 1; NaN and numbers at or below the floor are never kept
 * @param options.target the promised mean, from 0 to 1
 * @param options.floor default 0: how doubtful a single match may be although the mean would bear it
 */
export function keepPromise(
  estimates: ArrayLike<number>,
  { target, floor = 0 }: { readonly target: number; readonly floor?: number },
): PromisedMatches {
  if (!(target >= 0 && target <= 1)) throw new ArgumentError(`target must be between 0 and 1, not ${target}`);
  const order = Array.from({ length: estimates.length }, (_, index) => index)
    .filter((index) => estimates[index] > floor)
    .sort((a, b) => estimates[b] - estimates[a] || a - b);
  let sum = 0;
  let best = { count: 0, mean: 1 };
  order.forEach((index, position) => {
    sum += estimates[index];
    const count = position + 1;
    if (count < order.length && estimates[order[count]] === estimates[index]) return;
    // The mean of sorted estimates only falls: what meets the promise is a prefix.
    if (sum / count + 1e-12 >= target) best = { count, mean: sum / count };
  });
  const kept = Int32Array.from(order.slice(0, best.count));
  return {
    kept,
    estimatedPrecision: best.mean,
    threshold: best.count > 0 ? estimates[kept[best.count - 1]] : Infinity,
  };
}
