/** Brings a table of any format into a database, whole, with every column and row kept. */
import { access, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { TableError } from "../../errors.js";
import type { ColumnInfo } from "../columns.js";
import type { TableFormat } from "../format.js";
import { type CleanReport, cleanCopy, impossibleDelimiter, withoutByteOrderMark } from "./clean.js";
import { type Database, escapedLiteral, identifier, literal } from "./database.js";
import { type Shape, sniff } from "./sniff.js";
import { emptyFile, refuseNonText, type Source, shownPath } from "./source.js";

/** The name of the imported table in the database. */
export const rowsTable = "pearl_rows";

/** Which character quotes cells. */
export type QuoteStyle = "double" | "none";

/** How the text of a table is to be read. */
export interface ImportOptions {
  delimiter?: string;
  header: "auto" | "present" | "absent";
  quote: QuoteStyle;
}

/** A column of the imported table. */
export interface ImportedColumn extends ColumnInfo {
  /** The SQL expression over `rowsTable` that gives its value. */
  expression: string;
  /** Its DuckDB type. */
  type: string;
}

/** An imported table. */
export interface Imported {
  columns: ImportedColumn[];
  rowCount: number;
  delimiter: string | undefined;
  header: boolean;
  /** False where the first line was taken for a header for want of signs against it. */
  headerIsSure: boolean;
  blankLines: number;
  /** SHA-256 of the content, where it was read byte by byte. */
  hash: string | undefined;
}

/** Imports CSV, TSV, JSONL or plain text. */
export async function importText(
  database: Database,
  path: string,
  format: Exclude<TableFormat, "parquet">,
  source: Source,
  options: ImportOptions,
): Promise<Imported> {
  refuseNonText(path, source.signature);
  const sample = withoutByteOrderMark(source.sample);
  if (sample.length === 0) throw emptyFile(path);
  const kind = format === "jsonl" ? "json" : format === "text" ? "lines" : "cells";
  const shape = shapeOf(sample, format, source.isWhole, options);
  const names = kind === "json" ? [] : columnNames(path, shape);
  const copy = join(database.folder, "clean.txt");
  const report = await cleanCopy(source.chunks, copy, {
    path,
    dialect: shape.dialect,
    delimiter: shape.delimiter,
    columns: kind === "json" ? 1 : names.length,
    header: shape.header,
    kind,
  });
  const storedColumns = kind === "json" ? 1 : names.length;
  await readCleanCopy(database, path, copy, shape, storedColumns, report);
  await rm(copy);
  const columns = kind === "json" ? jsonColumns(report) : await textColumns(database, path, names);
  if (columns.length === 0 && report.rows === 0) {
    throw new TableError(`${shownPath(path)} holds no JSON line. Give at least one object.`);
  }
  return {
    columns,
    rowCount: report.rows,
    delimiter: shape.delimiter,
    header: shape.header,
    headerIsSure: shape.headerIsSure,
    blankLines: report.blankLines,
    hash: report.hash,
  };
}

function shapeOf(sample: Buffer, format: TableFormat, isWhole: boolean, options: ImportOptions): Shape {
  if (format !== "jsonl" && format !== "text") {
    return sniff(sample, { ...options, preferTab: format === "tsv" }, isWhole);
  }
  // A control character is not legal inside JSON text, so no JSON line needs quoting.
  const outputQuote = format === "jsonl" ? 0x1d : 0x22;
  const loneCrEndsLine = sample.includes(0x0d) && !sample.includes(0x0a);
  const dialect = { delimiter: -1, quote: -1, outputQuote, loneCrEndsLine };
  const header = format === "text" && options.header === "present";
  const firstLine = sample.toString("utf8").split(/\r\n|\n|\r/, 1)[0];
  const firstCells = [header ? firstLine : "phrase"];
  return { dialect, delimiter: undefined, header, headerIsSure: true, firstCells };
}

/** Names from the header, or `column1` ... where there is none; one column without a header is "phrase". */
function columnNames(path: string, shape: Shape): string[] {
  const { firstCells, header } = shape;
  if (!header) {
    return firstCells.length === 1 ? ["phrase"] : firstCells.map((_, index) => `column${index + 1}`);
  }
  const names = firstCells.map((cell, index) => cell.trim() || `column${index + 1}`);
  const firstPlace = new Map<string, number>();
  names.forEach((name, index) => {
    const earlier = firstPlace.get(name);
    if (earlier !== undefined) {
      throw new TableError(
        `${shownPath(path)}, line 1: columns ${earlier + 1} and ${index + 1} are both called "${name}". ` +
          "Rename one, or use --no-header if the first line is data.",
      );
    }
    firstPlace.set(name, index);
  });
  return names;
}

async function readCleanCopy(
  database: Database,
  path: string,
  copy: string,
  shape: Shape,
  columns: number,
  report: CleanReport,
): Promise<void> {
  const fields = Array.from({ length: columns }, (_, index) => `'c${index}': 'VARCHAR'`).join(", ");
  const quote = escapedLiteral(String.fromCharCode(shape.dialect.outputQuote));
  // Twice the longest line, quotes doubled, and DuckDB's usual sizes at least.
  const longestLine = Math.max(2_000_000, report.longest * 2 + 1024);
  const settings = [
    "auto_detect = false",
    "header = false",
    "strict_mode = true",
    `delim = ${escapedLiteral(shape.delimiter ?? impossibleDelimiter)}`,
    `quote = ${quote}`,
    `escape = ${quote}`,
    // An empty cell is an empty string; NULL is spelt in a way that no text is.
    "nullstr = E'\\x02\\x03\\x02'",
    "new_line = '\\n'",
    "parallel = false",
    `max_line_size = ${longestLine}`,
    `buffer_size = ${longestLine * 4}`,
    `columns = {${fields}}`,
  ];
  await database.allowMemory(2e8 + 6 * report.heaviest, shownPath(path));
  const from = `read_csv(${literal(copy)}, ${settings.join(", ")})`;
  await database.createTable(rowsTable, `SELECT * FROM ${from}`, shownPath(path));
  const [[stored]] = await database.run(`SELECT count(*) FROM ${rowsTable}`, shownPath(path));
  const count = Number(stored);
  if (count !== report.rows) {
    throw new TableError(
      `${shownPath(path)}: ${report.rows} rows were read but ${count} stored. Please report this table's shape.`,
    );
  }
}

async function textColumns(database: Database, path: string, names: string[]): Promise<ImportedColumn[]> {
  const top = await database.run(`SELECT * FROM ${rowsTable} LIMIT 100`, shownPath(path));
  return names.map((name, index) => ({
    name,
    isText: true,
    sample: top.map((row) => String(row[index])),
    expression: `c${index}`,
    type: "VARCHAR",
  }));
}

function jsonColumns(report: CleanReport): ImportedColumn[] {
  return report.keys.columns().map(({ name, type, sample }) => {
    const pointer = literal(`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    const text = `json_extract_string(c0, ${pointer})`;
    const expression =
      type === "JSON"
        ? `json_extract(c0, ${pointer})`
        : type === "VARCHAR"
          ? text
          : `CAST(${text} AS ${type})`;
    return { name, isText: type === "VARCHAR" && sample.length > 0, sample, expression, type };
  });
}

/** Imports Parquet, with every column's type as it is. */
export async function importParquet(database: Database, path: string): Promise<Imported> {
  // A link with a plain name, since DuckDB reads * and [ in a path as a pattern.
  const link = join(database.folder, "input.parquet");
  await access(path);
  await symlink(resolve(path), link);
  const damaged = `${path} is not a readable Parquet file (damaged, cut off or still being written). Write or fetch it again`;
  const described = await database.run(`DESCRIBE SELECT * FROM read_parquet(${literal(link)})`, damaged);
  const names = described.map((row) => String(row[0]));
  const stored = names.map((name, index) => `${identifier(name)} AS c${index}`).join(", ");
  await database.createTable(rowsTable, `SELECT ${stored} FROM read_parquet(${literal(link)})`, damaged);
  const [[count]] = await database.run(`SELECT count(*) FROM ${rowsTable}`, path);
  const texts = names.map((_, index) => `CAST(c${index} AS VARCHAR)`);
  const top = await database.run(`SELECT ${texts.join(", ")} FROM ${rowsTable} LIMIT 100`, path);
  const columns = names.map((name, index) => ({
    name,
    isText: /^(VARCHAR|ENUM)/.test(String(described[index][1])),
    sample: top.map((row) => (row[index] === null ? "" : String(row[index]))),
    expression: `c${index}`,
    type: String(described[index][1]),
  }));
  return {
    columns,
    rowCount: Number(count),
    delimiter: undefined,
    header: true,
    headerIsSure: true,
    blankLines: 0,
    hash: undefined,
  };
}
