/** Options and results of a join, and the columns it compares. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import type { JoinColumn } from "../match/columns.js";
import type { PrecisionPromise } from "../match/estimates/spacing-precision.js";
import type { ScorerFile } from "../match/scorer.js";
import type { PairExplanation } from "./explain.js";

/** A table to join: phrases, or columns of equal length by name. */
export type JoinTable = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** Columns that are compared with each other. */
export interface JoinOn {
  readonly left: string;
  /** Default: the same name as on the left. */
  readonly right?: string;
  /** Weight in the score relative to the other columns. Default 1. */
  readonly weight?: number;
}

/**
 * How rows may match. many-to-one: each right row has at most one left row. one-to-one: in addition, each left row has
 * at most one right row. many-to-many: every pair that is likely enough.
 */
export type JoinKind = "many-to-one" | "one-to-one" | "many-to-many";

/** A known match or non-match. Texts are cells of the first compared column. */
export interface LabelledPair {
  readonly left: string;
  readonly right: string;
  readonly match: boolean;
}

/** Options of {@link fuzzyJoin}. */
export interface JoinOptions {
  /** The columns to compare; required if the tables are given as columns by name. */
  readonly on?: readonly (string | JoinOn)[];
  /** The promised precision: share of matches that are right, from 0 to 1. Default 0.9. */
  readonly precision?: number;
  /** Default many-to-one. */
  readonly kind?: JoinKind;
  /** For many-to-many: maximum left rows per right row. Default and maximum: 8. */
  readonly top?: number;
  /** A column of both tables: only rows with equal cells are compared (case, accents and spaces are ignored). */
  readonly block?: string | JoinOn;
  /**
   * Known pairs. Known matches are always joined, known non-matches never. They calibrate the estimates of the other
   * pairs, in which the unlabelled estimate weighs as much as 100 labels.
   */
  readonly labels?: readonly LabelledPair[];
  /** The model that embeds the phrases, or "none" to compare without one. Default: the embedded model. */
  readonly encoder?: PhraseEncoder | "none";
  /** Candidates per right row found by terms, and as many found by embedding. Default 10. */
  readonly candidates?: number;
  /** Pairs less likely than this never match, even if the mean would still keep the promise. Default 0.5. */
  readonly leastLikely?: number;
  /** Default: all cores. */
  readonly threads?: number;
  /** The scorer's weights. Default: those that come with pearl. */
  readonly scorer?: ScorerFile;
  readonly signal?: AbortSignal;
  /** Called with the current stage, the items done and the total. */
  readonly onProgress?: (stage: JoinStage, done: number, total: number) => void;
}

export type JoinStage = "encoding" | "comparing" | "measuring the left table's spacing";

/** Two rows, counted from 0, that are judged to mean the same. */
export interface JoinMatch {
  readonly left: number;
  readonly right: number;
  /** Higher is likelier; the difference between two candidates of a row is a log-odds ratio. */
  readonly score: number;
  /** Estimated probability that the match is right; 1 if a label says so. */
  readonly estimatedPrecision: number;
}

/** How known pairs changed a join. */
export interface LabelEffect {
  /** Numbers of right rows whose matches are others than without the labels. */
  readonly rows: {
    /** The label is about this row: it confirms a match or rejects one. */
    readonly decided: number;
    /** A match more, because the labels raised the estimates. */
    readonly gained: number;
    /** A match less, because the labels lowered the estimates. */
    readonly lost: number;
    /** Another left row, because the old one went to another right row, or some of several. */
    readonly replaced: number;
  };
  /** Mean estimate of the proposals, without and with the labels. */
  readonly meanEstimate: { readonly without: number; readonly with: number };
}

/** What {@link fuzzyJoin} found. Rows are positions in their table, counted from 0; estimates are 0 to 1. */
export interface JoinResult {
  /** Ordered by right row, then the likeliest first. */
  readonly matches: readonly JoinMatch[];
  /** Right rows without a match, ascending. */
  readonly unmatched: readonly number[];
  /** The best pair of every right row that has a candidate, matched or not, ordered by right row. */
  readonly proposals: readonly JoinMatch[];
  /** For each right row, the second-best left row with a different text, or -1. */
  readonly runnersUp: Int32Array;
  /** Mean estimate of the matches, at least the promised precision; 1 if there are none. */
  readonly estimatedPrecision: number;
  /** The lowest estimate among the matches; Infinity if there are none. */
  readonly threshold: number;
  /** Whether the estimate reached `precision`, and the best that it can promise. */
  readonly promise: PrecisionPromise;
  /** What the labels changed; undefined without labels. */
  readonly labelEffect?: LabelEffect;
  /** What weakens the join, one sentence each. */
  readonly warnings: readonly string[];
  /** Explains the score of any pair of rows. */
  readonly explain: (left: number, right: number) => PairExplanation;
}

/** A compared column with the texts of both tables. */
export interface ComparedColumn extends JoinColumn {
  readonly name: string;
}

/** The columns to compare. @throws ArgumentError for missing columns, unequal lengths or invalid weights */
export function comparedColumns(left: JoinTable, right: JoinTable, on: JoinOptions["on"]): ComparedColumn[] {
  const leftColumns = columnsOf(left, "left");
  const rightColumns = columnsOf(right, "right");
  const pairs = (on ?? (Array.isArray(left) && Array.isArray(right) ? ["phrase"] : [])).map(joinOn);
  if (pairs.length === 0) throw new ArgumentError('name the columns to compare, such as on: ["name"]');
  const total = pairs.reduce((sum, { weight }) => sum + weight, 0);
  return pairs.map(({ left: leftName, right: rightName, weight }) => {
    if (!(weight > 0 && Number.isFinite(weight)))
      throw new ArgumentError(`the weight of ${leftName} must be above 0, not ${weight}`);
    return {
      name: leftName === rightName ? leftName : `${leftName}=${rightName}`,
      left: columnOf(leftColumns, leftName, "left"),
      right: columnOf(rightColumns, rightName, "right"),
      weight: weight / total,
    };
  });
}

function joinOn(on: string | JoinOn): Required<JoinOn> {
  if (typeof on === "string") return { left: on, right: on, weight: 1 };
  return { left: on.left, right: on.right ?? on.left, weight: on.weight ?? 1 };
}

type Columns = Readonly<Record<string, readonly string[]>>;

function columnsOf(table: JoinTable, side: string): Columns {
  const columns: Columns = Array.isArray(table) ? { phrase: table } : (table as Columns);
  const [first, ...rest] = Object.entries(columns);
  if (first === undefined) throw new ArgumentError(`the ${side} table has no columns`);
  for (const [name, values] of rest) {
    if (values.length !== first[1].length)
      throw new ArgumentError(
        `the ${side} table's columns differ in length: ${first[0]} has ${first[1].length} rows, ${name} ${values.length}`,
      );
  }
  if (first[1].length === 0) throw new ArgumentError(`the ${side} table has no rows`);
  return columns;
}

function columnOf(columns: Columns, name: string, side: string): readonly string[] {
  if (Object.hasOwn(columns, name)) return columns[name];
  throw new ArgumentError(
    `the ${side} table has no column "${name}", only ${Object.keys(columns).join(", ")}`,
  );
}
