/** A table whole in memory, for work that needs any row at any time. */
import { TableError } from "../errors.js";
import { type Cell, cellOfJson, cellOfType, type TypedColumn } from "./cell.js";
import { CellFile } from "./read/cell-file.js";
import { jsonPairsOf } from "./read/json-keys.js";
import { Table, type TableDescription, type TableOptions } from "./table.js";

export interface WholeTable {
  readonly description: TableDescription;
  /** Values by column name; "" for an empty cell. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly phrases: readonly string[];
  /** The cells of a row, counted from 0, in the order of the columns. */
  readonly cells: (row: number) => string[];
  /** The columns and the cells of a row as they are written out again: with the types that the file gives them. */
  readonly typed: { readonly columns: readonly TypedColumn[]; readonly cells: (row: number) => Cell[] };
}

/** A table in memory, wherever it comes from. */
export interface NamedTable extends Pick<WholeTable, "columns" | "typed"> {
  readonly description: Pick<TableDescription, "path" | "columns">;
}

/** How a table is read whole. */
export interface WholeTableOptions extends TableOptions {
  /** A folder for the cells, which then take little memory. Default: they are in memory. */
  readonly cellFolder?: string;
}

/** Reads a table. @param onNote called with how the table is read, before the values are @throws TableError */
export async function readWholeTable(
  path: string,
  options: WholeTableOptions = {},
  onNote?: (summary: string) => void,
): Promise<WholeTable> {
  const table = await Table.open(path, options);
  try {
    const { description } = table;
    onNote?.(description.summary);
    // Without a prototype, so that no column is found that the table lacks, such as "constructor".
    const columns: Record<string, readonly string[]> = Object.create(null);
    const onLoaded = loadingProgress(table, options);
    const file = options.cellFolder === undefined ? undefined : new CellFile(options.cellFolder);
    const keep: KeepCells = (chunks) =>
      file === undefined ? gathered(chunks, onLoaded) : file.column(chunks, description.rowCount, onLoaded);
    for (const name of description.columns) columns[name] = await keep(table.columnValues(name));
    const cells = (row: number): string[] => description.columns.map((name) => columns[name][row]);
    const typed = {
      columns: table.columns.map(({ name, type }) => ({ name, type })),
      cells: await typedCells(table, columns, cells, keep),
    };
    return { description, columns, phrases: columns[description.column], cells, typed };
  } finally {
    await table.close();
  }
}

/** Reads a table whose rows are compared by columns that are chosen later: notes name no column of phrases. */
export const readAllColumns = (
  path: string,
  options?: WholeTableOptions,
  onNote?: (summary: string) => void,
): Promise<WholeTable> =>
  readWholeTable(path, { ...options, column: "1" }, (summary) =>
    onNote?.(summary.replace(/; phrases from .*$/, "")),
  );

/** Says where a table has no rows, for work that compares them. */
export function noteEmpty({ description, phrases }: WholeTable, onNote?: (note: string) => void): void {
  if (phrases.length === 0)
    onNote?.(`${description.path}: the table has no rows, so there is nothing to compare`);
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
    for (const name of names) columns.push(await gathered(table.columnValues(name)));
    return columns;
  } finally {
    await table.close();
  }
}

/** The first two columns of a table. @param what they are, such as "a phrase and its type. Add ..." @throws TableError for one column */
export async function readTwoColumns(path: string, what: string, shown = path): Promise<string[][]> {
  const { description, columns } = await readWholeTable(path, { column: "1" });
  const [first, second] = description.columns;
  if (second === undefined)
    throw new TableError(`${shown}: found one column (${first}), expected two: ${what}`);
  return columns[first].map((text, row) => [text.trim(), columns[second][row].trim()]);
}

async function typedCells(
  table: Table,
  texts: Readonly<Record<string, readonly string[]>>,
  cells: (row: number) => string[],
  keep: KeepCells,
): Promise<(row: number) => Cell[]> {
  const { columns, description } = table;
  if (description.format === "jsonl") {
    const lines = await keep(table.expressionValues("c0"));
    return (row) => {
      const values = new Map(jsonPairsOf(lines[row]));
      return description.columns.map((name) => {
        const json = values.get(name);
        return json === undefined ? undefined : cellOfJson(json);
      });
    };
  }
  if (!["parquet", "postgres", "database"].includes(description.format)) return cells;
  const isNull: ((row: number) => boolean)[] = [];
  for (const { expression } of columns) isNull.push(await table.nullRows(expression));
  const exacts: (readonly string[] | undefined)[] = [];
  for (const { exact } of columns)
    exacts.push(exact === undefined ? undefined : await keep(table.expressionValues(exact)));
  return (row) =>
    columns.map(({ name, type }, index) =>
      cellOfType(type, isNull[index](row) ? null : texts[name][row], exacts[index]?.[row]),
    );
}

/** Keeps the cells of a column, in memory or in a file. */
type KeepCells = (chunks: AsyncIterable<string[]>) => Promise<readonly string[]>;

/** Receives the number of further cells that are kept. */
type OnLoaded = (cells: number) => void;

function loadingProgress({ columns, description }: Table, { signal, onProgress }: TableOptions): OnLoaded {
  const { path, format, rowCount } = description;
  // The lines of JSONL are read besides, since they say how each value is written; so are values that JSON rounds.
  const besides = columns.filter(({ exact }) => exact !== undefined).length + (format === "jsonl" ? 1 : 0);
  const total = rowCount * (columns.length + besides);
  let done = 0;
  return (cells) => {
    signal?.throwIfAborted();
    done += cells;
    onProgress?.({ path, stage: "loading", done, total });
  };
}

async function gathered(chunks: AsyncIterable<string[]>, onLoaded?: OnLoaded): Promise<string[]> {
  const values: string[] = [];
  for await (const chunk of chunks) {
    for (const value of chunk) values.push(value);
    onLoaded?.(chunk.length);
  }
  return values;
}

export function* batchesOf<Item>(
  items: Iterable<Item>,
  cellsOf: (item: Item) => Cell[],
): Generator<Cell[][]> {
  let batch: Cell[][] = [];
  for (const item of items) {
    batch.push(cellsOf(item));
    if (batch.length < 4096) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
