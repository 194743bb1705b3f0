/** Columns that are made of several: "first name + last name". */
import { isLikeArray, likeArray } from "../../like-array.js";
import type { TableColumns } from "./align.js";

export const partSeparator = " + ";

/** The columns that a name lists: itself where it is one. */
export const partsOfName = (name: string, columns: readonly string[]): readonly string[] =>
  columns.includes(name) ? [name] : name.split(partSeparator);

/** The columns that a column of a table is made of: itself, or those that its name lists; none where some are missing. */
export function partsOfColumn(table: TableColumns, name: string): readonly string[] {
  const parts = partsOfName(name, Object.keys(table));
  return parts.every((part) => Object.hasOwn(table, part)) ? parts : [];
}

/** The cells of a column, or of several as one. @throws TypeError for a column that the table lacks */
export function cellsOfColumn(table: TableColumns, name: string): readonly string[] {
  return cellsOfParts(table, partsOfColumn(table, name));
}

/** The cells of several columns as one, without those that are empty. */
export function cellsOfParts(table: TableColumns, parts: readonly string[]): readonly string[] {
  const columns = parts.map((part) => table[part]);
  const [first, ...others] = columns;
  if (others.length === 0) return first;
  const at = (row: number): string => {
    const filled = columns.map((cells) => cells[row].trim()).filter((cell) => cell !== "");
    return filled.join(" ");
  };
  // Cells that lie in a file stay there.
  return columns.some(isLikeArray) ? likeArray(first.length, at) : Array.from(first, (_, row) => at(row));
}
