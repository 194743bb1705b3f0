/** What every store does by an index's layout: take keys from new rows, find the rows to delete, name the cells of a hit. */
import { VectorIndexError } from "../../errors.js";
import type { IndexLayout, IndexRows, IndexSelection } from "../index-types.js";

/**
 * The keys of new rows; undefined where rows are numbered.
 * @throws VectorIndexError for an empty key, or one that occurs twice
 */
export function keysOf({ keyColumn, columns }: IndexLayout, cells: IndexRows["cells"]): string[] | undefined {
  if (keyColumn === undefined) return undefined;
  const column = columns.indexOf(keyColumn);
  const seen = new Set<string>();
  return cells.map((row) => {
    const key = row[column];
    if (key === "")
      throw new VectorIndexError(`A row has an empty key (${keyColumn}). Every row needs a key.`);
    if (seen.has(key))
      throw new VectorIndexError(`The key ${key} (${keyColumn}) occurs twice. Keys must be unique.`);
    seen.add(key);
    return key;
  });
}

/** The error for a key that the index already holds. */
export const keyExists = (path: string, key: string): VectorIndexError =>
  new VectorIndexError(
    `${path} already has a row with the key ${key}. Delete it first, or replace rows (--replace).`,
  );

/**
 * What a selection compares: the place of a column and the values in it; no column for keys.
 * @throws VectorIndexError for phrases where no column holds phrases
 */
export function selectedValues(
  path: string,
  { columns, phraseColumn }: IndexLayout,
  selection: IndexSelection,
): { readonly column: number | undefined; readonly values: readonly string[] } {
  if ("keys" in selection) return { column: undefined, values: selection.keys };
  if (phraseColumn === undefined)
    throw new VectorIndexError(`${path} has no phrase column. Select the rows by key.`);
  return { column: columns.indexOf(phraseColumn), values: selection.phrases };
}

/** Cells by the names of their columns. */
export const namedCells = (columns: readonly string[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((name, place) => [name, cells[place]]));
