/** What each column contributed: for the line a command prints per column, and to explain pairs, as data and in a sentence. */

import { isVisible, oneLine } from "../text/visible.js";
import type { TableColumns } from "./columns/align.js";
import type { ColumnKind } from "./columns/profile.js";
import type { ComparedTables, RowNumbers } from "./compare-tables.js";
import { opposition } from "./evidence/across-columns.js";
import { missing } from "./evidence/levels.js";
import { comparisonName, saidByLevel } from "./evidence/own-comparison.js";
import { opposedColumn } from "./evidence/pair-evidence.js";
import { scorePairs, type Weights } from "./weights/learn.js";
import { logit } from "./weights/logistic.js";

/** What was compared in a column, and how much each level of agreement says. */
export interface ColumnReport {
  readonly name: string;
  /** Header in the right table. */
  readonly other: string;
  /** Undefined for evidence across columns. */
  readonly kind?: ColumnKind;
  /** The user's own comparison: "within 5 %", "by code.mjs". */
  readonly comparison?: string;
  /** Share of filled cells, number of different values. */
  readonly filled?: number;
  readonly distinct?: number;
  /** Whether rows of one thing are believed to differ in it seldom; undefined where near misses are not learned. */
  readonly identifies?: boolean;
  /** Log-odds of each level, from the worst disagreement to agreement on a rare value. */
  readonly weights: readonly number[];
}

/** What a column says about a pair of rows. */
export interface ColumnExplanation {
  readonly name: string;
  /** The two cells; undefined for evidence across columns. */
  readonly left?: string;
  readonly right?: string;
  /** Whether the two cells have the same value, however they are written. */
  readonly isEqual?: boolean;
  /** What a comparison of the user's own says of them: "within 5 %". */
  readonly said?: string;
  /** -1 where a side is empty. */
  readonly level: number;
  /** What it adds to the log-odds: 0 where a side is empty. */
  readonly logOdds: number;
  /** The most that the column adds to, and takes from, the log-odds of any pair. */
  readonly most: number;
  readonly least: number;
}

/** Why two rows are or are not the same; plain data for programs. {@link pairSentence} gives it as a sentence. */
export interface RowExplanation {
  /** Log-odds that two rows drawn at random are the same. */
  readonly prior: number;
  readonly columns: readonly ColumnExplanation[];
}

export function columnReports({ tables, columns }: ComparedTables, weights: Weights): ColumnReport[] {
  const reports = columns.map(({ name, field }, column) => {
    const found = tables.fields[field];
    const own = found?.own && { comparison: comparisonName(found) };
    const profile = found && { kind: found.kind, ...own, distinct: found.profile.distinct };
    const filled = found && found.profile.filled / Math.max(1, found.profile.rows);
    const ofLevels = [...weights.match[column]];
    const identifies = found && weights.near?.identity[column];
    return { name, other: found?.other ?? name, ...profile, filled, identifies, weights: ofLevels };
  });
  return byHeader(reports, columns);
}

/** What is said of columns, by their headers; of those across columns, last. */
const byHeader = <Item>(items: readonly Item[], columns: ComparedTables["columns"]): Item[] =>
  [...columns.keys()]
    .sort((a, b) => {
      const [one, other] = [columns[a], columns[b]];
      if (one.field < 0 || other.field < 0) return Number(one.field < 0) - Number(other.field < 0);
      return one.name < other.name ? -1 : 1;
    })
    .map((column) => items[column]);

/**
 * Explains a pair of prepared rows, candidate or not. The contributions and the prior add up to its log-odds.
 * @param given the tables whose cells are shown
 */
export function explainPair(
  compared: Pick<ComparedTables, "columns" | "comparison" | "tables">,
  weights: Weights,
  pair: RowNumbers,
  given: { readonly left: TableColumns; readonly right: TableColumns },
): RowExplanation {
  const { tables, comparison } = compared;
  const levels = compared.columns.map(() => new Int8Array(1));
  comparison.compare(pair.left, pair.right, levels, 0);
  const [leftRow, rightRow] = [tables.order[0][pair.left], tables.order[1][pair.right]];
  const columns = compared.columns.map(({ name, field }, column): ColumnExplanation => {
    const [level, found] = [levels[column][0], tables.fields[field]];
    const cells = found && {
      left: given.left[found.name][leftRow],
      right: given.right[found.other][rightRow],
      isEqual: level !== missing && found.left[pair.left] === found.right[pair.right],
      ...(found.own && { said: saidByLevel(found, level) }),
    };
    const ofLevels = weights.match[column];
    const logOdds = level === missing ? 0 : ofLevels[level];
    return { name, ...cells, level, logOdds, most: Math.max(...ofLevels), least: Math.min(...ofLevels) };
  });
  const { prior, near } = weights;
  const own = byHeader(columns, compared.columns);
  if (near === undefined) return { prior, columns: own };
  const logOdds = columns.reduce(
    (rest, column) => rest - column.logOdds,
    scorePairs(levels, weights, compared.columns)[0] - prior,
  );
  const bounds = { most: Math.max(0, logOdds), least: Math.min(0, logOdds) };
  return { prior, columns: [...own, { name: lookAlikes, level: 0, logOdds, ...bounds }] };
}

/** What the columns say together beside what each says: pairs that share as much are often of different things. */
const lookAlikes = "look-alikes";

/** What a column that is compared alone says of two rows. @param probability undefined where they are not compared */
export function aloneEvidence(
  cells: Pick<ColumnExplanation, "name" | "left" | "right" | "isEqual">,
  probability: number | undefined,
): RowExplanation {
  const logOdds = probability === undefined ? 0 : logit(probability);
  const bounds = { most: Math.max(0, logOdds), least: Math.min(0, logOdds) };
  const level = probability === undefined ? missing : 0;
  return { prior: 0, columns: [{ ...cells, level, logOdds, ...bounds }] };
}

const longestCell = 40;
/** Less changes the odds by less than a third: not worth a word. */
const leastSaid = 0.3;
/** Log-odds of equal values: two rows in hundreds agree on a rare value, one in five or more on a common one. */
const [rare, common] = [5, 1.5];

/** What evidence across columns says where it speaks for, and against the pair. */
const acrossColumns: Readonly<Record<string, readonly [string, string]>> = {
  "codes anywhere": [
    "a code or number of one row is in the other, or one like it",
    "codes or numbers differ",
  ],
  "words missing": [
    "no distinctive word of a name is missing in the other",
    "each name lacks a word of the other",
  ],
  [opposedColumn]: [
    "the names do not contradict each other",
    "each name has a word that the other row lacks",
  ],
  [lookAlikes]: ["rows agree in all that is filled", "different things share as much"],
  "name anywhere": ["the other row has the words of the name", "the other row lacks words of the name"],
};

/**
 * Says in one sentence why two rows are taken for the same, or not, the strongest evidence first:
 * `name: "IBM Corp" ≈ "International Business Machines" (+4.1); city equal, rare (+6.0); phone missing (0) → 0.98`. The numbers
 * are log-odds; they and the prior add up to the log-odds of the pair before it competes with others.
 */
export function pairSentence({ columns }: RowExplanation, probability: number): string {
  // An empty cell matters if a filled one could have changed the result.
  const decided = Math.abs(Math.log(probability / (1 - probability)));
  const matters = ({ level, logOdds, most, least }: ColumnExplanation): boolean =>
    level === missing ? Math.max(most, -least) >= decided : Math.abs(logOdds) >= leastSaid;
  const parts = columns
    .filter((column) => matters(column) && (column.left !== undefined || column.level !== missing))
    .sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
    .map((column) => `${exchanged(column, columns) ?? said(column)} (${signed(column.logOdds)})`);
  const reasons = parts.length === 0 ? "no column says much" : parts.join("; ");
  return `${reasons} → ${probability.toFixed(2)}`;
}

/** The reason for a cell that the other row has in another column; undefined for other cells. */
function exchanged(
  { name, left = "", right = "", isEqual, logOdds }: ColumnExplanation,
  columns: RowExplanation["columns"],
): string | undefined {
  const isSame = (cell: string, other = ""): boolean =>
    isVisible(cell) && cell.trim().toLowerCase() === other.trim().toLowerCase();
  const other = columns.find(
    (other) => other.isEqual === false && (isSame(left, other.right) || isSame(right, other.left)),
  );
  return isEqual || logOdds <= 0 || other === undefined ? undefined : `${name} exchanged with ${other.name}`;
}

function said({ name, left, right, isEqual, said, level, logOdds }: ColumnExplanation): string {
  if (name === opposedColumn && level === opposition.opposites) return "the names say opposites";
  if (left === undefined || right === undefined) {
    const s = name.endsWith(" numbers") ? "" : "s";
    const [agrees, differs] = acrossColumns[name] ?? [`${name} agree${s}`, `${name} differ${s}`];
    return logOdds > 0 ? agrees : differs;
  }
  if (level === missing) return `${name} missing`;
  const what = said === undefined ? name : `${name} ${said}`;
  if (!isEqual) return `${what}: ${shown(left)} ${logOdds > 0 ? "≈" : "≠"} ${shown(right)}`;
  return `${name} equal${logOdds >= rare ? ", rare" : logOdds < common ? ", common" : ""}`;
}

/** A cell on one line, cut if it is long. */
function shown(cell: string): string {
  const text = oneLine(cell);
  const letters = Array.from(text);
  if (letters.length <= longestCell) return `"${text}"`;
  const beginning = letters.slice(0, longestCell - 1).join("");
  return `"${beginning.trimEnd()}…"`;
}

/** One digit, with its sign. */
export function signed(logOdds: number): string {
  const text = Math.abs(logOdds).toFixed(1);
  return text === "0.0" ? "0" : `${logOdds < 0 ? "-" : "+"}${text}`;
}
