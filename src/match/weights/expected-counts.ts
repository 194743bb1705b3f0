/** How many matches each class of pairs is expected to have: what weights are learned from. */
import { addTo, blockSize, lookUp, type PairBlock, type Probabilities, pairBlocks } from "./pair-blocks.js";
import { classCount, classSizes } from "./pair-classes.js";
import type { PairTable } from "./pair-table.js";

/** Probabilities of all pairs. */
export interface Posteriors {
  /** Of being a match. */
  readonly match: Probabilities;
  /** Of being related without being a match; undefined where rows have one partner. */
  readonly related?: Probabilities;
}

/** The same where all pairs of a class have the same probability. */
export interface ClassPosteriors {
  readonly match: Float64Array;
  readonly related: Float64Array;
}

/** Expected numbers of each class. */
export interface ExpectedCounts {
  readonly matches: Float64Array;
  /** Matches, each divided by how many partners its rows have. */
  readonly shares: Float64Array;
  readonly related?: Float64Array;
  /** By how much probabilities have moved, and their sum. */
  readonly moved: number;
  readonly sum: number;
}

/**
 * Pairs below these odds are taken for impossible: most pairs of large tables, whose rows then need not be looked up. A billion
 * of them would be one match.
 */
export const leastOdds = 1e-9;

/** Where learning starts: there are no probabilities from which these have moved. */
export function expectedCounts(table: PairTable, { match, related }: Posteriors): ExpectedCounts {
  const matches = expectedOf(table, match);
  const start = { matches, moved: Infinity, sum: total(matches) };
  if (related === undefined) return { ...start, shares: matches };
  return { ...start, shares: sharesOf(table, match), related: expectedOf(table, related) };
}

/** The sum of the probabilities of each class. */
export function expectedOf(table: PairTable, probabilities: Probabilities): Float64Array {
  const sums = new Float64Array(classCount(table));
  const own = new Float64Array(blockSize);
  for (const block of pairBlocks(table)) {
    probabilities(block, own);
    addTo(sums, block.classOf, own);
  }
  return sums;
}

export function expectedOfClasses(
  table: PairTable,
  { match, related }: ClassPosteriors,
  before?: ClassPosteriors,
): ExpectedCounts {
  const sizes = classSizes(table);
  const counted = (probabilities: Float64Array): Float64Array =>
    probabilities.map((probability, place) => probability * sizes[place]);
  const matches = counted(match);
  const moved = before && total(counted(match.map((value, place) => Math.abs(value - before.match[place]))));
  const likely = match.map((probability) => (probability < leastOdds ? 0 : probability));
  const ofLikely = sharesOf(table, ({ classOf }, into) => lookUp(likely, classOf, into));
  return {
    ...{ matches, related: counted(related), moved: moved ?? Infinity, sum: total(matches) },
    shares: ofLikely.map((share, place) => (likely[place] === 0 ? matches[place] : share)),
  };
}

/**
 * Expected matches of each class, each pair divided by how many partners its rows have: a group of 30 rows has 435 pairs, which
 * would outvote a hundred groups of two.
 */
function sharesOf(table: PairTable, match: Probabilities): Float64Array {
  const ofLeft = new Float64Array(table.rows[0]);
  const ofRight = table.isOneTable ? ofLeft : new Float64Array(table.rows[1]);
  const shares = new Float64Array(classCount(table));
  const own = new Float64Array(blockSize);
  for (const block of pairBlocks(table)) {
    match(block, own);
    addTo(ofLeft, block.left, own);
    addTo(ofRight, block.right, own);
  }
  for (const block of pairBlocks(table)) {
    match(block, own);
    divide(own, block, ofLeft, ofRight);
    addTo(shares, block.classOf, own);
  }
  return shares;
}

function divide(
  own: Float64Array,
  { left, right }: PairBlock,
  ofLeft: Float64Array,
  ofRight: Float64Array,
): void {
  for (let at = 0; at < left.length; at++)
    if (own[at] !== 0) own[at] /= Math.sqrt(Math.max(1, ofLeft[left[at]]) * Math.max(1, ofRight[right[at]]));
}

export function total(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
