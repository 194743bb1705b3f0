/**
 * At most one partner (Sadinle 2017, in a form that is one softmax per row): the candidates of a row and "none" share
 * one unit of probability; where rows of both sides have one partner, the smaller of a pair's two shares counts.
 */
import { shared } from "../../runtime/shared-array.js";
import { type ExpectedCounts, possibleOdds } from "../weights/expected-counts.js";
import type { Relation } from "../weights/learn.js";
import type { PairBlock, Probabilities } from "../weights/pair-blocks.js";
import { classCount } from "../weights/pair-classes.js";
import type { PairTable } from "../weights/pair-table.js";
import type { RoundNumbers } from "./competing-pairs.js";
import { addAll, type OpenSpans, openSpans, type SpanOptions } from "./spans.js";

/** Odds of all pairs of a row have a sum below the largest number. */
const mostLogOdds = 600;

/** Rows that compete, round by round. */
export class Competition {
  /** The fewest rows of a side whose rows have one partner. */
  readonly #smallest: number;
  readonly #numbers: RoundNumbers;
  #apart: readonly Float64Array[] = [];
  readonly #spans: OpenSpans<"compete">;
  #begun = 0;

  constructor(table: PairTable, relation: Relation, options: SpanOptions = {}) {
    const { rows } = table;
    const [isLeftOne, isRightOne] = [relation !== "many-to-one", relation !== "one-to-many"];
    this.#smallest = Math.min(isLeftOne ? rows[0] : Infinity, isRightOne ? rows[1] : Infinity);
    this.#numbers = {
      odds: shared(Float64Array, 2 * classCount(table)),
      left: isLeftOne ? shared(Float64Array, 2 * rows[0]).fill(1) : undefined,
      right: isRightOne ? shared(Float64Array, 2 * rows[1]).fill(1) : undefined,
    };
    this.#spans = openSpans(
      "compete",
      table,
      (pairs, later) => {
        if (isRightOne) this.#apart = Array.from({ length: later }, () => shared(Float64Array, rows[1]));
        return { pairs, numbers: this.#numbers, apart: this.#apart };
      },
      options,
    );
  }

  /**
   * The probabilities of all pairs, which hold until rounds have been begun twice more.
   * @param logOdds of each class @param matches as many as are expected
   */
  async probabilities(logOdds: Float64Array, matches: number): Promise<Probabilities> {
    const turn = await this.#begin(logOdds, matches);
    return (block, into) => shareOut(block, this.#numbers, turn, into);
  }

  /** The expected matches of each class, and by how much probabilities have moved since the last call. */
  async count(logOdds: Float64Array, matches: number): Promise<ExpectedCounts> {
    const turn = await this.#begin(logOdds, matches);
    const ofClass = new Float64Array(logOdds.length);
    let [moved, sum] = this.#begun === 1 ? [Infinity, 0] : [0, 0];
    for (const { matches: found, movedAndSum } of await this.#spans.each({ step: "count", turn })) {
      addAll(ofClass, found);
      moved += movedAndSum[0];
      sum += movedAndSum[1];
    }
    return { matches: ofClass, shares: ofClass, moved, sum };
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#spans.close();
  }

  /** @returns 0 or 1: where the numbers of the round are */
  async #begin(logOdds: Float64Array, matches: number): Promise<number> {
    const turn = this.#begun++ % 2;
    const { odds, left, right } = this.#numbers;
    // Odds against "none": most rows have a partner where most are expected to.
    const shift = -Math.log(Math.max(0.02, 1 - matches / this.#smallest));
    possibleOdds(logOdds, shift, mostLogOdds).forEach((own, place) => {
      odds[2 * place + turn] = own;
    });
    for (const ofSide of [left, right]) if (ofSide !== undefined) restart(ofSide, turn);
    for (const ofSpan of this.#apart) ofSpan.fill(0);
    await this.#spans.each({ step: "add", turn });
    if (right !== undefined)
      for (const ofSpan of this.#apart)
        for (let row = 0; row < ofSpan.length; row++) right[2 * row + turn] += ofSpan[row];
    return turn;
  }
}

/** The sums of rows without pairs. */
function restart(sums: Float64Array, turn: number): void {
  for (let place = turn; place < sums.length; place += 2) sums[place] = 1;
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
