/** Makes whole output files of a table's columns and its vectors. */
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { escapedLiteral, literal, OutOfMemory } from "../read/database.js";
import { type ImportedColumn, rowsTable } from "../read/import.js";
import type { Table } from "../table.js";
import { addColumns, MisalignedGroups, type VectorPages } from "./parquet-vectors.js";

/** Which rows of which table, and a folder on the target's disk for files on the way. */
export interface OutputRequest {
  table: Table;
  range: { from: number; to: number };
  folder: string;
}

/** Makes the file of pages a whole Parquet file with the input's columns, their names and types kept. */
export async function completeParquet(request: OutputRequest, pages: VectorPages): Promise<void> {
  const { columns } = request.table;
  const expressions = columns.map(({ expression }) => expression);
  await joinVectors(
    request,
    pages,
    expressions,
    columns.map(({ name }) => name),
  );
}

/** Writes the input's columns alone as CSV: the keys of a .npy file. */
export async function writeKeys(request: OutputRequest, target: string): Promise<void> {
  const { table } = request;
  const columns = table.columns.map(({ expression }) => {
    const text = `CAST(${expression} AS VARCHAR)`;
    // In a table of one column an empty cell is written "", or its row would look like a blank line.
    return table.columns.length === 1 ? `coalesce(${text}, '')` : `nullif(${text}, '')`;
  });
  const query = `SELECT ${columns.join(", ")} FROM ${await rangeTable(request)}`;
  await copyCsv(
    request,
    query,
    table.columns.map(({ name }) => name),
    ",",
    target,
  );
}

/** Writes CSV, TSV or JSONL: the input's columns, and the vectors as JSON lists. */
export async function writeText(
  request: OutputRequest,
  vectors: { pages: VectorPages; path: string },
  format: "csv" | "tsv" | "jsonl",
  target: string,
): Promise<void> {
  const { table } = request;
  const bodies = format === "jsonl" ? [jsonBody(table)] : table.columns.map(({ expression }) => expression);
  const columns = bodies.map((body) => `nullif(CAST(${body} AS VARCHAR), '')`);
  const names = columns.map((_, index) => `c${index}`);
  await joinVectors(request, { ...vectors.pages, name: "vector" }, columns, names);
  // A link with a plain name, since DuckDB reads * and [ in a path as a pattern.
  const link = join(table.database.folder, `joined-${process.hrtime.bigint()}.parquet`);
  await symlink(resolve(vectors.path), link);
  const from = `FROM read_parquet(${literal(link)})`;
  const list = "CAST(vector AS VARCHAR)";
  if (format === "jsonl") {
    const name = JSON.stringify(vectors.pages.name);
    const lines = `SELECT c0 || ${literal(`${name}:`)} || ${list} || '}' ${from}`;
    // two threads hold what is not yet its turn to be written: four times the memory
    await table.database.runInOneThread(`COPY (${lines}) TO ${literal(target)} (${lineSettings})`, target);
    return;
  }
  const header = [...table.columns.map(({ name }) => name), vectors.pages.name];
  const query = `SELECT ${[...names, list].join(", ")} ${from}`;
  await copyCsv(request, query, header, format === "tsv" ? "\t" : ",", target);
}

/** A JSON object without its closing brace, ready for one more key. JSON lines stay as they were written. */
function jsonBody(table: Table): string {
  const object =
    table.description.format === "jsonl"
      ? "trim(c0, E' \\t\\r\\n')"
      : `json_object(${table.columns.map((column) => `${literal(column.name)}, ${jsonValue(column)}`).join(", ")})`;
  const open = `left(CAST(${object} AS VARCHAR), -1)`;
  return `(${open} || CASE WHEN regexp_full_match(${open}, '\\{\\s*') THEN '' ELSE ',' END)`;
}

/** JSON has no word for what is not finite: null stands for it. */
function jsonValue({ expression, type }: ImportedColumn): string {
  const isFloat = type === "FLOAT" || type === "DOUBLE";
  return isFloat ? `CASE WHEN isfinite(${expression}) THEN ${expression} END` : expression;
}

async function joinVectors(
  request: OutputRequest,
  pages: VectorPages,
  expressions: string[],
  names: string[],
): Promise<void> {
  const { table, range, folder } = request;
  const keys = join(folder, "keys.parquet");
  const columns = expressions.map((expression, index) => `${expression} AS c${index}`);
  const query = `SELECT ${columns.join(", ")} FROM ${await rangeTable(request)}`;
  const write = async (groupRows: number) => {
    await table.database.runInOneThread(
      `COPY (${query}) TO ${literal(keys)} (FORMAT parquet, ROW_GROUP_SIZE ${groupRows})`,
      keys,
    );
    await addColumns(pages, keys, names);
  };
  try {
    await write(rowGroupRows(pages.dimension));
  } catch (error) {
    if (error instanceof MisalignedGroups) {
      // One group for all rows ends where the last page does.
      await write(Math.max(range.to - range.from, smallestGroup));
    } else if (error instanceof OutOfMemory) {
      // Cells of many kilobytes: the smallest groups need the least.
      await write(smallestGroup);
    } else throw error;
  }
}

/** DuckDB's vector size: its smallest row group. */
const smallestGroup = 2048;

/** More rows in a group make DuckDB's dictionaries outgrow its memory. */
const largestGroup = 32_768;

/** Rows of a row group: about 32 MB of vectors, so that readers need little memory. */
function rowGroupRows(dimension: number): number {
  const rows = Math.floor((32 * 1024 * 1024) / (dimension * 4) / smallestGroup) * smallestGroup;
  return Math.min(Math.max(rows, smallestGroup), largestGroup);
}

/** The table to read the range's rows from: DuckDB aligns row groups only where it scans from a start. */
async function rangeTable({ table, range }: OutputRequest): Promise<string> {
  const { from, to } = range;
  if (from === 0 && to === table.description.rowCount) return rowsTable;
  const name = "pearl_range";
  const query = `SELECT * FROM ${rowsTable} WHERE rowid >= ${from} AND rowid < ${to}`;
  await table.database.createTable(name, query, table.description.path);
  return name;
}

/** Writes a query as CSV under a header of our own: DuckDB would rename columns that differ only in case. */
async function copyCsv(
  { table, range }: OutputRequest,
  query: string,
  names: string[],
  delimiter: string,
  target: string,
): Promise<void> {
  const header = names.map((name) => csvCell(name, delimiter)).join(delimiter);
  if (range.from === range.to) {
    await writeFile(target, `${header}\n`);
    return;
  }
  const settings = [
    "FORMAT csv",
    "HEADER false",
    `DELIMITER ${escapedLiteral(delimiter)}`,
    "QUOTE '\"'",
    "ESCAPE '\"'",
    `PREFIX ${literal(`${header}\n`)}`,
    // DuckDB asks for both, and then leaves the last line end to the suffix.
    "SUFFIX E'\\n'",
  ];
  await table.database.run(`COPY (${query}) TO ${literal(target)} (${settings.join(", ")})`, target);
}

function csvCell(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines as they are: the control characters named here are not legal in JSON text. */
const lineSettings = "FORMAT csv, HEADER false, DELIMITER E'\\x1f', QUOTE E'\\x1e', ESCAPE E'\\x1e'";
