/** A table of phrases on disk: opened whole, so that trouble shows before any work begins, then streamed. */
import { PearlError, TableError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { isPostgresAddress, tablePlace } from "../files/place.js";
import { type Cell, cellOfType } from "./cell.js";
import { choosePhraseColumn, findColumn, listed } from "./columns.js";
import { formatOfName, nameOfDelimiter, parseDelimiter, parseEncoding, type TableFormat } from "./format.js";
import { withoutPassword } from "./postgres/address.js";
import { Database, databaseTrouble } from "./read/database.js";
import { importDatabaseFile } from "./read/database-file.js";
import { type Imported, importParquet, importText, rowsTable } from "./read/import.js";
import { checkFile, emptyFile, openSource, shownPath, standardInput } from "./read/source.js";
import { sheetLine } from "./spreadsheet.js";

/** How a table is read. What is left out is found in the file. */
export interface TableOptions {
  /** The phrase column: a name or a 1-based number. Default: the only column, or one with a usual name. */
  column?: string;
  /** The character between cells, or "comma", "tab", "semicolon", "pipe". */
  delimiter?: string;
  /** Whether the first line names the columns (default "auto"). */
  header?: "auto" | "present" | "absent";
  /** Whether quotes hold cells together (default "double") or are ordinary characters ("none"). */
  quote?: "double" | "none";
  /** The format, where the file's name does not indicate it. */
  format?: TableFormat;
  /** The encoding of the text, such as "windows-1252" or "shift_jis". Default: UTF-8, or what the bytes show. */
  encoding?: string;
  /** Of a table in PostgreSQL: only the rows with one of these values, as text, of a column. */
  only?: { readonly column: string; readonly values: readonly string[] };
  /** Where temporary files go (default: the system's temporary folder). */
  workFolder?: string;
  /** Ends the reading, which rejects with its reason. */
  signal?: AbortSignal;
  /** Called often while the table is read, with how much is done. */
  onProgress?: (progress: ReadingProgress) => void;
}

/** How far a table is read: its bytes are read, then stored in a database, then its cells are loaded where they are all needed. */
export interface ReadingProgress {
  path: string;
  stage: "reading" | "storing" | "loading";
  /** Bytes of the file; cells while they are loaded. */
  done: number;
  /** 0 where it is not known, as of standard input. */
  total: number;
}

/** How a table was read. */
export type TableDescription = ReturnType<typeof describe>;

/** Whether a table names its columns itself: in a header, or as keys of JSON. */
export const namesColumns = ({ header, format }: TableDescription): boolean => header || format === "jsonl";

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
    /** Changes whenever the input's content does. */
    readonly identity: string,
  ) {}

  /**
   * Reads the whole table into a temporary database. `path` "-" is standard input, `s3://...` an object in object storage,
   * `postgres://...?table=NAME` a table in PostgreSQL, `FILE?table=NAME` one of an SQLite or DuckDB file.
   * Throws TableError (ObjectStorageError for s3://...) that names the file, the line and the cure; the reason of an
   * aborted signal.
   */
  static async open(path: string, options: TableOptions = {}): Promise<Table> {
    const { signal } = options;
    signal?.throwIfAborted();
    const size = await checkFile(path);
    const delimiter = options.delimiter === undefined ? undefined : parseDelimiter(options.delimiter);
    const database = await Database.open(options.workFolder);
    const interrupt = (): void => database.interrupt();
    signal?.addEventListener("abort", interrupt);
    try {
      const { imported, format } = await importTable(database, path, size, { ...options, delimiter });
      signal?.throwIfAborted();
      const description = describe(withoutPassword(path), format, imported, options.column);
      return new Table(description, database, imported.columns, imported.identity);
    } catch (error) {
      await database.close();
      signal?.throwIfAborted();
      throw error instanceof PearlError ? error : databaseTrouble(error, shownPath(path));
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /**
   * The phrases in row order, `chunkRows` (default 8192) at a time. An empty or missing cell is "".
   * The range defaults to all rows.
   */
  async *phrases(range: RowRange & { chunkRows?: number } = {}): AsyncGenerator<string[]> {
    yield* this.columnValues(this.description.column, range);
  }

  /** The values of any column, as text, in row order: "" where there is none. */
  async *columnValues(name: string, range: RowRange & { chunkRows?: number } = {}): AsyncGenerator<string[]> {
    const { text } =
      this.columns[findColumn(shownPath(this.description.path), this.description.columns, name)];
    yield* this.texts(`coalesce(${text}, '')`, range);
  }

  /** The texts that an SQL expression gives of the rows, in their order; `c0` is the whole line of a JSONL table. */
  async *expressionValues(expression: string, range: RowRange = {}): AsyncGenerator<string[]> {
    yield* this.texts(expression, range);
  }

  /** Whether a row, counted from 0, has no value in a column. A bit is kept for each row. */
  async nullRows(expression: string): Promise<(row: number) => boolean> {
    const { path, rowCount } = this.description;
    const bits = new Uint8Array(Math.ceil(rowCount / 8));
    const query = `SELECT CAST(rowid AS VARCHAR) FROM ${rowsTable} WHERE ${expression} IS NULL`;
    for await (const rows of this.database.strings(query, shownPath(path)))
      for (const row of rows.map(Number)) bits[Math.floor(row / 8)] |= 1 << (row % 8);
    return (row) => (bits[Math.floor(row / 8)] & (1 << (row % 8))) !== 0;
  }

  /** The cells of each row as they are written out again, in the order of the columns. */
  async *cells(range: RowRange = {}): AsyncGenerator<Cell[][]> {
    const { columns, description } = this;
    const texts = [...columns.map(({ text }) => text), ...columns.map(({ exact = "''" }) => exact)];
    const expression = `CAST(to_json([${texts.join(", ")}]) AS VARCHAR)`;
    // Values of mixed types in JSON lines have their plain text.
    const typeOf = (type: string) => (type === "JSON" && description.format === "jsonl" ? "VARCHAR" : type);
    const types = columns.map(({ type }) => typeOf(type));
    for await (const rows of this.texts(expression, { ...range, chunkRows: 512 }))
      yield rows.map((row) => {
        const found = JSON.parse(row) as (string | null)[];
        const exacts = found.splice(columns.length) as string[];
        return types.map((type, index) => cellOfType(type, found[index], exacts[index]));
      });
  }

  private async *texts(
    expression: string,
    range: RowRange & { chunkRows?: number },
  ): AsyncGenerator<string[]> {
    const { path, rowCount } = this.description;
    const { from, to } = wholeRange(range, rowCount);
    const { chunkRows = 8192 } = range;
    const sql = `SELECT ${expression} FROM ${rowsTable} WHERE rowid >= ${from} AND rowid < ${to}`;
    let gathered: string[] = [];
    for await (const chunk of this.database.strings(sql, shownPath(path))) {
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

/** The range with its defaults, cut at the end of the table. Throws TableError where it is not a range. */
export function wholeRange(range: RowRange, rowCount: number): { from: number; to: number } {
  const from = range.from ?? 0;
  const to = Math.min(range.to ?? rowCount, rowCount);
  if (!Number.isInteger(from) || from < 0 || !Number.isInteger(to) || to < from) {
    throw new TableError(`rows ${from} to ${to}: expected whole numbers in order, from 0 to ${rowCount}.`);
  }
  return { from, to };
}

async function importTable(
  database: Database,
  path: string,
  size: number,
  options: TableOptions,
): Promise<{ imported: Imported; format: TableFormat | "postgres" | "database" }> {
  const { signal } = options;
  const onCharacters = (done: number): void => {
    signal?.throwIfAborted();
    options.onProgress?.({ path, stage: "reading", done, total: 0 });
  };
  if (isPostgresAddress(path)) {
    const { importPostgres } = await import("./postgres/import.js");
    return { imported: await importPostgres(database, path, onCharacters, options), format: "postgres" };
  }
  const byName = tablePlace(path).table === undefined ? formatOfName(path) : undefined;
  // A delimiter makes columns of what is one phrase a line without it.
  const named = options.format ?? (byName === "text" && options.delimiter !== undefined ? "csv" : byName);
  let bytes = size;
  const report = (stage: "reading" | "storing", done: number, total: number): void =>
    options.onProgress?.({ path, stage, done, total });
  const onStored = options.onProgress && ((share: number) => report("storing", share * bytes, bytes));
  const onBytes = (read: number): void => report("reading", read, size);
  const parquet = async () => {
    const imported = await importParquet(database, path, { onStored, onBytes, signal });
    return { imported, format: "parquet" } as const;
  };
  if (named === "parquet") {
    if (path !== standardInput) return parquet();
    throw new TableError("standard input: Parquet cannot be read from a pipe. Save it to a file first.");
  }
  const onRead = (read: number): void => {
    bytes = read;
    onBytes(read);
  };
  const source = await openSource(path, signal, onRead, options.encoding && parseEncoding(options.encoding));
  try {
    if (source.sample.length === 0) throw emptyFile(path);
    const imported = await importDatabaseFile(database, path, source, onCharacters);
    if (imported !== undefined) return { imported, format: "database" };
    if (named === undefined && source.signature === "parquet" && path !== standardInput) {
      bytes = size;
      return await parquet();
    }
    const format = named ?? (/^\s*\{/.test(source.sample.toString("utf8", 0, 4096)) ? "jsonl" : "csv");
    const { delimiter, header = "auto", quote = "double" } = options;
    // A caller who chooses no header of a table, such as one of labels, has no options to name in a message.
    const cures = options.header === undefined ? "file" : "options";
    const settings = { delimiter, header, quote, cures, onStored } as const;
    return { imported: await importText(database, path, format, source, settings), format };
  } finally {
    await source.close();
  }
}

function describe(
  path: string,
  format: TableFormat | "postgres" | "database",
  imported: Imported,
  wantedColumn: string | undefined,
) {
  const shown = shownPath(path);
  const { delimiter, header, headerIsSure, rowCount, blankLines, titleLines = 0 } = imported;
  const { encoding, lineEnd, hasByteOrderMark, workbook } = imported;
  const columns = imported.columns.map(({ name }) => name);
  const column = columns[choosePhraseColumn(shown, imported.columns, wantedColumn)];
  const doubt = headerIsSure
    ? ""
    : header
      ? " (--no-header if that line is data)"
      : " (--header if the first line is one)";
  const titles = `a title of ${titleLines} line${titleLines === 1 ? "" : "s"} (--no-header if these are rows)`;
  const place = titleLines === 0 ? `in the first line${doubt}` : `below ${titles}`;
  const separated =
    workbook !== undefined
      ? sheetLine(workbook)
      : delimiter === undefined
        ? "one column"
        : `${nameOfDelimiter(delimiter)}-separated`;
  const cells = `${separated}, ${header ? `header ${place}` : `no header${doubt}`}`;
  const layouts = {
    text: "one phrase a line",
    jsonl: "JSON lines",
    parquet: "Parquet",
    postgres: "PostgreSQL",
    database: imported.layout,
    csv: cells,
    tsv: cells,
  };
  const parts = [layouts[format], `${formatCount(rowCount)} row${rowCount === 1 ? "" : "s"}`];
  if (blankLines > 0) parts.push(`${blankLines} blank line${blankLines === 1 ? "" : "s"} skipped`);
  if (encoding?.isGuess) parts.push(`taken for ${encoding.name} (--encoding NAME if it is another)`);
  else if (encoding?.name !== undefined && encoding.name !== "utf-8") parts.push(`read as ${encoding.name}`);
  const choice = `phrases from "${column}"${columns.length === 1 ? "" : ` of ${listed(columns)}`}`;
  return {
    ...{ path, format, lineEnd, hasByteOrderMark, header, columns, rowCount },
    /** Undefined for one-column tables, JSONL and Parquet. */
    delimiter,
    /** The phrase column's name. */
    column,
    /** One line for people. */
    summary: `${shown}: ${parts.join(", ")}; ${choice}`,
  };
}
