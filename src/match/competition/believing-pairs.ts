/** Messages between rows that have one partner, over some of their pairs: what one thread does of a round. */
import { blockSize, lookUp, type PairBlock, pairBlocks } from "../weights/pair-blocks.js";
import { type PassedPairs, received, type Span } from "./passed-pairs.js";

export interface BelievingSettings {
  readonly pairs: PassedPairs;
  /** Of each class. */
  readonly odds: Float64Array;
  /** Of each row 1 + the odds of its pairs, each as far as its other row is free. */
  readonly left: Float64Array;
  readonly right: Float64Array;
  /** For each span but the first, what its pairs add to right rows. */
  readonly apart: readonly Float64Array[];
  /** How free a pair's right row is for it, and in turns its left row; in the end the probability of each pair. */
  readonly free: Float64Array;
}

export interface BelievingPart extends Span {
  /** Add what pairs say to the sums of left rows, first when all rows are free, or of right rows; or end with beliefs. */
  readonly step: "first left" | "left" | "right" | "believe";
}

export function openBelieving({ pairs: passed, odds, left, right, apart, free: all }: BelievingSettings) {
  const pairs = received(passed);
  const own = new Float64Array(blockSize);
  const visit = (step: BelievingPart["step"], block: PairBlock, free: Float64Array, later?: Float64Array) => {
    if (step === "believe") return setBelief(free, own, right, block.right);
    if (step === "right") {
      setFree(free, own, left, block.left);
      return addFree(later ?? right, block.right, own, free);
    }
    if (step === "left") setFree(free, own, right, block.right);
    return addFree(left, block.left, own, free);
  };
  return ({ step, span, from, to }: BelievingPart): Readonly<Record<string, never>> => {
    for (const block of pairBlocks(pairs, from, to)) {
      lookUp(odds, block.classOf, own);
      visit(step, block, all.subarray(block.from, block.from + block.right.length), apart[span - 1]);
    }
    return {};
  };
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
