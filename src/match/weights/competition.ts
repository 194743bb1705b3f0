/**
 * At most one partner (Sadinle 2017, in a form that is one softmax per row): the candidates of a row and "none" share
 * one unit of probability; where rows of both sides have one partner, the smaller of a pair's two shares counts.
 */
import { type ExpectedCounts, leastOdds } from "./expected-counts.js";
import type { Relation } from "./learn.js";
import { addTo, blockSize, lookUp, type PairBlock, type Probabilities, pairBlocks } from "./pair-blocks.js";
import type { PairTable } from "./pair-table.js";

/** Odds of all pairs of a row have a sum below the largest number. */
const mostLogOdds = 600;

/** What a round computes: two numbers each, of the last round and of this one side by side, since both are asked for together. */
interface RoundNumbers {
  /** The odds of each class. */
  odds: Float64Array;
  /** Of rows that have one partner at most 1 + the odds of their pairs. Undefined on a side whose rows have several partners. */
  readonly left?: Float64Array;
  readonly right?: Float64Array;
}

/** Rows that compete, round by round. The numbers of a round hold until the one after the next begins. */
class Competition {
  readonly #table: PairTable;
  /** The fewest rows of a side whose rows have one partner. */
  readonly #smallest: number;
  readonly #numbers: RoundNumbers;
  #begun = 0;

  constructor(table: PairTable, relation: Relation) {
    const { rows } = table;
    const [isLeftOne, isRightOne] = [relation !== "many-to-one", relation !== "one-to-many"];
    this.#table = table;
    this.#smallest = Math.min(isLeftOne ? rows[0] : Infinity, isRightOne ? rows[1] : Infinity);
    this.#numbers = {
      odds: new Float64Array(0),
      left: isLeftOne ? new Float64Array(2 * rows[0]).fill(1) : undefined,
      right: isRightOne ? new Float64Array(2 * rows[1]).fill(1) : undefined,
    };
  }

  /** @param logOdds of each class @param matches as many as are expected @returns 0 or 1: where the numbers of the round are */
  begin(logOdds: Float64Array, matches: number): number {
    const turn = this.#begun++ % 2;
    const numbers = this.#numbers;
    // Odds against "none": most rows have a partner where most are expected to.
    const shift = -Math.log(Math.max(0.02, 1 - matches / this.#smallest));
    if (numbers.odds.length === 0) numbers.odds = new Float64Array(2 * logOdds.length);
    possibleOdds(logOdds, shift, mostLogOdds).forEach((own, place) => {
      numbers.odds[2 * place + turn] = own;
    });
    for (const ofSide of [numbers.left, numbers.right]) if (ofSide !== undefined) restart(ofSide, turn);
    for (const block of pairBlocks(this.#table)) addOdds(block, numbers, turn);
    return turn;
  }

  /** The probabilities of a round. */
  probabilities(turn: number): Probabilities {
    return (block, into) => shareOut(block, this.#numbers, turn, into);
  }

  /** Counts the matches of a round. @param turn what its beginning returned */
  count(turn: number): ExpectedCounts {
    const matches = new Float64Array(this.#numbers.odds.length / 2);
    const counted = { moved: 0, sum: 0 };
    let [moved, sum] = this.#begun === 1 ? [Infinity, 0] : [0, 0];
    for (const block of pairBlocks(this.#table)) {
      countBlock(block, this.#numbers, turn, matches, counted);
      moved += counted.moved;
      sum += counted.sum;
    }
    return { matches, shares: matches, moved, sum };
  }
}

/**
 * Returns a function that takes the log-odds of each class and the expected number of matches, and gives the probabilities of
 * all pairs, which hold until it has been called twice more.
 */
export function competition(table: PairTable, relation: Relation) {
  const rows = new Competition(table, relation);
  return (logOdds: Float64Array, matches: number): Probabilities =>
    rows.probabilities(rows.begin(logOdds, matches));
}

/** The same, but the function counts the matches of each class, and by how much probabilities have moved since the last call. */
export function competingCounts(table: PairTable, relation: Relation) {
  const rows = new Competition(table, relation);
  return (logOdds: Float64Array, matches: number): ExpectedCounts => rows.count(rows.begin(logOdds, matches));
}

/** The sums of rows without pairs. */
function restart(sums: Float64Array, turn: number): void {
  for (let place = turn; place < sums.length; place += 2) sums[place] = 1;
}

/** Numbers of the pairs of a block, of a round and of the one before. */
const [own, last, most, mostLast] = [0, 1, 2, 3].map(() => new Float64Array(blockSize));

/** Adds the odds of a block's pairs to the sums of their rows. */
function addOdds(block: PairBlock, { odds, left: ofLeft, right: ofRight }: RoundNumbers, turn: number): void {
  const { left, right } = possiblePairs(block, odds, turn);
  if (ofLeft !== undefined) addTurn(ofLeft, left, turn, own);
  if (ofRight !== undefined) addTurn(ofRight, right, turn, own);
}

/** Divides the odds of each pair by the larger sum of its rows. */
function shareOut(
  { left, right, classOf }: PairBlock,
  { odds, left: ofLeft, right: ofRight }: RoundNumbers,
  turn: number,
  into: Float64Array,
): void {
  for (let at = 0; at < classOf.length; at++) {
    const ofPair = odds[2 * classOf[at] + turn];
    let sum = ofLeft === undefined ? 1 : ofLeft[2 * left[at] + turn];
    if (ofRight !== undefined) sum = Math.max(sum, ofRight[2 * right[at] + turn]);
    into[at] = ofPair === 0 ? 0 : ofPair / sum;
  }
}

/**
 * Adds the probabilities of a block's pairs to those of their classes: most of a round's time is spent here. Rows and classes are far
 * apart in memory, and a loop that does no more than look them up waits for many of them at once.
 * @param counted receives the sum of the probabilities, and by how much they have moved
 */
function countBlock(
  block: PairBlock,
  { odds, left: ofLeft, right: ofRight }: RoundNumbers,
  turn: number,
  matches: Float64Array,
  counted: { moved: number; sum: number },
): void {
  const { left, right, classOf } = possiblePairs(block, odds, turn);
  for (const numbers of [most, mostLast]) numbers.fill(1);
  if (ofLeft !== undefined) raiseTurns(ofLeft, left, turn);
  if (ofRight !== undefined) raiseTurns(ofRight, right, turn);
  let [moved, sum] = [0, 0];
  for (let at = 0; at < classOf.length; at++) {
    own[at] /= most[at];
    sum += own[at];
    moved += Math.abs(own[at] - last[at] / mostLast[at]);
  }
  addTo(matches, classOf, own);
  counted.moved = moved;
  counted.sum = sum;
}

const few = {
  left: new Int32Array(blockSize),
  right: new Int32Array(blockSize),
  classOf: new Int32Array(blockSize),
};

/** Looks up the odds of a block's pairs, `own` and `last`. @returns the block, or of one with few possible pairs only these */
function possiblePairs(block: PairBlock, odds: Float64Array, turn: number): Omit<PairBlock, "from"> {
  const { left, right, classOf } = block;
  const { length } = classOf;
  lookUpTurns(odds, classOf, turn);
  let count = 0;
  for (let at = 0; at < length; at++) count += Number(own[at] + last[at] !== 0);
  if (4 * count > length) return block;
  count = 0;
  for (let at = 0; at < length; at++) {
    if (own[at] + last[at] === 0) continue;
    few.left[count] = left[at];
    few.right[count] = right[at];
    few.classOf[count] = classOf[at];
    own[count] = own[at];
    last[count++] = last[at];
  }
  return {
    ...{ left: few.left.subarray(0, count), right: few.right.subarray(0, count) },
    classOf: few.classOf.subarray(0, count),
  };
}

function addTurn(sums: Float64Array, places: Int32Array, turn: number, numbers: Float64Array): void {
  for (let at = 0; at < places.length; at++) sums[2 * places[at] + turn] += numbers[at];
}

/** Looks up the odds of classes, `own` and `last`. */
function lookUpTurns(odds: Float64Array, classOf: Int32Array, turn: number): void {
  const before = 1 - turn;
  for (let at = 0; at < classOf.length; at++) {
    const place = 2 * classOf[at];
    own[at] = odds[place + turn];
    last[at] = odds[place + before];
  }
}

/** Raises `most` and `mostLast` to the sums of rows. */
function raiseTurns(sums: Float64Array, rows: Int32Array, turn: number): void {
  const before = 1 - turn;
  for (let at = 0; at < rows.length; at++) {
    const place = 2 * rows[at];
    most[at] = Math.max(most[at], sums[place + turn]);
    mostLast[at] = Math.max(mostLast[at], sums[place + before]);
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
