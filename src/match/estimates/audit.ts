/**
 * Precision from a random sample of accepted pairs that people judged. No model enters, so it holds where every estimate may be
 * wrong. The pairs are those accepted without answers, so that answers do not choose their own sample.
 */
import { createRandom } from "../../random.js";
import type { RowMatch } from "../compare-tables.js";
import { once } from "../once.js";
import type { DoubtfulPair } from "../review/doubtful.js";
import type { LeftRows } from "../weights/left-rows.js";
import type { Known } from "../weights/pair-table.js";
import { counted, established, type PrecisionReport } from "./promise.js";
import type { PairProbabilities } from "./scored-pairs.js";

/**
 * Chance that the true precision lies below the lower end, and as much that it lies above the upper end, for one look at a
 * sample of fixed size. Answers are looked at one by one: where exactly 90 % of many pairs are right, the whole establishes a
 * promise of 0.9 at some time within 100 answers in 8.7 % of tables (of 89 % in 5.9 %, 87 % in 2.7 %, 85 % in 1.2 %), and the
 * whole or one of four halves, each no better, in 24 % (18, 10 and 5 %; simulated).
 */
const outside = 0.05;
/** Pairs of a sample that are asked about at most. */
const mostAsked = 100;
/** A level of fewer pairs is not sampled on its own. */
const fewest = 50;

/** The share of right pairs in a sample, and between which values that of all pairs lies. */
interface Sample {
  readonly judged: number;
  readonly right: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Pairs that would be accepted. All levels of an audit have the same pairs in the same order. */
export interface SampledLevel {
  readonly table: { readonly left: Pick<LeftRows, "at">; readonly right: ArrayLike<number> };
  readonly probability: PairProbabilities;
  /** The accepted pairs, ascending. */
  readonly accepted: Int32Array;
}

/**
 * The accepted pairs in a random order that depends on the rows alone: a stricter level has the same order. They may be more
 * than a map has room for.
 */
function drawn({ table: { left, right }, accepted }: SampledLevel): Int32Array {
  const place = (pair: number): number => createRandom(Math.imul(left.at(pair)!, 0x9e3779b1) ^ right[pair])();
  const places = Float64Array.from(accepted, place);
  const order = accepted.map((_, index) => index).sort((a, b) => places[a] - places[b] || a - b);
  return order.map((index) => accepted[index]);
}

/** The pairs that are judged up to the first that is not: nobody chose them. */
function sampleOf(order: Int32Array, known: Known): Sample {
  const open = order.findIndex((pair) => !known.has(pair));
  const judged = open < 0 ? order.length : open;
  const right = order.slice(0, judged).reduce((sum, pair) => sum + known.get(pair)!, 0);
  const rest = order.length - judged;
  // Of the judged pairs the right ones stay, and the others are no longer accepted.
  const ofAll = (share: number): number => (right + rest * share) / Math.max(1e-9, right + rest);
  const [low, high] = [binomialBound(right, judged), 1 - binomialBound(judged - right, judged)];
  return {
    ...{ judged, right, estimate: ofAll((right + 1) / (judged + 2)) },
    ...{ low: ofAll(low), high: ofAll(high) },
  };
}

/** The least chance of which `hits` of `draws` are no surprise (Clopper and Pearson 1934). */
export function binomialBound(hits: number, draws: number): number {
  if (hits === 0) return 0;
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const chance = (low + high) / 2;
    const logOdds = Math.log(chance) - Math.log1p(-chance);
    // The probability of fewer hits, from that of none on, which for many draws is too small for a number.
    let [logTerm, fewer] = [draws * Math.log1p(-chance), 0];
    for (let count = 0; count < hits; count++) {
      fewer += Math.exp(logTerm);
      logTerm += Math.log((draws - count) / (count + 1)) + logOdds;
    }
    if (1 - fewer < outside) low = chance;
    else high = chance;
  }
  return low;
}

/** The widest level, and those that have half the pairs of the one before at most, but enough to be worth a promise. */
export function halving<Level extends SampledLevel>(levels: Iterable<Level>): Level[] {
  const size = ({ accepted }: SampledLevel): number => accepted.length;
  const kept: Level[] = [];
  for (const level of levels)
    if (kept.length === 0 || (size(level) >= fewest && size(level) <= size(kept.at(-1)!) / 2))
      kept.push(level);
  return kept;
}

/** Likely pairs are sampled as a whole, and in parts of the better ones down to a sixteenth. */
export const halvings = 5;

/** Levels of likely pairs: all of them, the better half, and so on. */
export function likelyHalves(pairs: readonly RowMatch[]): SampledLevel[] {
  const table = { left: pairs.map(({ left }) => left), right: pairs.map(({ right }) => right) };
  const probability = pairs.map((pair) => pair.probability);
  const order = [...pairs.keys()].sort((a, b) => probability[b] - probability[a] || a - b);
  const better = (count: number): SampledLevel => {
    const accepted = Int32Array.from(order.slice(0, count)).sort();
    return { table, probability, accepted };
  };
  return halving(Array.from({ length: halvings }, (_, times) => better(pairs.length >> times)));
}

/** Samples of several levels, the widest first. */
export interface Audit<Level extends SampledLevel> {
  /** The widest level that its sample confirms; undefined if estimates establish a promise for as many pairs. */
  widest(
    target: number,
    estimated: PrecisionReport,
    count: number,
  ): { readonly level: Level; readonly report: PrecisionReport } | undefined;
  /**
   * What a sample of the `count` likeliest pairs of the widest level allows to promise of as many: at most its upper end, or
   * where answers are to establish what was refused without them, its estimate. 1 without answers.
   */
  allows(count: number, wasRefused: boolean): number;
  /**
   * The pairs to judge next: those of the widest level whose sample may still confirm the target.
   * @param accepted where estimates establish it: of the so many likeliest pairs, whose sample may refute it
   */
  open(target: number, accepted?: number): DoubtfulPair[];
}

/** @param known answers by pair of the levels */
export function auditOf<Level extends SampledLevel>(
  levels: () => readonly Level[],
  known: Known,
): Audit<Level> {
  const sampled = (level: Level) => {
    const order = drawn(level);
    return { level, order, ...sampleOf(order, known) };
  };
  const samples = once(() => levels().map(sampled));
  const sampleOfLikeliest = (count: number) => {
    const [widest] = samples();
    const { accepted, probability } = widest.level;
    if (count >= accepted.length) return widest;
    const order = accepted.toSorted((a, b) => probability.at(b)! - probability.at(a)! || a - b);
    return sampled({ ...widest.level, accepted: order.slice(0, count).sort() });
  };
  return {
    widest: (target, estimated, count) => {
      const found = known.size === 0 ? undefined : samples().find(({ low }) => low >= target);
      if (found === undefined || (estimated.promise.established && found.order.length <= count))
        return undefined;
      const { level, order, judged, right, estimate, low, high } = found;
      const reason = `${right} of ${judged} pairs drawn at random from ${order.length} are right`;
      const report = {
        ...established(new Map([["sample", estimate]]), target, counted(level), reason),
        low,
        high,
      };
      return { level, report };
    },
    allows: (count, wasRefused) => {
      if (known.size === 0) return 1;
      const { estimate, high } = sampleOfLikeliest(count);
      return wasRefused ? estimate : high;
    },
    open: (target, count) => {
      // As long as one more right pair would bring the sample to the target, a level is worth asking about.
      const next =
        count === undefined
          ? samples().find(({ low, right, judged }) => low < target && right + 1 >= target * (judged + 1))
          : sampleOfLikeliest(count);
      if (next === undefined) return [];
      const { level, order } = next;
      const { left, right } = level.table;
      const asked = order.filter((pair) => !known.has(pair)).slice(0, mostAsked);
      return Array.from(asked, (pair) => {
        const probability = level.probability.at(pair)!;
        return { left: left.at(pair)!, right: right[pair], probability, accepted: true };
      });
    },
  };
}

/** Pairs of the audit between those that are worth judging for their gain, each once. */
export function interleaved<Pair extends RowMatch>(
  gains: readonly Pair[],
  audit: readonly Pair[],
  count: number,
): Pair[] {
  const pairs = new Map<string, Pair>();
  for (let place = 0; place < Math.max(gains.length, audit.length) && pairs.size < count; place++)
    for (const pair of [gains[place], audit[place]])
      if (pair !== undefined && pairs.size < count) pairs.set(`${pair.left} ${pair.right}`, pair);
  return [...pairs.values()];
}
