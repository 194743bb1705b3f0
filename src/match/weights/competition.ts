/**
 * At most one partner (Sadinle 2017, in a form that is one softmax per row): the candidates of a row and "none" share
 * one unit of probability; where rows of both sides have one partner, the smaller of a pair's two shares counts.
 */
import { leastOdds } from "./expected-counts.js";
import type { Relation } from "./learn.js";
import { blockSize, lookUp, type PairBlock, type Probabilities, pairBlocks } from "./pair-blocks.js";
import type { PairTable } from "./pair-table.js";

/** Odds of all pairs of a row have a sum below the largest number. */
const mostLogOdds = 600;

/**
 * Of rows that have one partner at most 1 + the odds of their pairs, as they were last and as they are now, side by side: both
 * are asked for together. Undefined on a side whose rows have several partners.
 */
interface RowSums {
  readonly left?: Float64Array;
  readonly right?: Float64Array;
}

/**
 * Returns a function that takes the log-odds of each class and the expected number of matches, and gives the probabilities of
 * all pairs, which hold until it has been called twice more.
 */
export function competition(table: PairTable, relation: Relation) {
  const { rows } = table;
  const [isLeftOne, isRightOne] = [relation !== "many-to-one", relation !== "one-to-many"];
  const smallest = Math.min(isLeftOne ? rows[0] : Infinity, isRightOne ? rows[1] : Infinity);
  const sums: RowSums = {
    left: isLeftOne ? new Float64Array(2 * rows[0]) : undefined,
    right: isRightOne ? new Float64Array(2 * rows[1]) : undefined,
  };
  const ofBlock = new Float64Array(blockSize);
  let calls = 0;
  return (logOdds: Float64Array, matches: number): Probabilities => {
    // Odds against "none": most rows have a partner where most are expected to.
    const shift = -Math.log(Math.max(0.02, 1 - matches / smallest));
    const odds = possibleOdds(logOdds, shift, mostLogOdds);
    const turn = calls++ % 2;
    for (const ofSide of [sums.left, sums.right]) if (ofSide !== undefined) restart(ofSide, turn);
    for (const { left, right, classOf } of pairBlocks(table)) {
      lookUp(odds, classOf, ofBlock);
      if (sums.left !== undefined) addOdds(sums.left, left, ofBlock, turn);
      if (sums.right !== undefined) addOdds(sums.right, right, ofBlock, turn);
    }
    return (block, into) => {
      lookUp(odds, block.classOf, into);
      divide(into, block, sums, turn);
    };
  };
}

/** The sums of rows without pairs. */
function restart(sums: Float64Array, turn: number): void {
  for (let place = turn; place < sums.length; place += 2) sums[place] = 1;
}

function addOdds(sums: Float64Array, rows: Int32Array, odds: Float64Array, turn: number): void {
  for (let at = 0; at < rows.length; at++) if (odds[at] !== 0) sums[2 * rows[at] + turn] += odds[at];
}

/** Divides odds by the larger sum of a pair's rows. */
function divide(odds: Float64Array, { left, right }: PairBlock, sums: RowSums, turn: number): void {
  const { left: ofLeft, right: ofRight } = sums;
  for (let at = 0; at < left.length; at++) {
    if (odds[at] === 0) continue;
    const most = ofLeft === undefined ? 1 : ofLeft[2 * left[at] + turn];
    odds[at] /= ofRight === undefined ? most : Math.max(most, ofRight[2 * right[at] + turn]);
  }
}

/** The odds of each class, 0 where they are taken for impossible. */
const possibleOdds = (logOdds: Float64Array, shift: number, most: number): Float64Array =>
  logOdds.map((value) => {
    const own = Math.exp(Math.min(most, value + shift));
    return own < leastOdds ? 0 : own;
  });

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
