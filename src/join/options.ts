/** Options and results of a join by one column. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { Sharing } from "../files/shards/shard.js";
import type { KnownPair, RowMatch } from "../match/compare-tables.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import type { Matches } from "../match/matches.js";
import type { PairRules, RulesReport } from "../match/rules.js";
import type { ScorerFile } from "../match/scorer.js";
import type { PhraseExplanation } from "./explain.js";

export const joinKinds = ["one-to-one", "many-to-one", "many-to-many"] as const;

/**
 * How rows may match. many-to-one: each right row has at most one left row. one-to-one: in addition, each left row has
 * at most one right row. many-to-many: every pair that is likely enough.
 */
export type JoinKind = (typeof joinKinds)[number];

/** Options of {@link fuzzyJoin}. */
export interface JoinOptions {
  /** The promised precision: share of matches that are right, from 0 to 1. Default 0.9. */
  readonly precision?: number;
  /** Default many-to-one. */
  readonly kind?: JoinKind;
  /** For many-to-many: maximum left rows per right row. Default and maximum: 8. */
  readonly top?: number;
  /**
   * Judged pairs; each counts for all rows of the same texts. Matches are always joined, others never. They calibrate the
   * estimates of the other pairs, in which the unlabelled estimate weighs as much as 100 judged pairs.
   */
  readonly known?: readonly KnownPair[];
  /** What was read of rules on other columns of these rows: they decide pairs, which are left out of estimates. */
  readonly rules?: PairRules;
  /** The model that embeds the phrases, or "none" to compare without one. Default: the embedded model. */
  readonly encoder?: PhraseEncoder | "none";
  /** Candidates per right row found by terms, and as many found by embedding. Default 10. */
  readonly candidates?: number;
  /** Pairs less likely than this never match, even if the mean would still keep the promise. Default 0.5. */
  readonly leastLikely?: number;
  /** What warnings call the compared column. Default "phrase". */
  readonly column?: string;
  /** Default: all cores. */
  readonly threads?: number;
  /** The scorer's weights. Default: those that come with pearl. */
  readonly scorer?: ScorerFile;
  /** Does the comparing of one shard of the right rows, or takes that of all shards. */
  readonly sharing?: Sharing;
  readonly signal?: AbortSignal;
  /** Called with the current stage, the items done and the total. */
  readonly onProgress?: (stage: JoinStage, done: number, total: number) => void;
}

export type JoinStage = "encoding" | "comparing" | "measuring the left table's spacing";

/** What {@link fuzzyJoin} found. Rows are positions in their table, counted from 0. */
export interface JoinResult extends PrecisionReport, Matches<JoinResult, PhraseExplanation> {
  /** Ordered by right row, then the likeliest first. If the promise is refused, they are likely, but not verified. */
  readonly matches: readonly RowMatch[];
  /** Right rows without a match, ascending. */
  readonly unmatched: readonly number[];
  /** The best pair of every right row that has a candidate, matched or not, ordered by right row. */
  readonly proposals: readonly RowMatch[];
  /** For each right row, the second-best left row with a different text, or -1. */
  readonly runnersUp: Int32Array;
  /** What rules decided; undefined without any. */
  readonly ruled?: RulesReport;
  /** What weakens the join, one sentence each. */
  readonly warnings: readonly string[];
  /** The probability that a left row whose pair with a right row has this score, as `explain` gives it, is its match. */
  readonly probabilityAt: (right: number, score: number) => number;
}
