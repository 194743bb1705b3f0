/** What each column contributed: for the line a command prints per column, and to explain single pairs. */

import type { ColumnKind } from "./columns/profile.js";
import type { ComparedTables } from "./compare-tables.js";
import { missing } from "./evidence/pair-evidence.js";
import type { Weights } from "./weights/learn.js";

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

export interface ColumnExplanation {
  readonly name: string;
  /** The two cells; undefined for evidence across columns. */
  readonly left?: string;
  readonly right?: string;
  /** -1 where a side is empty. */
  readonly level: number;
  /** What it adds to the log-odds: 0 where a side is empty. */
  readonly logOdds: number;
}

export function columnReports({ tables, columns }: ComparedTables, weights: Weights): ColumnReport[] {
  return columns.map(({ name, field, share }, column) => {
    const found = tables.fields[field];
    const profile = found && { kind: found.kind, distinct: found.profile.distinct };
    const filled = found && found.profile.filled / Math.max(1, found.profile.rows);
    const ofLevels = Array.from(weights.match[column], (weight) => share * weight);
    return { name, other: found?.other ?? name, ...profile, filled, weights: ofLevels };
  });
}

/** Explains a pair of prepared rows, candidate or not. The contributions and the prior add up to its log-odds. */
export function explainPair(
  compared: Pick<ComparedTables, "columns" | "comparison" | "tables">,
  weights: Weights,
  left: number,
  right: number,
) {
  const levels = compared.columns.map(() => new Int8Array(1));
  compared.comparison.compare(left, right, levels, 0);
  const columns = compared.columns.map(({ name, field, share }, column): ColumnExplanation => {
    const level = levels[column][0];
    const found = compared.tables.fields[field];
    const text = (values: Int32Array, row: number): string =>
      values[row] < 0 ? "" : found.set.texts[values[row]];
    const cells = found && { left: text(found.left, left), right: text(found.right, right) };
    return { name, ...cells, level, logOdds: level === missing ? 0 : share * weights.match[column][level] };
  });
  return { prior: weights.prior, columns };
}
