/** Rounds of rows that compete, over some of their pairs: what one thread does of a round. */
import { addTo, blockSize, type PairBlock, pairBlocks } from "../weights/pair-blocks.js";
import { type PassedPairs, received, type Span } from "./passed-pairs.js";

/** What a round computes: two numbers each, of the last round and of this one side by side, since both are asked for together. */
export interface RoundNumbers {
  /** The odds of each class. */
  readonly odds: Float64Array;
  /** Of rows that have one partner at most 1 + the odds of their pairs. Undefined on a side whose rows have several partners. */
  readonly left?: Float64Array;
  readonly right?: Float64Array;
}

export interface CompetingSettings {
  readonly pairs: PassedPairs;
  readonly numbers: RoundNumbers;
  /** For each span but the first, the sums of right rows over its pairs. */
  readonly apart: readonly Float64Array[];
}

/** A step of a round over the pairs of one span. */
export interface CompetingPart extends Span {
  /** Add the odds of pairs to the sums of their rows, or count by these the matches of each class. */
  readonly step: "add" | "count";
  /** 0 or 1: where the numbers of the round are. */
  readonly turn: number;
}

/** Empty unless matches were counted. */
export interface CountedSpan {
  /** Of each class. */
  readonly matches: Float64Array;
  /** By how much probabilities have moved, and their sum. */
  readonly movedAndSum: Float64Array;
}

export function openCompeting({ pairs: passed, numbers, apart }: CompetingSettings) {
  const pairs = received(passed);
  return ({ step, turn, span, from, to }: CompetingPart): CountedSpan => {
    const classes = step === "count" ? numbers.odds.length / 2 : 0;
    const counted = { matches: new Float64Array(classes), movedAndSum: new Float64Array(2) };
    for (const block of pairBlocks(pairs, from, to))
      if (step === "count") countBlock(block, numbers, turn, counted);
      else addOdds(block, numbers, turn, apart[span - 1]);
    return counted;
  };
}

/** Numbers of the pairs of a block, of a round and of the one before. */
const [own, last, most, mostLast] = [0, 1, 2, 3].map(() => new Float64Array(blockSize));

/** Adds the odds of a block's pairs to the sums of their rows. @param apart if given, takes those of right rows */
function addOdds(
  block: PairBlock,
  { odds, left: ofLeft, right: ofRight }: RoundNumbers,
  turn: number,
  apart: Float64Array | undefined,
): void {
  const { left, right } = possiblePairs(block, odds, turn);
  if (ofLeft !== undefined) addTurn(ofLeft, left, turn, own);
  if (apart !== undefined) addTo(apart, right, own);
  else if (ofRight !== undefined) addTurn(ofRight, right, turn, own);
}

/**
 * Adds the probabilities of a block's pairs to those of their classes: most of a round's time is spent here. Rows and classes are far
 * apart in memory, and a loop that does no more than look them up waits for many of them at once.
 */
function countBlock(
  block: PairBlock,
  { odds, left: ofLeft, right: ofRight }: RoundNumbers,
  turn: number,
  { matches, movedAndSum }: CountedSpan,
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
  movedAndSum[0] += moved;
  movedAndSum[1] += sum;
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
