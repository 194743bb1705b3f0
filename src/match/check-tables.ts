/** Refuses tables and settings that a program gave wrongly, before anything is compared. */
import { ArgumentError } from "../errors.js";
import { isLikeArray } from "../like-array.js";
import type { TableColumns } from "./columns/align.js";
import { partSeparator, partsOfColumn } from "./columns/column-names.js";
import { type ColumnOptions, rowsOf } from "./columns/fields.js";
import { columnKinds, columnRoles } from "./columns/profile.js";

/** @throws ArgumentError for a table whose columns are not arrays of strings, and for settings out of range */
export function checkMatching(
  tables: readonly TableColumns[],
  { precision, kindOf = {} }: ColumnOptions & { readonly precision?: number },
): void {
  for (const table of tables) checkTable(table);
  if (precision !== undefined && !(precision >= 0 && precision <= 1))
    throw new ArgumentError(`precision must be between 0 and 1, not ${precision}`);
  for (const [name, kind] of Object.entries(kindOf)) {
    const known: readonly string[] = [...columnKinds, ...columnRoles];
    if (!known.includes(kind))
      throw new ArgumentError(`kindOf ${name}: there is no kind ${kind}. Kinds: ${known.join(", ")}`);
    const isPart = (column: string): boolean => column.split(partSeparator).includes(name);
    if (!tables.some((table) => partsOfColumn(table, name).length > 0 || Object.keys(table).some(isPart)))
      throw new ArgumentError(
        `kindOf ${name}: there is no such column. Columns: ${tables.flatMap(Object.keys).join(", ")}`,
      );
  }
}

/** @throws ArgumentError for a value that is not an array of strings */
export function checkCells(what: string, cells: readonly string[]): void {
  if (!Array.isArray(cells))
    throw new ArgumentError(`${what} must be an array of strings, not ${named(cells)}`);
  // Items are made on access, perhaps read from a file, and are always strings.
  if (isLikeArray(cells)) return;
  for (let row = 0; row < cells.length; row++)
    if (typeof cells[row] !== "string")
      throw new ArgumentError(
        `${what}, row ${row}: ${named(cells[row])}, not a string. Write "" for an empty cell`,
      );
}

function checkTable(table: TableColumns): void {
  if (typeof table !== "object" || table === null || Array.isArray(table))
    throw new ArgumentError(
      `a table is given by columns, as { name: ["IBM"], city: ["Armonk"] }, not ${Array.isArray(table) ? "by rows" : named(table)}`,
    );
  const rows = rowsOf(table);
  const [first] = Object.keys(table);
  for (const [name, cells] of Object.entries(table)) {
    checkCells(`column ${name}`, cells);
    if (cells.length !== rows)
      throw new ArgumentError(
        `columns ${first} and ${name} have ${rows} and ${cells.length} cells; all columns need the same number`,
      );
  }
}

const named = (value: unknown): string => (value === null ? "null" : typeof value);
