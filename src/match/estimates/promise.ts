/**
 * Accepts as many pairs as keep a promised precision. Several estimates from different evidence must agree: the smallest
 * decides. Where it does not reach the promise, the promise is refused with a reason, and the likely pairs are returned as
 * not verified.
 */

import { formatCount } from "../../files/count-text.js";
import { opposition } from "../evidence/across-columns.js";
import { nameContradictions } from "../weights/near-mates.js";
import {
  answeredPrecision,
  heldOutAccepted,
  heldOutPrecision,
  leftOutPrecision,
  rivalPrecision,
} from "./estimators.js";
import { posteriorPrecision, type ScoredPairs } from "./scored-pairs.js";

/** Whether a precision can be promised. */
export interface PromiseReport {
  /** The precision asked for. */
  readonly target: number;
  readonly established: boolean;
  /** One sentence: what the estimates rest on, or why they cannot be trusted. */
  readonly reason: string;
  /** Of a refused promise: the likely pairs whose precision is established highest. Undefined where none is above one half. */
  readonly narrower?: NarrowerPromise;
}

/** The best of the likely pairs, and the precision that is established for them. */
export interface NarrowerPromise {
  readonly precision: number;
  readonly pairs: number;
  /** Less likely pairs are not among them. Undefined for pairs of rows within groups. */
  readonly leastProbability?: number;
}

/** How precise a result is by its own estimates, 0 to 1. */
export interface PrecisionReport {
  /** The estimate that decides: the smallest of several columns' estimates, that of decoys for one column. */
  readonly estimate: number;
  /** What others lie above it, the truth may lie below it. */
  readonly low: number;
  readonly high: number;
  readonly promise: PromiseReport;
}

export interface PromiseOptions<Level extends ScoredPairs> {
  readonly target: number;
  /** Levels from the widest to the strictest, made when asked for. */
  readonly levels: Iterable<Level>;
  /** The level to return if the promise is refused. */
  readonly fallback: () => Level;
  /** A reason to refuse whatever the estimates say. */
  readonly doubt?: string;
  /** What pairs that were drawn at random and judged allow to promise of so many pairs. */
  readonly allowed?: (count: number) => number;
}

/** Fewer accepted pairs are too few to estimate from: of so many the measured share strays by .055 at .9 (one deviation). */
export const fewest = 30;
/** The lower end of the range may lie so far below what is promised. */
const tolerance = 0.02;
/** A precision that is established lower is of no use. */
export const leastUseful = 0.5;

/** The widest level that keeps the promise. Where none does, the likely pairs, and which of them keep most. */
export function keepPrecision<Level extends ScoredPairs>({
  target,
  levels,
  fallback,
  doubt,
  allowed = () => 1,
}: PromiseOptions<Level>): { level: Level; report: PrecisionReport } {
  let narrower: NarrowerPromise | undefined;
  if (doubt === undefined) {
    for (const level of levels) {
      const { length: count } = level.accepted;
      if (count < fewest) break;
      if (veto(level) !== undefined) continue;
      const estimates = precisionEstimates(level);
      const evidence = restingOn(level, estimates);
      const precision = Math.min(range(estimates, evidence).low + tolerance, allowed(count));
      if (precision >= target) return { level, report: established(estimates, target, evidence) };
      if (precision > (narrower?.precision ?? leastUseful)) narrower = { precision, ...described(level) };
    }
  }
  const level = fallback();
  const { length: count } = level.accepted;
  const estimates = precisionEstimates(level);
  const [found, drawn] = [veto(level), allowed(count)];
  if (found !== undefined) estimates.set("contradictions", 1 - found.strength);
  if (drawn < target) estimates.set("pairs drawn at random", drawn);
  const few = count < fewest ? tooFew(count) : undefined;
  const report = refused(estimates, target, restingOn(level, estimates), doubt ?? found?.reason ?? few);
  return { level, report: { ...report, promise: { ...report.promise, narrower } } };
}

const described = ({ accepted, leastProbability }: ScoredPairs): Omit<NarrowerPromise, "precision"> => {
  return { pairs: accepted.length, leastProbability };
};

/** How many pairs a level accepts, as reports take it. */
export const counted = ({ accepted }: Pick<ScoredPairs, "accepted">): Counted => ({ count: accepted.length });

/** On how many pairs the estimates of a level rest: those that it accepts, or would accept of the judged ones that were held out. */
function restingOn(level: ScoredPairs, estimates: ReadonlyMap<string, number>): Counted {
  if (!level.isTaught) return counted(level);
  return { count: heldOutAccepted(level).count, estimate: Math.min(...estimates.values()) };
}

/** Why so many likely pairs establish nothing. */
export const tooFew = (count: number): string =>
  count === 0
    ? "no pair is likely"
    : `only ${count === 1 ? "1 pair is" : `${count} pairs are`} likely: too few to estimate from`;

/**
 * Share of pairs with contradicting names from which groups are families, or pairs siblings. Names of two tables are often written
 * with other common words; so only codes, rare words and opposites count where rows have one partner.
 */
const mostContradictions = { several: 0.25, one: 0.75 };

/** What speaks against pairs being the same, whatever the estimates are: undefined if nothing does. */
export function veto(pairs: ScoredPairs): { reason: string; strength: number } | undefined {
  if (pairs.isTaught) return undefined;
  const isOne = pairs.relation === "one-to-one";
  const strength = nameContradictions(
    pairs.table,
    pairs.accepted,
    isOne ? opposition.common : opposition.none,
  );
  if (strength <= mostContradictions[isOne ? "one" : "several"]) return undefined;
  const percent = Math.round(100 * strength);
  return {
    strength,
    reason: `in ${percent} % of the likely pairs each name has words that the other row lacks`,
  };
}

const heldOut = "judged pairs held out";

/** Estimates by what they rest on. */
export function precisionEstimates(pairs: ScoredPairs): Map<string, number> {
  if (pairs.isTaught) return new Map([[heldOut, heldOutPrecision(pairs)]]);
  const estimates = new Map([["column weights", posteriorPrecision(pairs)]]);
  const leftOut = leftOutPrecision(pairs);
  if (leftOut !== undefined) estimates.set("columns left out", leftOut);
  if (pairs.relation !== "many-to-many") estimates.set("rows without a partner", rivalPrecision(pairs));
  // The weights of the columns have taken the answers in already.
  for (const [name, value] of estimates)
    if (name !== "column weights") estimates.set(name, answeredPrecision(pairs, value));
  return new Map([...estimates].map(([name, value]) => [name, Math.min(1, Math.max(0, value))]));
}

/** A promise that estimates agree on. */
export function established(
  estimates: ReadonlyMap<string, number>,
  target: number,
  accepted: Counted,
  reason = `${estimates.size > 1 ? "agreed by" : "from"} ${[...estimates.keys()].join(", ")}`,
): PrecisionReport {
  return { ...range(estimates, accepted), promise: { target, established: true, reason } };
}

/** A refused promise; without another reason, the smallest estimate is the reason, or what chance may make of it. */
export function refused(
  estimates: ReadonlyMap<string, number>,
  target: number,
  accepted: Counted,
  doubt: string | undefined,
): PrecisionReport {
  const [name, value] = [...estimates].reduce((worst, entry) => (entry[1] < worst[1] ? entry : worst));
  const found = range(estimates, accepted);
  const lowest = value < target ? "" : `, and the precision may be as low as ${found.low.toFixed(2)}`;
  const reason = doubt ?? `the estimate from ${name} is ${value.toFixed(2)}${lowest}`;
  return { ...found, promise: { target, established: false, reason } };
}

/** How many pairs were accepted, and the estimate where it is not the smallest. */
interface Counted {
  readonly count: number;
  readonly estimate?: number;
}

/**
 * Columns hang together, so that their views share errors: for each wrong pair that they see there may be two that they do
 * not.
 */
const mostErrors = 3;

/**
 * What others lie above the estimate, the truth may lie below it, or as many more pairs are wrong as its views may not see;
 * and of few pairs the share that is right strays from its expected value by chance (in 9 of 10 tables within these limits).
 */
function range(estimates: ReadonlyMap<string, number>, accepted: Counted) {
  const { count } = accepted;
  const values = [...estimates.values()];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const { estimate = least } = accepted;
  const stray = (expected: number): number => {
    const share = (expected * count + 1) / (count + 2);
    return 1.645 * Math.sqrt((share * (1 - share)) / Math.max(1, count));
  };
  const worst = accepted.estimate === undefined ? Math.max(0, 1 - mostErrors * (1 - least)) : estimate;
  const low = Math.max(0, Math.min(least, 2 * estimate - most, worst - stray(worst)));
  return { estimate, low, high: Math.min(1, Math.max(most, estimate + stray(estimate))) };
}

/** Of a wider range, the smallest estimate tells nothing. */
const widest = 0.8;

/** One line: the estimate with its range, and whether it establishes the promise. */
export function precisionLine({ estimate, low, high, promise }: PrecisionReport): string {
  // As many digits as the estimate has, so that rounding never puts it outside its range.
  const [least, most] = [low.toFixed(3), high.toFixed(3)];
  const range = least < most ? ` (${least} to ${most})` : "";
  const estimated =
    high - low > widest
      ? `the precision may be anything from ${least} to ${most}`
      : `estimated precision ${estimate.toFixed(3)}${range}`;
  const { target, established, reason, narrower } = promise;
  if (established) return `${estimated}: a precision of ${target} is established, ${reason}`;
  const kept =
    narrower && `; of the best ${formatCount(narrower.pairs)}, ${percentBelow(narrower.precision)} is`;
  return `a precision of ${target} is not established: ${reason}; ${estimated}${kept ?? ""}`;
}

/** Two digits, never more than is kept. */
const percentBelow = (precision: number): number => Math.floor(100 * precision) / 100;
