/** What is found of rows, whatever they are compared by; where a table has no rows: nothing, for certain. */
import { ArgumentError } from "../errors.js";
import { endWithNothing, type Sharing } from "../files/shards/shard.js";
import type { KnownPair, RowMatch } from "./compare-tables.js";
import type { PrecisionReport } from "./estimates/promise.js";
import { pairSentence, type RowExplanation } from "./explain.js";
import type { DoubtfulPair } from "./review/doubtful.js";
import { type LabelEffect, labelEffect, partnersInGroup } from "./review/label-effect.js";
import type { RelatedPair } from "./review/related.js";

/** What matching finds, whatever rows are compared by, and how answers change it. Rows are counted from 0. */
export interface Matches<Self, Explanation = RowExplanation> {
  /** What each column says about any two rows. */
  explain(left: number, right: number): Explanation;
  /** Pairs that are most worth judging, best first: their answers, as `known`, improve the result most. */
  doubtful(count: number): DoubtfulPair[];
  /** Pairs that look alike and are different things, first those that share most. None where one column is compared. */
  related(count: number): RelatedPair[];
  /**
   * The result with these judged pairs in place of `known`, without comparing the rows again.
   * @throws ArgumentError for a row that a table lacks
   */
  withKnown(known: readonly KnownPair[]): Promise<Self>;
  /** How many rows (of two tables: right rows) have other partners than without `known`, and why. Learns once more. */
  labelEffect(): Promise<LabelEffect>;
}

/** Why a pair was found, in one sentence. */
export const sentenceOf = (
  { explain }: Pick<Matches<unknown>, "explain">,
  { left, right, probability }: RowMatch,
): string => pairSentence(explain(left, right), probability);

interface NothingFound<Self> extends PrecisionReport, Matches<Self, never> {
  atPrecision(target: number): Self;
}

type Result<Own> = Own & NothingFound<Result<Own>>;

/** The promise about a result that holds nothing. */
export const nothingToCompare = (target = 0.9, reason = "there are no rows to compare"): PrecisionReport => ({
  ...{ estimate: 1, low: 1, high: 1 },
  promise: { target, established: true, reason },
});

/** The promise about a result of which nothing is estimated. */
export const decidedByRules = (target: number): PrecisionReport =>
  nothingToCompare(target, "rules make all that is the same");

/** @throws ArgumentError for a known pair */
export function withoutRows<Own>(
  own: Own,
  options: {
    readonly precision?: number;
    readonly known?: readonly KnownPair[];
    readonly sharing?: Sharing;
  },
): Result<Own> {
  const { precision, known = [], sharing } = options;
  const explain = (left: number, right: number): never => {
    throw new ArgumentError(`there is no pair of rows ${left} and ${right}`);
  };
  for (const { left, right } of known) explain(left, right);
  endWithNothing(sharing);
  return {
    ...{ ...own, ...nothingToCompare(precision), explain },
    ...{ doubtful: () => [], related: () => [] },
    withKnown: async (all) => withoutRows(own, { precision, known: all }),
    labelEffect: async () => labelEffect(partnersInGroup(new Int32Array(0), new Int32Array(0)), new Set()),
    atPrecision: (target) => withoutRows(own, { precision: target }),
  };
}
