/** Arrays of rows as the columns that pearl compares. */
import { ArgumentError } from "../errors.js";
import type { TableColumns } from "../match/columns/align.js";
import { ownValue } from "../match/columns/fields.js";

/** A row of a table: cells by column. Empty cells are "", null or absent. */
export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Columns in the order in which the rows first name them; each has a cell, as text, for every row. @throws ArgumentError */
export function columnsOf(rows: readonly Row[], label: string): TableColumns {
  if (!Array.isArray(rows)) throw new ArgumentError(`${label} is not an array of rows`);
  const odd = rows.findIndex((row) => typeof row !== "object" || row === null || Array.isArray(row));
  if (odd >= 0) throw new ArgumentError(`${label}: row ${odd} is not an object with a cell for each column`);
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return Object.fromEntries(
    Array.from(names, (name) => [name, rows.map((row) => String(ownValue(row, name) ?? ""))] as const),
  );
}
