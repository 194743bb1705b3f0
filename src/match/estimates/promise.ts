/**
 * Accepts as many pairs as keep a promised precision. Several estimates from different evidence must agree: the smallest
 * decides. Where it does not reach the promise, the promise is refused with a reason, and the likely pairs are returned as
 * not verified.
 */
import { answeredPrecision, leftOutPrecision, nameContradictions, rivalPrecision } from "./estimators.js";
import { posteriorPrecision, type ScoredPairs } from "./scored-pairs.js";

/** Whether a precision can be promised. */
export interface PromiseReport {
  /** The precision asked for. */
  readonly target: number;
  readonly established: boolean;
  /** One sentence: what the estimates rest on, or why they cannot be trusted. */
  readonly reason: string;
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
}

/** Fewer accepted pairs are too few to estimate from. */
export const fewest = 50;
/** The smallest estimate must exceed the promise by this share of what is left to 1. */
const reserve = 0.25;

export function keepPrecision<Level extends ScoredPairs>({
  target,
  levels,
  fallback,
  doubt,
}: PromiseOptions<Level>): { level: Level; report: PrecisionReport } {
  const needed = target + reserve * (1 - target);
  if (doubt === undefined) {
    for (const level of levels) {
      if (level.accepted.length < fewest) break;
      const estimates = precisionEstimates(level);
      const isEnough = Math.min(...estimates.values()) >= needed && veto(level) === undefined;
      if (isEnough) return { level, report: established(estimates, target, counted(level)) };
    }
  }
  const level = fallback();
  const found = veto(level);
  const estimates = precisionEstimates(level);
  if (found !== undefined) estimates.set("contradictions", 1 - found.strength);
  const { count } = counted(level);
  const few = count < fewest ? tooFew(count) : undefined;
  return { level, report: refused(estimates, target, { count }, doubt ?? found?.reason ?? few) };
}

/** How many pairs a level accepts, as reports take it. */
export const counted = ({ accepted }: Pick<ScoredPairs, "accepted">): Counted => ({ count: accepted.length });

/** Why so many likely pairs establish nothing. */
export const tooFew = (count: number): string =>
  count === 0
    ? "no pair is likely"
    : `only ${count === 1 ? "1 pair is" : `${count} pairs are`} likely: too few to estimate from`;

/** Share of pairs with contradicting names from which groups are families. */
const mostContradictions = 0.25;

/** From so many answers on, contradictions are one estimate among others, and no veto. */
const enoughAnswers = 20;

/** What speaks against rows of several partners being the same: undefined if nothing does. */
function contradiction(pairs: ScoredPairs): { reason: string; strength: number } | undefined {
  if (pairs.relation === "one-to-one") return undefined;
  const strength = nameContradictions(pairs);
  if (strength <= mostContradictions) return undefined;
  const percent = Math.round(100 * strength);
  return {
    strength,
    reason: `in ${percent} % of the likely pairs each name has words that the other row lacks`,
  };
}

/** A contradiction, where too few people have judged pairs. */
export const veto = (pairs: ScoredPairs): ReturnType<typeof contradiction> =>
  (pairs.judged ?? []).reduce((sum, { share = 1 }) => sum + share, 0) < enoughAnswers
    ? contradiction(pairs)
    : undefined;

/** Estimates by what they rest on. */
export function precisionEstimates(pairs: ScoredPairs): Map<string, number> {
  const estimates = new Map([["column weights", posteriorPrecision(pairs)]]);
  const leftOut = leftOutPrecision(pairs);
  if (leftOut !== undefined) estimates.set("columns left out", leftOut);
  const found = veto(pairs) === undefined ? contradiction(pairs) : undefined;
  if (found !== undefined) estimates.set("contradictions", 1 - found.strength);
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

/** A refused promise; without another reason, the smallest estimate is the reason. */
export function refused(
  estimates: ReadonlyMap<string, number>,
  target: number,
  accepted: Counted,
  doubt: string | undefined,
): PrecisionReport {
  const [name, value] = [...estimates].reduce((worst, entry) => (entry[1] < worst[1] ? entry : worst));
  const reason = doubt ?? `the estimate from ${name} is ${value.toFixed(2)}`;
  return { ...range(estimates, accepted), promise: { target, established: false, reason } };
}

/** How many pairs were accepted, and the estimate where it is not the smallest. */
interface Counted {
  readonly count: number;
  readonly estimate?: number;
}

/**
 * What others lie above the estimate, the truth may lie below it; and of few pairs the share that is right strays from its
 * expected value by chance (in 9 of 10 tables within these limits).
 */
function range(estimates: ReadonlyMap<string, number>, accepted: Counted) {
  const { count } = accepted;
  const values = [...estimates.values()];
  const { estimate = Math.min(...values) } = accepted;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const share = (estimate * count + 1) / (count + 2);
  const stray = 1.645 * Math.sqrt((share * (1 - share)) / Math.max(1, count));
  const low = Math.max(0, Math.min(least, 2 * estimate - most, estimate - stray));
  return { estimate, low, high: Math.min(1, Math.max(most, estimate + stray)) };
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
  return promise.established
    ? `${estimated}: a precision of ${promise.target} is established, ${promise.reason}`
    : `a precision of ${promise.target} is not established: ${promise.reason}; ${estimated}`;
}
