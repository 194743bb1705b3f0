/** One partner per row on both sides: the chance of each pair over all matchings, by belief propagation. */
import { possibleOdds } from "./expected-counts.js";
import { blockSize, lookUp, type PairBlock, pairBlocks } from "./pair-blocks.js";
import type { PairTable } from "./pair-table.js";

/** Rounds of messages: they settle within a few. */
const rounds = 12;
/** Messages are differences of odds, of which the largest must not swallow the others. */
const mostMessageLogOdds = 40;

/**
 * The probability of each pair where every row has one partner at most, by belief propagation (Huang and Jebara 2009): a
 * rival counts less if its other row has a better partner.
 * @param logOdds of each class
 */
export function matchingBeliefs(table: PairTable, logOdds: Float64Array, matches: number): Float64Array {
  const shift = -Math.log(Math.max(0.02, 1 - matches / Math.min(...table.rows)));
  const odds = possibleOdds(logOdds, shift, mostMessageLogOdds);
  // Of each row 1 + the odds of its pairs, each as far as its other row is free.
  const [ofLeft, ofRight] = table.rows.map((rows) => new Float64Array(rows));
  // How free a pair's right row is for it, and in turns its left row.
  const all = new Float64Array(table.right.length).fill(1);
  const own = new Float64Array(blockSize);
  const eachBlock = (visit: (block: PairBlock, free: Float64Array) => void): void => {
    for (const block of pairBlocks(table)) {
      lookUp(odds, block.classOf, own);
      visit(block, all.subarray(block.from, block.from + block.right.length));
    }
  };
  for (let round = 1; round <= rounds; round++) {
    ofLeft.fill(1);
    eachBlock(({ left, right }, free) => {
      if (round > 1) setFree(free, own, ofRight, right);
      addFree(ofLeft, left, own, free);
    });
    ofRight.fill(1);
    eachBlock(({ left, right }, free) => {
      setFree(free, own, ofLeft, left);
      addFree(ofRight, right, own, free);
    });
  }
  eachBlock(({ right }, free) => setBelief(free, own, ofRight, right));
  return all;
}

/** Sets how free the rows of pairs are for them: 1 / (1 + odds of a row's other pairs). */
function setFree(free: Float64Array, odds: Float64Array, sums: Float64Array, rows: Int32Array): void {
  for (let at = 0; at < rows.length; at++)
    if (odds[at] !== 0) free[at] = 1 / Math.max(1, sums[rows[at]] - odds[at] * free[at]);
}

/** Adds to the sums of rows the odds of their pairs as far as these are free. */
function addFree(sums: Float64Array, rows: Int32Array, odds: Float64Array, free: Float64Array): void {
  for (let at = 0; at < rows.length; at++) if (odds[at] !== 0) sums[rows[at]] += odds[at] * free[at];
}

/** Turns what the left rows of pairs say into probabilities. */
function setBelief(free: Float64Array, odds: Float64Array, ofRight: Float64Array, right: Int32Array): void {
  for (let at = 0; at < right.length; at++) {
    const both = (odds[at] * free[at]) / Math.max(1, ofRight[right[at]] - odds[at] * free[at]);
    free[at] = both / (1 + both);
  }
}
