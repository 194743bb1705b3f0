/** Keeps as many matches of a join by one column as keep a promised precision, judged by two views: its own probabilities, and decoys. */
import { groupBy } from "../by-key.js";
import type { RowMatch } from "../match/compare-tables.js";
import { type Calibration, calibrated } from "../match/estimates/calibrate.js";
import { decoyPairs, decoyPrecision } from "../match/estimates/decoys.js";
import { candidatesOf, evidenceAmong, type Rankings, type RowPair } from "../match/estimates/estimate.js";
import {
  established,
  fewest,
  leastUseful,
  type NarrowerPromise,
  type PrecisionReport,
  refused,
  tooFew,
} from "../match/estimates/promise.js";
import type { RankedRows } from "../match/rank-rows.js";
import { type EstimateWeights, estimateFrom } from "../match/scorer.js";
import type { Decision } from "./one-column/decide.js";
import type { RuledPairs } from "./one-column/ruled-pairs.js";

/** Ranks rows of the left table for other rows of it. */
export interface LeftRanker {
  measureSpacing(rows: Iterable<number>): Promise<Rankings["spacing"]>;
  /** The best `keep` other rows of each. */
  rankLeft(rows: Uint32Array, keep: number): Promise<RankedRows>;
}

/** What probabilities are made from. */
interface Judge extends Pick<LeftRanker, "measureSpacing"> {
  readonly rankings: Rankings;
  /** {@link leftDecoys}, made once. */
  queried(): ReturnType<typeof leftDecoys>;
  readonly estimate: EstimateWeights;
  readonly calibration: Calibration;
  readonly ruled?: Pick<RuledPairs, "settled">;
  /** As `PromiseOptions` have it. */
  allowed(count: number): number;
}

/**
 * How far the mean probability may lie below the promise, as a share of what is left to 1. Probabilities come from other
 * tables and know nothing of how many rows of this one have no partner: they order the pairs, and decoys give the estimate.
 */
const below = 0.5;
/** Mean probabilities in hundredths, from the widest level to the strictest: as far above the promise as they may lie below it. */
const levelsFor = (target: number): number[] =>
  Array.from({ length: 100 }, (_, hundredths) => hundredths / 100).filter(
    (mean) => Math.abs(mean - target) <= below * (1 - target) + 1e-9,
  );
/** The highest promise that a mean probability allows. */
const allowedBy = (meanProbability: number): number => (meanProbability + below) / (1 + below);

interface Judged {
  readonly decision: Decision;
  readonly report: PrecisionReport;
  /** The least mean probability for which the decision was made. */
  readonly meanProbability: number;
}

/**
 * The most matches that keep the promise; where none do, all likely ones, and why it is refused. Of few pairs decoys say
 * little: those whose mean probability keeps it are returned, not established.
 */
export async function keepPromised(
  decide: (meanProbability: number) => Decision,
  target: number,
  judge: Judge,
): Promise<Judged> {
  const judged = async (meanProbability: number, decision = decide(meanProbability)): Promise<Judged> => {
    return { meanProbability, decision, report: await judgedPrecision(decision, target, judge) };
  };
  const likely = decide(0);
  if (likely.unverified.length < fewest) {
    const probable = decide(target);
    return probable.unverified.length > 0 ? judged(target, probable) : judged(0, likely);
  }
  let tried = Infinity;
  let narrower: NarrowerPromise | undefined;
  for (const meanProbability of levelsFor(target)) {
    const decision = decide(meanProbability);
    if (decision.matches.length === tried || decision.unverified.length < fewest) continue;
    tried = decision.matches.length;
    const found = await judged(meanProbability, decision);
    if (found.report.promise.established) return found;
    const precision = Math.min(found.report.estimate, allowedBy(decision.meanProbability));
    if (precision > (narrower?.precision ?? leastUseful)) narrower = narrowerOf(precision, decision);
  }
  const { report, ...found } = await judged(0, likely);
  return { ...found, report: { ...report, promise: { ...report.promise, narrower } } };
}

function narrowerOf(precision: number, { matches }: Decision): NarrowerPromise {
  const leastProbability = matches.reduce((least, { probability }) => Math.min(least, probability), 1);
  return { precision, pairs: matches.length, leastProbability };
}

/** Decoys must keep the promise, and probabilities come near it, unless matches that are known keep it alone. */
async function judgedPrecision(decision: Decision, target: number, judge: Judge): Promise<PrecisionReport> {
  const { matches, unverified, meanProbability } = decision;
  const certain = knownPrecision(matches, unverified, target);
  if (certain !== undefined) return certain;
  const estimates = new Map([["probabilities of the pairs", meanProbability]]);
  const count = unverified.length;
  if (count === 0) return refused(estimates, target, { count }, tooFew(count));
  const decoys = await decoyEstimate(decision, judge);
  estimates.set("rows without their partner", decoys);
  const bound = judge.allowed(matches.length);
  if (bound < 1) estimates.set("pairs drawn at random", bound);
  const estimate = Math.min(decoys, bound);
  if (count < fewest) return refused(estimates, target, { count }, tooFew(count));
  if (estimate >= target && meanProbability >= target - below * (1 - target))
    return established(estimates, target, { count, estimate });
  return refused(estimates, target, { count, estimate }, undefined);
}

/** Established without an estimate: known matches keep the promise even if all others are wrong. Else undefined. */
export function knownPrecision(
  matches: readonly RowMatch[],
  unverified: readonly RowMatch[],
  target: number,
): PrecisionReport | undefined {
  const known = 1 - unverified.length / matches.length;
  if (!(known >= target)) return undefined;
  const likely = unverified.reduce((sum, { probability }) => sum + probability, 0) / matches.length;
  const promise = {
    target,
    established: true,
    reason: `known pairs are ${Math.floor(100 * known)} % of the matches`,
  };
  return { estimate: known + likely, low: known, high: 1, promise };
}

/**
 * Rows without a partner are like neither kind of decoy for certain: the mean of two. One are right rows whose partner is
 * taken away. They had one, and have fewer look-alikes than others.
 */
async function decoyEstimate(decision: Decision, judge: Judge): Promise<number> {
  const { pairs, matches, unverified } = decision;
  const { rankings, measureSpacing, queried, estimate, calibration, ruled } = judge;
  const partners = new Map(
    [...groupBy(unverified, ({ right }) => right)].map(([row, own]) => [row, own.map(({ left }) => left)]),
  );
  const threshold = unverified.reduce((least, { probability }) => Math.min(least, probability), 1);
  const isMatched = (evidence: readonly number[]): boolean =>
    calibrated(estimateFrom(evidence, estimate), calibration) >= threshold;
  const joined = new Set(matches.map(({ right }) => right));
  const counts = { matched: joined.size, unmatched: pairs.length - joined.size - (ruled?.settled ?? 0) };
  const decoys = decoyPairs(rankings, partners);
  const spacing = await measureSpacing(decoys.flatMap(({ pair }) => (pair === undefined ? [] : [pair.left])));
  const evidenceOf = evidenceAmong({ ...rankings, spacing }, pairs);
  const ofRight = decoyPrecision(decoys, (right, pair) => isMatched(evidenceOf(right, pair)), counts);
  const leftEvidence = await queried();
  if (leftEvidence.length === 0) return ofRight;
  const lefts = leftEvidence.map((evidence, right) => ({ right, pair: evidence && noPair }));
  const ofLeft = decoyPrecision(lefts, (row) => isMatched(leftEvidence[row]!), counts);
  return (ofRight + ofLeft) / 2;
}

const noPair: RowPair = { left: -1, score: 0 };

/** Left rows that are queried, and how many of the others are ranked for each, as for a right row. */
const [sampledLeft, rankedLeft, nearestLeft] = [300, 8, 5];

/**
 * The other kind of decoys are left rows: as if one were a right row, what is the evidence for its best other left row? They
 * are different things, so that it is false. Undefined for a row without candidates.
 */
export async function leftDecoys(
  rankings: Omit<Rankings, "spacing">,
  rankLeft: LeftRanker["rankLeft"],
): Promise<(number[] | undefined)[]> {
  const { leftKeys } = rankings;
  const step = Math.max(1, leftKeys.length / sampledLeft);
  const rows = Uint32Array.from({ length: Math.floor(leftKeys.length / step) }, (_, at) =>
    Math.floor(at * step),
  );
  const ranked = await rankLeft(rows, rankedLeft);
  const best = Array.from(rows, (_, at): RowPair | undefined => candidatesOf(ranked, at)[0]);
  const found = Uint32Array.from(new Set(best.flatMap((pair) => pair?.left ?? []))).sort();
  const around = await rankLeft(found, nearestLeft);
  const placeOf = new Map(Array.from(found, (row, place) => [row, place]));
  return best.map((pair, at) => {
    if (pair === undefined) return undefined;
    const near = candidatesOf(around, placeOf.get(pair.left)!).filter(({ left }) => left !== rows[at]);
    const scores = Array.from({ length: 4 }, (_, place) => near[place]?.score ?? -Infinity);
    const queried = { ...rankings, right: ranked, spacing: () => scores };
    return evidenceAmong(queried, [])(at, pair);
  });
}
