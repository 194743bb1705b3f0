/** A table whole in memory, for work that needs any row at any time. */
import { Table, type TableDescription, type TableOptions } from "./table.js";

export interface WholeTable {
  readonly description: TableDescription;
  /** Values by column name; "" for an empty cell. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly phrases: readonly string[];
  /** The cells of a row, counted from 0, in the order of the columns. */
  readonly cells: (row: number) => string[];
}

/** Reads a table. @param onNote called with how the table is read, before the values are @throws TableError */
export async function readWholeTable(
  path: string,
  options: TableOptions = {},
  onNote?: (summary: string) => void,
): Promise<WholeTable> {
  const table = await Table.open(path, options);
  try {
    const { description } = table;
    onNote?.(description.summary);
    const columns: Record<string, string[]> = {};
    for (const name of description.columns) columns[name] = await valuesOf(table, name);
    const cells = (row: number): string[] => description.columns.map((name) => columns[name][row]);
    return { description, columns, phrases: columns[description.column], cells };
  } finally {
    await table.close();
  }
}

/** Whole columns: one array for each name, in the names' order. */
export async function readColumns(
  path: string,
  names: readonly string[],
  options: TableOptions = {},
): Promise<string[][]> {
  const table = await Table.open(path, { ...options, column: names[0] });
  try {
    const columns: string[][] = [];
    for (const name of names) columns.push(await valuesOf(table, name));
    return columns;
  } finally {
    await table.close();
  }
}

async function valuesOf(table: Table, column: string): Promise<string[]> {
  const values: string[] = [];
  for await (const chunk of table.columnValues(column)) for (const value of chunk) values.push(value);
  return values;
}

export function* batchesOf<Item>(
  items: Iterable<Item>,
  cellsOf: (item: Item) => string[],
): Generator<string[][]> {
  let batch: string[][] = [];
  for (const item of items) {
    batch.push(cellsOf(item));
    if (batch.length < 4096) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
