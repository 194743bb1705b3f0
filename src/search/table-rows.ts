/** The rows of a table for an index: its columns, its keys, and its cells in batches. */
import { TableError } from "../errors.js";
import { findColumn } from "../table/columns.js";
import { shownPath } from "../table/read/source.js";
import type { Table } from "../table/table.js";
import { KeyRows } from "./key-rows.js";

const rowsPerBatch = 8192;

/** The table's phrases with the index's columns, batch by batch. */
export async function* tableRows(
  table: Table,
  columns: readonly string[],
  phraseColumn: string | undefined,
  from: number,
): AsyncGenerator<{ phrases: string[]; cells: string[][] }> {
  const range = { from, chunkRows: rowsPerBatch };
  const names = table.description.columns;
  const streams = columns.map((name) => {
    // The phrases go into the index's phrase column, under any name in this table.
    if (name === phraseColumn) return undefined;
    return names.includes(name) ? table.columnValues(name, range) : undefined;
  });
  try {
    for await (const phrases of table.phrases(range)) {
      const parts = await Promise.all(streams.map((stream) => stream?.next()));
      const cells = phrases.map((phrase, row) =>
        columns.map((name, column) => (name === phraseColumn ? phrase : (parts[column]?.value?.[row] ?? ""))),
      );
      yield { phrases, cells };
    }
  } finally {
    await Promise.all(streams.map((stream) => stream?.return(undefined)));
  }
}

/** The columns that the index keeps: all but lists, which are vectors. */
export function keptColumns(
  table: Table,
  { onNote }: { readonly onNote?: (note: string) => void },
): string[] {
  const lists = table.columns.filter(({ type }) => type.endsWith("]")).map(({ name }) => name);
  if (lists.length > 0) onNote?.(`left out, since they hold lists: ${lists.join(", ")}`);
  return table.columns.map(({ name }) => name).filter((name) => !lists.includes(name));
}

/** Checks the keys before any work begins. @returns their column @throws TableError for an empty or repeated key */
export async function checkKeys(table: Table, columns: string[], wanted: string): Promise<string> {
  const { path } = table.description;
  const column = columns[findColumn(shownPath(path), columns, wanted)];
  const rows = new KeyRows();
  let row = 0;
  for await (const chunk of table.columnValues(column)) {
    for (const key of chunk) {
      row++;
      if (key === "")
        throw new TableError(`${path}: row ${row} has no ${column}, which is the key. Give it one.`);
      const earlier = rows.get(key);
      if (earlier !== undefined) {
        throw new TableError(
          `${path}: rows ${earlier} and ${row} have the same ${column}, ${key}. ` +
            "Keys must differ; without --key rows are numbered.",
        );
      }
      rows.set(key, row);
    }
  }
  return column;
}
