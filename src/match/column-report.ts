/** What each column contributed: for the line a command prints per column, and to explain single pairs. */

import type { TableColumns } from "./columns/align.js";
import type { ColumnKind } from "./columns/profile.js";
import type { ComparedTables } from "./compare-tables.js";
import { missing } from "./evidence/pair-evidence.js";
import type { Weights } from "./weights/learn.js";

/** What was compared in a column, and how much each level of agreement says. */
export interface ColumnReport {
  readonly name: string;
  /** Header in the right table. */
  readonly other: string;
  /** Undefined for evidence across columns. */
  readonly kind?: ColumnKind;
  /** Share of filled cells, number of different values. */
  readonly filled?: number;
  readonly distinct?: number;
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
  /** -1 where a side is empty. */
  readonly level: number;
  /** What it adds to the log-odds: 0 where a side is empty. */
  readonly logOdds: number;
  /** The most that the column adds to, and takes from, the log-odds of any pair. */
  readonly most: number;
  readonly least: number;
}

/** Why two rows are or are not the same; plain data for programs. `pairSentence` gives it as a sentence. */
export interface RowExplanation {
  /** Log-odds that two rows drawn at random are the same. */
  readonly prior: number;
  readonly columns: readonly ColumnExplanation[];
}

export function columnReports({ tables, columns }: ComparedTables, weights: Weights): ColumnReport[] {
  const reports = columns.map(({ name, field }, column) => {
    const found = tables.fields[field];
    const profile = found && { kind: found.kind, distinct: found.profile.distinct };
    const filled = found && found.profile.filled / Math.max(1, found.profile.rows);
    const ofLevels = [...weights.match[column]];
    return { name, other: found?.other ?? name, ...profile, filled, weights: ofLevels };
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
  pair: { readonly left: number; readonly right: number },
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
    };
    const ofLevels = weights.match[column];
    const logOdds = level === missing ? 0 : ofLevels[level];
    return { name, ...cells, level, logOdds, most: Math.max(...ofLevels), least: Math.min(...ofLevels) };
  });
  return { prior: weights.prior, columns: byHeader(columns, compared.columns) };
}
