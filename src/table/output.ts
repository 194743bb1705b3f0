/** Makes whole output files of a table's columns and a file of vectors, through DuckDB. */
import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { escapedLiteral, identifier, literal } from "./database.js";
import { rowsTable } from "./import.js";
import { addVectorColumn, type VectorColumn } from "./parquet-vectors.js";
import type { Table } from "./table.js";

/** What is to be made, and of what. */
export interface OutputRequest {
  table: Table;
  range: { from: number; to: number };
  vectors: VectorColumn;
  /** A folder on the target's disk for files on the way. */
  folder: string;
  target: string;
}

/** Writes the input's columns, with their types, and the vectors as Parquet. */
export async function writeParquet(request: OutputRequest): Promise<void> {
  const columns = request.table.columns.map(({ name, expression }) => `${expression} AS ${identifier(name)}`);
  await joinVectors(request, columns, request.target);
}

/** Writes the input's columns alone as CSV: the keys of a .npy file. */
export async function writeKeys(request: OutputRequest): Promise<void> {
  const { table, range, target } = request;
  const columns = table.columns.map(({ name, expression }) => {
    const text = `CAST(${expression} AS VARCHAR)`;
    // In a table of one column an empty cell is written "", or its row would look like a blank line.
    const value = table.columns.length === 1 ? `coalesce(${text}, '')` : `nullif(${text}, '')`;
    return `${value} AS ${identifier(name)}`;
  });
  await copy(table, select(columns, range), target, csvSettings(","));
}

/** Writes CSV, TSV or JSONL: the input's columns, and the vectors as JSON lists. */
export async function writeText(request: OutputRequest, format: "csv" | "tsv" | "jsonl"): Promise<void> {
  const { table, folder, vectors, target } = request;
  const bodies = format === "jsonl" ? [jsonBody(table)] : table.columns.map(({ expression }) => expression);
  const columns = bodies.map((body, index) => `nullif(CAST(${body} AS VARCHAR), '') AS c${index}`);
  const joined = join(folder, "joined.parquet");
  await joinVectors({ ...request, vectors: { ...vectors, name: "vector" } }, columns, joined);
  // A link with a plain name, since DuckDB reads * and [ in a path as a pattern.
  const link = join(table.database.folder, `joined-${Date.now()}.parquet`);
  await symlink(resolve(joined), link);
  const from = `FROM read_parquet(${literal(link)})`;
  if (format === "jsonl") {
    const name = JSON.stringify(vectors.name);
    const lines = `SELECT c0 || ${literal(`${name}:`)} || CAST(vector AS VARCHAR) || '}' AS line ${from}`;
    await copy(table, lines, target, lineSettings);
    return;
  }
  const named = table.columns.map(({ name }, index) => `c${index} AS ${identifier(name)}`);
  const list = `CAST(vector AS VARCHAR) AS ${identifier(vectors.name)}`;
  const delimiter = format === "tsv" ? "\t" : ",";
  await copy(table, `SELECT ${[...named, list].join(", ")} ${from}`, target, csvSettings(delimiter));
}

/** A JSON object without its closing brace, ready for one more key. JSON lines stay as they were written. */
function jsonBody(table: Table): string {
  const object =
    table.description.format === "jsonl"
      ? "trim(c0, E' \\t\\r\\n')"
      : `json_object(${table.columns.map((column) => `${literal(column.name)}, ${column.expression}`).join(", ")})`;
  const open = `left(CAST(${object} AS VARCHAR), -1)`;
  return `(${open} || CASE WHEN regexp_full_match(${open}, '\\{\\s*') THEN '' ELSE ',' END)`;
}

async function joinVectors(request: OutputRequest, columns: string[], target: string): Promise<void> {
  const { table, range, folder, vectors } = request;
  const keys = join(folder, "keys.parquet");
  const groupRows = rowGroupRows(vectors.dimension);
  await copy(table, select(columns, range), keys, `FORMAT parquet, ROW_GROUP_SIZE ${groupRows}`);
  await addVectorColumn(keys, target, vectors);
}

/** Rows of a row group: about 32 MB of vectors, so that readers need little memory. */
function rowGroupRows(dimension: number): number {
  const vectors = 2048;
  const rows = Math.floor((32 * 1024 * 1024) / (dimension * 4) / vectors) * vectors;
  return Math.min(Math.max(rows, vectors), 122_880);
}

function select(columns: string[], range: { from: number; to: number }): string {
  const { from, to } = range;
  return `SELECT ${columns.join(", ")} FROM ${rowsTable} WHERE rowid >= ${from} AND rowid < ${to}`;
}

async function copy(table: Table, query: string, target: string, settings: string): Promise<void> {
  await table.database.run(`COPY (${query}) TO ${literal(target)} (${settings})`, target);
}

function csvSettings(delimiter: string): string {
  return `FORMAT csv, HEADER true, DELIMITER ${escapedLiteral(delimiter)}, QUOTE '"', ESCAPE '"'`;
}

/** Lines as they are: the control characters named here are not legal in JSON text. */
const lineSettings = "FORMAT csv, HEADER false, DELIMITER E'\\x1f', QUOTE E'\\x1e', ESCAPE E'\\x1e'";
