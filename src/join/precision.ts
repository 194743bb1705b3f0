/** Judges the precision of a join by one column from two views: its own probabilities, and decoys. */
import { type Calibration, calibrated } from "../match/estimates/calibrate.js";
import { decoyPairs, decoyPrecision } from "../match/estimates/decoys.js";
import { evidenceAmong, type Rankings } from "../match/estimates/estimate.js";
import { established, type PrecisionReport, refused } from "../match/estimates/promise.js";
import { groupBy } from "../match/group-by.js";
import { type EstimateWeights, estimateFrom } from "../match/scorer.js";
import type { Decision } from "./decide.js";
import type { RowMatch } from "./match-tables.js";

/** What probabilities are made from. */
interface Judge {
  readonly rankings: Rankings;
  measureSpacing(rows: Iterable<number>): Promise<Rankings["spacing"]>;
  readonly estimate: EstimateWeights;
  readonly calibration: Calibration;
}

/**
 * With fewer unverified matches, the measured precision strays from its expected value by more than .055 (one standard
 * deviation at .9): no estimate could promise it.
 */
const fewest = 30;

/** Both views must reach the promise, unless matches that are known keep it alone. */
export async function judgedPrecision(
  decision: Decision,
  target: number,
  judge: Judge,
): Promise<PrecisionReport> {
  const { matches, unverified, meanProbability, isReached } = decision;
  const certain = knownPrecision(matches, unverified, target);
  if (certain !== undefined) return certain;
  const estimates = new Map([["probabilities of the pairs", meanProbability]]);
  if (unverified.length > 0)
    estimates.set("rows without their partner", await decoyEstimate(decision, judge));
  const few =
    matches.length === 0
      ? "no pair is likely"
      : unverified.length < fewest
        ? `only ${unverified.length} ${unverified.length === 1 ? "pair is" : "pairs are"} likely: too few to estimate from`
        : undefined;
  const isEnough = isReached && Math.min(...estimates.values()) >= target;
  if (isEnough && few === undefined) return established(estimates, target);
  return refused(estimates, target, few);
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

async function decoyEstimate(
  { pairs, matches, unverified }: Decision,
  { rankings, measureSpacing, estimate, calibration }: Judge,
): Promise<number> {
  const partners = new Map(
    [...groupBy(unverified, ({ right }) => right)].map(([row, own]) => [row, own.map(({ left }) => left)]),
  );
  const decoys = decoyPairs(rankings, partners);
  const spacing = await measureSpacing(decoys.flatMap(({ pair }) => (pair === undefined ? [] : [pair.left])));
  const evidenceOf = evidenceAmong({ ...rankings, spacing }, pairs);
  const threshold = unverified.reduce((least, { probability }) => Math.min(least, probability), 1);
  const joined = new Set(matches.map(({ right }) => right));
  return decoyPrecision(
    decoys,
    (right, pair) => calibrated(estimateFrom(evidenceOf(right, pair), estimate), calibration) >= threshold,
    { matched: joined.size, unmatched: pairs.length - joined.size },
  );
}
