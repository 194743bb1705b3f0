/** A table of phrases on disk: opened whole, so that trouble shows before any work begins, then streamed. */
import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { PearlError, TableError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { choosePhraseColumn, findColumn, listed } from "./columns.js";
import { formatOfName, nameOfDelimiter, parseDelimiter, type TableFormat } from "./format.js";
import { Database, databaseTrouble } from "./read/database.js";
import { type Imported, importParquet, importText, type QuoteStyle, rowsTable } from "./read/import.js";
import { checkFile, emptyFile, openSource, shownPath, standardInput } from "./read/source.js";

/** How a table is to be read. Everything left out is found in the file. */
export interface TableOptions {
  /** The phrase column: a name or a 1-based number. Default: the only column, or one with a usual name. */
  column?: string;
  /** The character between cells, or "comma", "tab", "semicolon", "pipe". */
  delimiter?: string;
  /** Whether the first line names the columns (default "auto"). */
  header?: "auto" | "present" | "absent";
  /** Whether quotes hold cells together (default "double") or are ordinary characters ("none"). */
  quote?: QuoteStyle;
  /** The format, where the file's name does not tell it. */
  format?: TableFormat;
  /** Where temporary files go (default: the system's temporary folder). */
  workFolder?: string;
  /** Memory that DuckDB may use, such as "400MB" (the default). */
  memoryLimit?: string;
}

/** What a table turned out to be. */
export interface TableDescription {
  path: string;
  format: TableFormat;
  /** Undefined for one-column tables, JSONL and Parquet. */
  delimiter?: string;
  header: boolean;
  columns: string[];
  /** The phrase column's name. */
  column: string;
  rowCount: number;
  /** One line for people: how the table was read. */
  summary: string;
}

/** A range of rows, from 0; `to` is exclusive. */
export interface RowRange {
  from?: number;
  to?: number;
}

/** An open table. Call `close` when done: it removes the temporary files. */
export class Table {
  private constructor(
    readonly description: TableDescription,
    /** The database that holds the rows, for those who write them out again. */
    readonly database: Database,
    /** The columns with the expressions that give their values. */
    readonly columns: Imported["columns"],
    /** Changes whenever the input does: size, time and content hash. */
    readonly identity: string,
    private readonly phraseColumn: number,
  ) {}

  /**
   * Reads the whole table into a temporary database. `path` "-" is standard input.
   * Throws TableError that names the file, the line and the cure.
   */
  static async open(path: string, options: TableOptions = {}): Promise<Table> {
    if (path !== standardInput) await checkFile(path);
    const delimiter = options.delimiter === undefined ? undefined : parseDelimiter(options.delimiter);
    const database = await Database.open(options);
    try {
      const { imported, format } = await importTable(database, path, { ...options, delimiter });
      const column = choosePhraseColumn(shownPath(path), imported.columns, options.column);
      const description = describe(path, format, imported, column);
      const identity = await identityOf(path, imported);
      return new Table(description, database, imported.columns, identity, column);
    } catch (error) {
      await database.close();
      throw error instanceof PearlError ? error : databaseTrouble(error, shownPath(path));
    }
  }

  /**
   * The phrases in row order, `chunkRows` (default 8192) at a time. An empty or missing cell is "".
   * The range defaults to all rows.
   */
  async *phrases(range: RowRange & { chunkRows?: number } = {}): AsyncGenerator<string[]> {
    const text = `coalesce(CAST(${this.columns[this.phraseColumn].expression} AS VARCHAR), '')`;
    yield* this.values(text, range);
  }

  /** The values of any column, as text, in row order: "" where there is none. */
  async *columnValues(name: string, range: RowRange & { chunkRows?: number } = {}): AsyncGenerator<string[]> {
    const index = findColumn(shownPath(this.description.path), this.description.columns, name);
    yield* this.values(`coalesce(CAST(${this.columns[index].expression} AS VARCHAR), '')`, range);
  }

  private async *values(
    expression: string,
    range: RowRange & { chunkRows?: number },
  ): AsyncGenerator<string[]> {
    const { from, to } = wholeRange(range, this.description.rowCount);
    const chunkRows = range.chunkRows ?? 8192;
    const sql = `SELECT ${expression} FROM ${rowsTable} WHERE rowid >= ${from} AND rowid < ${to}`;
    let gathered: string[] = [];
    for await (const chunk of this.database.strings(sql, shownPath(this.description.path))) {
      for (const value of chunk) {
        gathered.push(value);
        if (gathered.length === chunkRows) {
          yield gathered;
          gathered = [];
        }
      }
    }
    if (gathered.length > 0) yield gathered;
  }

  /** Closes the database and removes the temporary files. */
  async close(): Promise<void> {
    await this.database.close();
  }
}

/** The range with its defaults filled in, kept inside the table. Throws TableError where it is none. */
export function wholeRange(range: RowRange, rowCount: number): { from: number; to: number } {
  const from = range.from ?? 0;
  const to = Math.min(range.to ?? rowCount, rowCount);
  if (!Number.isInteger(from) || from < 0 || !Number.isInteger(to) || to < from) {
    throw new TableError(`rows ${from} to ${to} are no range of a table of ${rowCount} rows.`);
  }
  return { from, to };
}

/**
 * Columns of a small table, whole in memory: one array for each name, in the names' order.
 * Meant for benchmark files and the like; large tables are for `Table`.
 */
export async function readColumns(
  path: string,
  names: string[],
  options: TableOptions = {},
): Promise<string[][]> {
  const table = await Table.open(path, { ...options, column: names[0] });
  try {
    const columns: string[][] = [];
    for (const name of names) {
      const values: string[] = [];
      for await (const chunk of table.columnValues(name)) values.push(...chunk);
      columns.push(values);
    }
    return columns;
  } finally {
    await table.close();
  }
}

async function importTable(
  database: Database,
  path: string,
  options: TableOptions,
): Promise<{ imported: Imported; format: TableFormat }> {
  const named = options.format ?? formatOfName(path);
  if (named === "parquet") {
    if (path === standardInput) {
      throw new TableError("standard input: Parquet cannot be read from a pipe. Save it to a file first.");
    }
    return { imported: await importParquet(database, path), format: "parquet" };
  }
  const source = await openSource(path);
  if (source.sample.length === 0) throw emptyFile(path);
  if (named === undefined && source.signature === "parquet" && path !== standardInput) {
    return { imported: await importParquet(database, path), format: "parquet" };
  }
  const format = named ?? (/^[\s\ufeff]*\{/.test(source.sample.toString("utf8", 0, 4096)) ? "jsonl" : "csv");
  const settings = {
    delimiter: options.delimiter,
    header: options.header ?? "auto",
    quote: options.quote ?? "double",
  };
  return { imported: await importText(database, path, format, source, settings), format };
}

async function identityOf(path: string, imported: Imported): Promise<string> {
  if (imported.hash !== undefined) return `rows ${imported.rowCount} sha256 ${imported.hash}`;
  const status = await stat(path);
  const file = await open(path, "r");
  try {
    const start = Buffer.alloc(Math.min(status.size, 1 << 20));
    await file.read(start, 0, start.length, 0);
    const hash = createHash("sha256").update(start).digest("hex");
    return `size ${status.size} modified ${status.mtimeMs} sha256 ${hash}`;
  } finally {
    await file.close();
  }
}

function describe(path: string, format: TableFormat, imported: Imported, column: number): TableDescription {
  const columns = imported.columns.map(({ name }) => name);
  const { delimiter, header, rowCount, blankLines } = imported;
  const name = columns[column];
  const parts: string[] = [];
  if (format === "text") parts.push("one phrase a line");
  else if (format === "jsonl") parts.push("JSON lines");
  else if (format === "parquet") parts.push("Parquet");
  else {
    parts.push(delimiter === undefined ? "one column" : `${nameOfDelimiter(delimiter)}-separated`);
    const doubt = imported.headerIsSure ? "" : " (--no-header if that line is data)";
    parts.push(header ? `header in the first line${doubt}` : "no header");
  }
  parts.push(`${formatCount(rowCount)} row${rowCount === 1 ? "" : "s"}`);
  if (blankLines > 0) parts.push(`${blankLines} blank line${blankLines === 1 ? "" : "s"} skipped`);
  const choice =
    columns.length === 1 ? `phrases from "${name}"` : `phrases from "${name}" of ${listed(columns)}`;
  const summary = `${shownPath(path)}: ${parts.join(", ")}; ${choice}`;
  return { path, format, delimiter, header, columns, column: name, rowCount, summary };
}
