/** Makes whole output files of a table's columns and its vectors. */
import { join } from "node:path";
import { moveFile } from "../../files/whole-file.js";
import type { Cell } from "../cell.js";
import type { EmbeddingFormat } from "../format.js";
import { identifier, literal, OutOfMemory, readParquet } from "../read/database.js";
import { rowsTable } from "../read/import.js";
import { Table } from "../table.js";
import { keysPathOf } from "./output-names.js";
import { addColumns, keyName, type VectorPages } from "./parquet-vectors.js";
import { styleOf, writeRows, writeText } from "./text-rows.js";

export interface OutputRequest {
  readonly table: Table;
  readonly range: { from: number; to: number };
  /** A folder on the target's disk for temporary files. */
  readonly folder: string;
  readonly vectorsPath: string;
  /** The vectors in that file, unless it has the layout of .npy. */
  readonly pages: VectorPages;
  readonly column: string;
}

/** Makes the output and moves it to `path`. @returns the path of the keys beside an .npy file */
export async function makeOutput(
  request: OutputRequest,
  format: EmbeddingFormat,
  path: string,
): Promise<string | undefined> {
  const { table, range, folder, vectorsPath, column } = request;
  const { columns, description } = table;
  if (format === "csv" || format === "tsv" || format === "jsonl") {
    const target = join(folder, `whole.${format}`);
    await joinVectors(request, ["rowid"], ["row"], "vector");
    // Two threads hold lines that wait for their turn: four times the memory.
    await table.database.inOneThread(() => writeWithVectors(request, format, target), target);
    await moveFile(target, path);
    return undefined;
  }
  if (format === "parquet") {
    const expressions = columns.map(({ expression }) => expression);
    await joinVectors(request, expressions, description.columns, column);
    await moveFile(vectorsPath, path);
    return undefined;
  }
  const keysPath = keysPathOf(path);
  const keys = join(folder, "keys.csv");
  await writeRows(keys, columns, table.cells(range), "csv", description);
  await moveFile(keys, keysPath);
  await moveFile(vectorsPath, path);
  return keysPath;
}

/** Writes the input's columns, and the joined vectors as JSON lists. */
async function writeWithVectors(
  request: OutputRequest,
  format: "csv" | "tsv" | "jsonl",
  target: string,
): Promise<void> {
  const { table, range, vectorsPath, column } = request;
  const { columns, description, database } = table;
  const query = `SELECT CAST(vector AS VARCHAR) FROM ${readParquet(vectorsPath)}`;
  const vectors = database.strings(query, target);
  if (format !== "jsonl" || description.format !== "jsonl") {
    const rows = besideVectors(table.cells(range), vectors, (row, json): Cell[] => [...row, { json }]);
    await writeRows(target, [...columns, { name: column, type: "FLOAT[]" }], rows, format, description);
    return;
  }
  // JSON lines stay as they were written.
  const { beginning, lineEnd } = styleOf(format, description);
  const withVector = (line: string, vector: string): string => {
    const open = line.trim().slice(0, -1);
    const comma = /^\{\s*$/.test(open) ? "" : ",";
    return `${open}${comma}${JSON.stringify(column)}:${vector}}${lineEnd}`;
  };
  async function* parts(): AsyncGenerator<string> {
    yield beginning;
    for await (const lines of besideVectors(table.expressionValues("c0", range), vectors, withVector))
      yield lines.join("");
  }
  await writeText(target, parts());
}

/** Joins each row with its vector, some rows at a time. */
async function* besideVectors<Row, Joined>(
  batches: AsyncIterable<readonly Row[]>,
  vectors: AsyncGenerator<string[]>,
  join: (row: Row, vector: string) => Joined,
): AsyncGenerator<Joined[]> {
  const waiting: string[] = [];
  try {
    for await (const rows of batches) {
      while (waiting.length < rows.length) waiting.push(...(await vectors.next()).value);
      const own = waiting.splice(0, rows.length);
      yield rows.map((row, place) => join(row, own[place]));
    }
  } finally {
    await vectors.return(undefined);
  }
}

/** Makes the file of vectors a whole Parquet file: the values of `expressions`, called `names`, and the vectors. */
async function joinVectors(
  request: OutputRequest,
  expressions: readonly string[],
  names: readonly string[],
  vectorName: string,
): Promise<void> {
  const { table, folder, pages } = request;
  const keys = join(folder, "keys.parquet");
  const columns = expressions.map((expression, index) => `${expression} AS ${identifier(keyName(index))}`);
  const query = `SELECT ${columns.join(", ")} FROM ${await rangeTable(request)}`;
  const write = (groupRows: number) =>
    table.database.runInOneThread(
      `COPY (${query}) TO ${literal(keys)} (FORMAT parquet, ROW_GROUP_SIZE ${groupRows})`,
      keys,
    );
  await write(rowGroupRows(pages.dimension)).catch(async (error: unknown) => {
    if (!(error instanceof OutOfMemory)) throw error;
    // Cells of many kilobytes: the smallest groups need the least memory.
    await write(smallestGroup);
  });
  await addColumns(pages, vectorName, keys, names);
}

/** DuckDB's vector size: its smallest row group. */
const smallestGroup = 2048;

/** With more rows in a group DuckDB's dictionaries outgrow its memory. */
const largestGroup = 32_768;

/** Rows of a row group: about 32 MB of vectors, so that readers need little memory. */
function rowGroupRows(dimension: number): number {
  const rows = Math.floor((32 * 1024 * 1024) / (dimension * 4) / smallestGroup) * smallestGroup;
  return Math.min(Math.max(rows, smallestGroup), largestGroup);
}

/**
 * The table to read the range's rows from. Row groups end where pages of vectors do only if DuckDB scans a table
 * from its start, so a part of the rows becomes a table of its own.
 */
async function rangeTable({ table, range: { from, to } }: OutputRequest): Promise<string> {
  if (from === 0 && to === table.description.rowCount) return rowsTable;
  const query = `SELECT * FROM ${rowsTable} WHERE rowid >= ${from} AND rowid < ${to}`;
  await table.database.createTable("pearl_range", query, table.description.path);
  return "pearl_range";
}

/** @returns the number of rows @throws TableError */
export async function copyTable(from: string, to: string): Promise<number> {
  const table = await Table.open(from, { column: "1" });
  try {
    return await writeRows(to, table.columns, table.cells(), undefined, table.description);
  } finally {
    await table.close();
  }
}
