/** The rows of a table for an index: its columns, its keys, and its cells in batches. */
import { TableError } from "../errors.js";
import { findColumn, namedColumn } from "../table/columns.js";
import { shownPath } from "../table/read/source.js";
import type { Table, TableDescription } from "../table/table.js";
import type { IndexLayout } from "./index-types.js";
import { KeyRows } from "./key-rows.js";

const rowsPerBatch = 8192;

/**
 * The table's column for each column of an index: the one of its name, for the phrase column the phrases under any name,
 * and undefined where there is none.
 */
export function columnSources(
  { column: phrases, columns: names }: Pick<TableDescription, "column" | "columns">,
  { columns, phraseColumn }: Pick<IndexLayout, "columns" | "phraseColumn">,
): (string | undefined)[] {
  // One that the index names exactly is not another's in another letter case.
  const others = names.filter((name) => !columns.includes(name));
  const sourceOf = (name: string): string | undefined =>
    names.includes(name) ? name : others[namedColumn(others, name)];
  return columns.map((name) => (name === phraseColumn ? phrases : sourceOf(name)));
}

/**
 * The table's phrases with the cells of an index's rows, batch by batch.
 * @param sources the table's column for each of the index's; empty cells where there is none
 */
export async function* tableRows(
  table: Table,
  sources: readonly (string | undefined)[],
  from: number,
): AsyncGenerator<{ phrases: string[]; cells: string[][] }> {
  const range = { from, chunkRows: rowsPerBatch };
  const isPhrase = sources.map((source) => source === table.description.column);
  const streams = sources.map((source, place) =>
    source === undefined || isPhrase[place] ? undefined : table.columnValues(source, range),
  );
  try {
    for await (const phrases of table.phrases(range)) {
      const parts = await Promise.all(streams.map((stream) => stream?.next()));
      const cells = phrases.map((phrase, row) =>
        sources.map((_, place) => (isPhrase[place] ? phrase : (parts[place]?.value?.[row] ?? ""))),
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
