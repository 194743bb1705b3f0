/** What a join takes and gives. */

import type { PhraseEncoder } from "../encoder/index.js";
import { ArgumentError } from "../errors.js";
import type { PairExplanation } from "./explain.js";
import type { ScorerFile } from "./scorer.js";

/** A table to be joined: phrases, or columns by name, all equally long. */
export type JoinTable = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** Columns that are compared with each other. */
export interface JoinOn {
  readonly left: string;
  /** Default: the same name as on the left. */
  readonly right?: string;
  /** Share in the score beside other columns. Default 1. */
  readonly weight?: number;
}

/**
 * How rows may be joined: many-to-one gives each right row one left row at most, one-to-one each left row one right
 * row at most as well, many-to-many every pair that is likely enough.
 */
export type JoinKind = "many-to-one" | "one-to-one" | "many-to-many";

/** A pair whose truth is known. Texts are those of the first compared column. */
export interface LabelledPair {
  readonly left: string;
  readonly right: string;
  readonly match: boolean;
}

export interface JoinOptions {
  /** The compared columns; needed where the tables are columns by name. */
  readonly on?: readonly (string | JoinOn)[];
  /** The promised share of right matches among all matches, from 0 to 1. Default 0.9. */
  readonly precision?: number;
  /** Default many-to-one. */
  readonly kind?: JoinKind;
  /** Left rows per right row at most, for many-to-many. Default 8, which is the most. */
  readonly top?: number;
  /** A column of both tables; rows meet only where it is equal but for case, accents and spaces. */
  readonly block?: string | JoinOn;
  /** Known pairs: they calibrate the estimate, known matches are joined, known non-matches never. */
  readonly labels?: readonly LabelledPair[];
  /** The model whose vectors are compared; "none" for none. Default: the embedded model. */
  readonly encoder?: PhraseEncoder | "none";
  /** Candidates by terms, and as many by embedding, for each right row. Default 10. */
  readonly candidates?: number;
  /** Matches less likely than this are not made even where the mean would bear them. Default 0.5. */
  readonly leastLikely?: number;
  /** Default: all cores. */
  readonly threads?: number;
  /** The scorer's weights. Default: those that come with pearl. */
  readonly scorer?: ScorerFile;
  readonly signal?: AbortSignal;
  /** Called with what is going on, how much of it is done, and how much it is in all. */
  readonly onProgress?: (stage: JoinStage, done: number, total: number) => void;
}

export type JoinStage = "encoding" | "comparing" | "measuring the left table's spacing";

/** Two rows, counted from 0, that are taken to mean the same. */
export interface JoinMatch {
  readonly left: number;
  readonly right: number;
  /** The higher the likelier; differences between candidates of a row are logarithms of odds. */
  readonly score: number;
  /** How likely the match is right; over many matches, the share that is. 1 where a label says so. */
  readonly estimatedPrecision: number;
}

export interface JoinResult {
  /** By right row; of a right row's matches the likeliest first. */
  readonly matches: readonly JoinMatch[];
  /** Right rows without a match, ascending. */
  readonly unmatched: readonly number[];
  /** The best pair of every right row that has any candidate, joined or not, by right row. */
  readonly proposals: readonly JoinMatch[];
  /** Of each right row the left row that came second (of another text), or -1. */
  readonly runnersUp: Int32Array;
  /** Mean estimate of the matches: the promise is kept where it reaches the precision asked for; 1 without any. */
  readonly estimatedPrecision: number;
  /** The least estimate that was joined; Infinity without any match. */
  readonly threshold: number;
  /** What the user should know of the tables. */
  readonly warnings: readonly string[];
  /** Why a pair scores as it does; works for any pair of rows. */
  readonly explain: (left: number, right: number) => PairExplanation;
}

/** The columns to compare, as texts. */
export interface ComparedColumn {
  readonly name: string;
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** All sum to 1. */
  readonly weight: number;
}

/** @throws ArgumentError for columns that are not there, or of different lengths, or weights that are no weights */
export function comparedColumns(left: JoinTable, right: JoinTable, on: JoinOptions["on"]): ComparedColumn[] {
  const leftColumns = columnsOf(left, "left");
  const rightColumns = columnsOf(right, "right");
  const pairs = (on ?? (Array.isArray(left) && Array.isArray(right) ? ["phrase"] : [])).map(joinOn);
  if (pairs.length === 0) throw new ArgumentError('name the columns to compare, such as on: ["name"]');
  const total = pairs.reduce((sum, { weight }) => sum + weight, 0);
  return pairs.map(({ left: leftName, right: rightName, weight }) => {
    if (!(weight > 0 && Number.isFinite(weight))) {
      throw new ArgumentError(`the weight of ${leftName} must be above 0, not ${weight}`);
    }
    return {
      name: leftName === rightName ? leftName : `${leftName}=${rightName}`,
      left: columnOf(leftColumns, leftName, "left"),
      right: columnOf(rightColumns, rightName, "right"),
      weight: weight / total,
    };
  });
}

/** The block column's texts of both tables. */
export function blockColumn(left: JoinTable, right: JoinTable, block: string | JoinOn) {
  const names = joinOn(block);
  return {
    left: columnOf(columnsOf(left, "left"), names.left, "left"),
    right: columnOf(columnsOf(right, "right"), names.right, "right"),
  };
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
    if (values.length !== first[1].length) {
      throw new ArgumentError(
        `the ${side} table's columns differ in length: ${first[0]} has ${first[1].length} rows, ${name} ${values.length}`,
      );
    }
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
