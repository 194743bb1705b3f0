/** Makes whole output files of a table's columns and its vectors. */
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { moveFile } from "../../files/whole-file.js";
import { type Cell, cellOfType, isNested, isPlain } from "../cell.js";
import type { EmbeddingFormat } from "../format.js";
import { identifier, literal, OutOfMemory, readParquet } from "../read/database.js";
import { type ImportedColumn, rowsTable } from "../read/import.js";
import { Table } from "../table.js";
import { keysPathOf } from "./output-names.js";
import { addColumns, keyName, type VectorPages } from "./parquet-vectors.js";
import { lineOf, styleOf, writeRows } from "./text-rows.js";

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
  const { table, folder, vectorsPath, column } = request;
  if (format === "csv" || format === "tsv" || format === "jsonl") {
    const target = join(folder, `whole.${format}`);
    await writeText(request, format, target);
    await moveFile(target, path);
    return undefined;
  }
  if (format === "parquet") {
    const expressions = table.columns.map(({ expression }) => expression);
    await joinVectors(request, expressions, table.description.columns, column);
    await moveFile(vectorsPath, path);
    return undefined;
  }
  const keysPath = keysPathOf(path);
  const keys = join(folder, "keys.csv");
  await writeKeys(request, keys);
  await moveFile(keys, keysPath);
  await moveFile(vectorsPath, path);
  return keysPath;
}

async function writeKeys(request: OutputRequest, target: string): Promise<void> {
  const { columns, description } = request.table;
  // In a table of one column an empty cell is written "", or its row would look like a blank line.
  const values = columns.map(({ text }) =>
    columns.length === 1 ? `coalesce(${text}, '')` : `nullif(${text}, '')`,
  );
  const query = `SELECT ${values.join(", ")} FROM ${await rangeTable(request)}`;
  await copyCsv(request, query, description.columns, target);
}

/** Writes the input's columns, and the vectors as JSON lists. */
async function writeText(request: OutputRequest, format: "csv" | "tsv" | "jsonl", target: string) {
  const { table, vectorsPath, column } = request;
  const bodies = format === "jsonl" ? [jsonBody(table)] : table.columns.map(({ text }) => text);
  const columns = bodies.map((body) => `nullif(CAST(${body} AS VARCHAR), '')`);
  const names = columns.map((_, index) => `c${index}`);
  await joinVectors(request, columns, names, "vector");
  const from = `FROM ${readParquet(vectorsPath)}`;
  const vector = "CAST(vector AS VARCHAR)";
  if (format !== "jsonl") {
    const query = `SELECT ${[...names, vector].join(", ")} ${from}`;
    const header = [...table.description.columns, column];
    return copyCsv(request, query, header, target);
  }
  const lines = `SELECT c0 || ${literal(`${JSON.stringify(column)}:`)} || ${vector} || '}' ${from}`;
  // With a character for quotes DuckDB would quote lines that contain "#" or CR. JSON text cannot contain the delimiter.
  const settings = "FORMAT csv, HEADER false, DELIMITER E'\\x1f', QUOTE '', ESCAPE ''";
  // Two threads hold lines that wait for their turn: four times the memory.
  await table.database.runInOneThread(`COPY (${lines}) TO ${literal(target)} (${settings})`, target);
  await giveStyle(target, styleOf(format, table.description), /\n/g);
}

/** A JSON object without its closing brace, ready for one more key. JSON lines stay as they were written. */
function jsonBody({ description, columns }: Table): string {
  if (description.format === "jsonl") {
    const open = "left(trim(c0, E' \\t\\r\\n'), -1)";
    return `(${open} || CASE WHEN regexp_full_match(${open}, '\\{\\s*') THEN '' ELSE ',' END)`;
  }
  const pairs = columns.map(
    (column) => `${literal(`${JSON.stringify(column.name)}:`)} || ${jsonValue(column)} || ','`,
  );
  return `('{' || ${pairs.join(" || ")})`;
}

/** Numbers digit by digit; JSON has none that are not finite, and null stands for them. */
function jsonValue({ text, type }: ImportedColumn): string {
  const json = isNested(type)
    ? text
    : isPlain(type)
      ? `CASE WHEN NOT regexp_matches(${text}, '^(nan|-?inf)') THEN ${text} END`
      : `CAST(to_json(${text}) AS VARCHAR)`;
  return `coalesce(${json}, 'null')`;
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

/** Writes a query as CSV under a header of our own: DuckDB would rename columns that differ only in case. */
async function copyCsv(
  { table, range }: OutputRequest,
  query: string,
  names: readonly string[],
  target: string,
): Promise<void> {
  const style = styleOf(target.endsWith(".tsv") ? "tsv" : "csv", table.description);
  const header = lineOf(names, style.delimiter);
  if (range.from === range.to) return writeFile(target, style.beginning + header + style.lineEnd);
  const settings = [
    "FORMAT csv",
    "HEADER false",
    `DELIMITER ${literal(style.delimiter)}`,
    "QUOTE '\"'",
    "ESCAPE '\"'",
    `PREFIX ${literal(`${header}\n`)}`,
    // DuckDB requires both, and leaves the last line end to the suffix.
    "SUFFIX E'\\n'",
  ];
  await table.database.run(`COPY (${query}) TO ${literal(target)} (${settings.join(", ")})`, target);
  await giveStyle(target, style, /["\n]/g);
}

/** Puts a byte order mark and other line ends into a file of DuckDB's, which writes neither. @param ends finds quotes too where they hold cells together */
async function giveStyle(
  target: string,
  { beginning, lineEnd }: ReturnType<typeof styleOf>,
  ends: RegExp,
): Promise<void> {
  if (beginning === "" && lineEnd === "\n") return;
  const plain = `${target}.plain`;
  await moveFile(target, plain);
  let isQuoted = false;
  async function* styled(): AsyncGenerator<Buffer> {
    yield Buffer.from(beginning);
    for await (const chunk of createReadStream(plain, "latin1"))
      yield Buffer.from(
        String(chunk).replace(ends, (found) => {
          if (found === '"') isQuoted = !isQuoted;
          return found === '"' || isQuoted ? found : lineEnd;
        }),
        "latin1",
      );
  }
  await writeFile(target, styled());
  await rm(plain);
}

/** @returns the number of rows @throws TableError */
export async function copyTable(from: string, to: string): Promise<number> {
  const table = await Table.open(from, { column: "1" });
  try {
    const { columns } = table;
    async function* batches(): AsyncGenerator<Cell[][]> {
      for await (const lines of table.jsonRows())
        yield lines.map((line) => {
          const texts = JSON.parse(line) as (string | null)[];
          const exacts = texts.splice(columns.length) as string[];
          return columns.map(({ type }, index) => cellOfType(type, texts[index], exacts[index]));
        });
    }
    return await writeRows(to, columns, batches(), undefined, table.description);
  } finally {
    await table.close();
  }
}
