/**
 * At most one partner (Sadinle 2017, in a form that is one softmax per row): the candidates of a row and "none" share
 * one unit of probability; where rows of both sides have one partner, the smaller of a pair's two shares counts.
 */
import { shared } from "../../runtime/shared-array.js";
import { type OpenParts, openParts, type PartOptions } from "../parts/in-parts.js";
import type { CompetingPart, CountedSpan, PassedPairs, RoundNumbers } from "./competing-pairs.js";
import { type ExpectedCounts, possibleOdds } from "./expected-counts.js";
import type { Relation } from "./learn.js";
import { SortedRows } from "./left-rows.js";
import type { PairBlock, Probabilities } from "./pair-blocks.js";
import { classCount } from "./pair-classes.js";
import type { PairTable } from "./pair-table.js";

/** Odds of all pairs of a row have a sum below the largest number. */
const mostLogOdds = 600;

/** Pairs from which there is one more span: the bits of sums depend on spans, which must not depend on threads. */
const pairsPerSpan = 8_000_000;
const mostSpans = 4;

export interface CompetitionOptions extends Pick<PartOptions, "threads" | "signal"> {
  /** Ranges of pairs that threads can share. Default: by the number of pairs. */
  readonly spans?: number;
}

/** Rows that compete, round by round. */
export class Competition {
  /** The fewest rows of a side whose rows have one partner. */
  readonly #smallest: number;
  readonly #numbers: RoundNumbers;
  /** The first pair of each span, and the end of the last. */
  readonly #bounds: readonly number[];
  readonly #apart: readonly Float64Array[];
  readonly #parts: OpenParts<"compete">;
  readonly #signal: AbortSignal | undefined;
  #begun = 0;

  constructor(table: PairTable, relation: Relation, { threads, signal, spans }: CompetitionOptions = {}) {
    const { rows } = table;
    const [isLeftOne, isRightOne] = [relation !== "many-to-one", relation !== "one-to-many"];
    this.#smallest = Math.min(isLeftOne ? rows[0] : Infinity, isRightOne ? rows[1] : Infinity);
    this.#numbers = {
      odds: shared(Float64Array, 2 * classCount(table)),
      left: isLeftOne ? shared(Float64Array, 2 * rows[0]).fill(1) : undefined,
      right: isRightOne ? shared(Float64Array, 2 * rows[1]).fill(1) : undefined,
    };
    this.#bounds = spanBounds(table, spans);
    const later = isRightOne ? this.#bounds.length - 2 : 0;
    this.#apart = Array.from({ length: later }, () => shared(Float64Array, rows[1]));
    const pairs = passed(table);
    const settings = { pairs, numbers: this.#numbers, apart: this.#apart };
    const own = canBeShared(pairs) ? threads : 1;
    this.#parts = openParts("compete", settings, { threads: own, itemsPerThread: 1 });
    this.#signal = signal;
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
    for (const { matches: found, movedAndSum } of await this.#eachSpan("count", turn)) {
      addAll(ofClass, found);
      moved += movedAndSum[0];
      sum += movedAndSum[1];
    }
    return { matches: ofClass, shares: ofClass, moved, sum };
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#parts.close();
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
    await this.#eachSpan("add", turn);
    if (right !== undefined)
      for (const ofSpan of this.#apart)
        for (let row = 0; row < ofSpan.length; row++) right[2 * row + turn] += ofSpan[row];
    return turn;
  }

  /** What is found of each span, in their order. */
  async #eachSpan(step: CompetingPart["step"], turn: number): Promise<CountedSpan[]> {
    const found: CountedSpan[] = [];
    const work = {
      total: this.#bounds.length - 1,
      partAt: (span: number): CompetingPart => {
        return { step, turn, span, from: this.#bounds[span], to: this.#bounds[span + 1] };
      },
      take: (ofSpan: CountedSpan, span: number) => {
        found[span] = ofSpan;
      },
    };
    await this.#parts.run(work, { signal: this.#signal });
    return found;
  }
}

/** Spans of which no two have pairs of one left row. */
function spanBounds({ left }: PairTable, wanted = Math.ceil(left.length / pairsPerSpan)): number[] {
  const isSorted = left instanceof SortedRows && left.starts !== undefined;
  const spans = isSorted ? Math.max(1, Math.min(mostSpans, wanted)) : 1;
  const bounds = Array.from({ length: spans + 1 }, (_, span) => Math.floor((span * left.length) / spans));
  return bounds.map((bound) => {
    let pair = bound;
    while (pair > 0 && pair < left.length && left.at(pair) === left.at(pair - 1)) pair++;
    return pair;
  });
}

/** What a message takes of a table's pairs. */
function passed({ left, right, classOf }: PairTable): PassedPairs {
  const starts = left instanceof SortedRows ? left.starts : undefined;
  return { left: starts ?? left.slice(0, left.length), right, classOf };
}

/** Whether a message takes no copy of them. */
const canBeShared = ({ left, right, classOf }: PassedPairs): boolean =>
  [left, right, classOf].every(({ buffer }) => !(buffer instanceof ArrayBuffer));

/** The sums of rows without pairs. */
function restart(sums: Float64Array, turn: number): void {
  for (let place = turn; place < sums.length; place += 2) sums[place] = 1;
}

function addAll(sums: Float64Array, numbers: Float64Array): void {
  for (let at = 0; at < sums.length; at++) sums[at] += numbers[at];
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
