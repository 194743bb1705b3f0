/**
 * At most one partner (Sadinle 2017, in a form that is one softmax per row): the candidates of a row and "none" share
 * one unit of probability; where rows of both sides have one partner, the smaller of a pair's two shares counts.
 */
import type { Relation } from "./learn.js";
import { competingSides, type PairsByRow, type PairTable, pairsByRow } from "./pair-table.js";

/** Returns a function that fills the probabilities from log-odds and the expected number of matches. */
export function competition(table: PairTable, relation: Relation) {
  const sides = competingSides(table, relation);
  const smallest = Math.min(...sides.map(({ rows }) => rows));
  const pairs = sides.map(({ rowOf, rows }) => pairsByRow(rowOf, rows));
  return (logOdds: Float64Array, matches: number, probability: Float64Array): void => {
    // Odds against "none": most rows have a partner where most are expected to.
    const shift = -Math.log(Math.max(0.02, 1 - matches / smallest));
    probability.fill(1);
    for (const side of pairs) shareOut(side, logOdds, shift, probability);
  };
}

function shareOut(
  { starts, order }: PairsByRow,
  logOdds: Float64Array,
  shift: number,
  probability: Float64Array,
): void {
  for (let row = 0; row + 1 < starts.length; row++) {
    let highest = 0;
    for (let place = starts[row]; place < starts[row + 1]; place++)
      highest = Math.max(highest, logOdds[order[place]] + shift);
    let sum = Math.exp(-highest);
    for (let place = starts[row]; place < starts[row + 1]; place++)
      sum += Math.exp(logOdds[order[place]] + shift - highest);
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      const pair = order[place];
      const share = Math.exp(logOdds[pair] + shift - highest) / sum;
      if (share < probability[pair]) probability[pair] = share;
    }
  }
}

/** Rounds of messages: they settle within a few. */
const rounds = 12;

/**
 * The probability of each pair where every row has one partner at most, by belief propagation (Huang and Jebara 2009): a
 * rival counts less if its other row has a better partner.
 */
export function matchingBeliefs(
  { left, right, rows }: PairTable,
  logOdds: Float64Array,
  matches: number,
): Float64Array {
  const shift = -Math.log(Math.max(0.02, 1 - matches / Math.min(rows[0], rows[1])));
  const odds = logOdds.map((value) => Math.exp(Math.min(40, value + shift)));
  const [ofLeft, ofRight] = [pairsByRow(left, rows[0]), pairsByRow(right, rows[1])];
  // How free a pair's left, and right, row is for it.
  const freeLeft = new Float64Array(odds.length).fill(1);
  const freeRight = new Float64Array(odds.length).fill(1);
  for (let round = 0; round < rounds; round++) {
    freedom(ofLeft, odds, freeRight, freeLeft);
    freedom(ofRight, odds, freeLeft, freeRight);
  }
  return odds.map((value, pair) => {
    const free = value * freeLeft[pair] * freeRight[pair];
    return free / (1 + free);
  });
}

/** 1 / (1 + odds of the row's other pairs, each as far as its other row is free). */
function freedom(
  { starts, order }: PairsByRow,
  odds: Float64Array,
  other: Float64Array,
  out: Float64Array,
): void {
  for (let row = 0; row + 1 < starts.length; row++) {
    let sum = 1;
    for (let place = starts[row]; place < starts[row + 1]; place++)
      sum += odds[order[place]] * other[order[place]];
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      const pair = order[place];
      out[pair] = 1 / Math.max(1, sum - odds[pair] * other[pair]);
    }
  }
}
