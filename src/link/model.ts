/** What a store knows of its columns: the settings that stay, and what the last learning found. */
import type { ColumnReport } from "../match/column-report.js";
import type { ColumnOptions, DroppedColumn } from "../match/columns/fields.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import type { LearnedRows } from "../match/rescore.js";

/** Fixed by the first run. */
export interface StoreSettings extends ColumnOptions {
  /** The compared columns: every table needs them. */
  readonly columns: readonly string[];
  /** Undefined: rows are compared without a model. */
  readonly model?: { readonly fingerprint: string; readonly name: string };
}

/** What one learning found; it holds until the next. */
export interface StoreModel {
  readonly learned: LearnedRows;
  /** The least mean log-odds of groups that are one entity; null: only rows that are equal in all compared columns are. */
  readonly least: number | null;
  /** Whether likely groups are accepted where the promise is refused. */
  readonly likely: "report" | "accept";
  /** Rows that were learned from. */
  readonly rows: number;
  readonly precision: PrecisionReport;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
}

export function modelText(model: StoreModel): string {
  const { learned } = model;
  const fields = learned.fields.map(({ name, other, kind, profile }) => ({ name, other, kind, profile }));
  return JSON.stringify({ ...model, learned: { ...learned, fields } }, (_, value) =>
    value instanceof Float64Array ? [...value] : value,
  );
}

export function parseModel(text: string): StoreModel {
  const model = JSON.parse(text) as StoreModel;
  const { weights } = model.learned;
  const columns = (values: readonly Iterable<number>[]) => values.map((column) => Float64Array.from(column));
  const whole = { ...weights, match: columns(weights.match), related: columns(weights.related) };
  return { ...model, learned: { ...model.learned, weights: whole } };
}

export const entityName = (entity: number): string => `E${entity}`;
