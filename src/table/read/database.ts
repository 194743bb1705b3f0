/** One DuckDB database in a work folder: opened with bounded memory, queried with translated errors, removed. */
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type * as Duckdb from "@duckdb/node-api";
import { isDiskFull, messageOf, TableError } from "../../errors.js";
import { makeTemporaryFolder, temporaryParent } from "../../files/object-storage/temporary-folder.js";

// Required, not imported: Node would read its hundred files twice, to find out what they export (0.2 s).
export const { DuckDBBlobValue, DuckDBDataChunk, DuckDBInstance } = createRequire(import.meta.url)(
  "@duckdb/node-api",
) as typeof Duckdb;

/** Reading and writing rarely gain from more. */
const threads = 2;

/** Megabytes that DuckDB may use: by default, and where cells are very large. */
const ordinaryMemory = 400;
const largestMemory = 4000;

/** Milliseconds between two reports of the share that is done. */
const progressMs = 250;

export class OutOfMemory extends TableError {}

/** A database file in a folder of its own, which `close` removes. */
export class Database {
  #isInterrupted = false;

  private constructor(
    readonly folder: string,
    private readonly instance: Duckdb.DuckDBInstance,
    private readonly connection: Duckdb.DuckDBConnection,
  ) {}

  /** @param parent folder for the database and temporary files (default: the system's temporary folder) */
  static async open(parent = temporaryParent()): Promise<Database> {
    const folder = await makeFolder(parent);
    try {
      const instance = await DuckDBInstance.create(join(folder, "table.db"), {
        memory_limit: `${ordinaryMemory}MB`,
        threads: String(threads),
        preserve_insertion_order: "true",
        temp_directory: join(folder, "spill"),
        autoinstall_known_extensions: "false",
        autoload_known_extensions: "false",
      });
      return new Database(folder, instance, await instance.connect());
    } catch (error) {
      await removeFolder(folder);
      throw databaseTrouble(error, parent);
    }
  }

  /** Lets DuckDB use at least this much memory: 2048 rows with cells of hundreds of kilobytes need it. */
  async allowMemory(bytes: number, subject: string): Promise<void> {
    const megabytes = Math.min(Math.ceil(bytes / 1e6), largestMemory);
    if (megabytes > ordinaryMemory) await this.run(`SET memory_limit = '${megabytes}MB'`, subject);
  }

  /** Lets the statement under way and all later ones fail. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.connection.interrupt();
  }

  /** Runs a statement and returns its rows; `subject` names the file in errors. */
  async run(sql: string, subject: string): Promise<unknown[][]> {
    try {
      if (this.#isInterrupted) throw new Error("interrupted");
      return (await this.connection.runAndReadAll(sql)).getRows();
    } catch (error) {
      throw databaseTrouble(error, subject);
    }
  }

  /**
   * Creates a table in one thread: only then are its row groups full, and row groups of Parquet made from it
   * end at multiples of DuckDB's vector size. It is hardly slower.
   * @param onShare receives the share done, 0 to 1, a few times a second
   */
  async createTable(
    name: string,
    query: string,
    subject: string,
    onShare?: (share: number) => void,
  ): Promise<void> {
    const sql = `CREATE OR REPLACE TABLE ${name} AS ${query}`;
    if (onShare === undefined) return this.runInOneThread(sql, subject);
    await this.run("SET enable_progress_bar = true", subject);
    await this.run("SET enable_progress_bar_print = false", subject);
    let share = 0;
    const timer = setInterval(() => {
      // DuckDB's percentage is -1 or 0 before and after it works on the statement.
      share = Math.max(share, this.connection.progress.percentage / 100);
      onShare(share);
    }, progressMs);
    await this.runInOneThread(sql, subject).finally(() => clearInterval(timer));
  }

  /** Runs a statement in one thread: only one row group is then in memory. */
  async runInOneThread(sql: string, subject: string): Promise<void> {
    await this.inOneThread(() => this.run(sql, subject), subject);
  }

  /** Runs the statements of `work` in one thread. */
  async inOneThread(work: () => Promise<unknown>, subject: string): Promise<void> {
    await this.run("SET threads = 1", subject);
    try {
      await work();
    } finally {
      await this.run(`SET threads = ${threads}`, subject);
    }
  }

  /** The values of a one-column VARCHAR query, in order, in chunks. Several streams may be open at once. */
  async *strings(sql: string, subject: string): AsyncGenerator<string[]> {
    // A connection holds one stream; other statements on it would end the stream.
    const connection = await this.instance.connect();
    try {
      const result = await connection.stream(sql);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk.getColumnValues(0) as string[];
      }
    } catch (error) {
      throw databaseTrouble(error, subject);
    } finally {
      connection.closeSync();
    }
  }

  /** Creates a table of text columns `c0`, `c1` ... with the texts that `textOf` makes of the rows' cells. */
  async appendTexts<Item>(
    table: string,
    columns: number,
    batches: AsyncIterable<readonly (readonly Item[])[]>,
    textOf: (item: Item, column: number) => string | null,
    subject: string,
  ): Promise<void> {
    const names = Array.from({ length: columns }, (_, index) => `c${index} VARCHAR`);
    await this.run(`CREATE TABLE ${table} (${names.join(", ")})`, subject);
    const appender = await this.connection.createAppender(table);
    for await (const batch of batches) {
      for (const row of batch) {
        for (const [column, item] of row.entries()) {
          const text = textOf(item, column);
          if (text === null) appender.appendNull();
          else appender.appendVarchar(text);
        }
        appender.endRow();
      }
    }
    appender.closeSync();
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
    await removeFolder(this.folder);
  }
}

/** Tries again where DuckDB's threads, which end a moment later, make a file in between. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });

async function makeFolder(parent: string): Promise<string> {
  // DuckDB takes what follows for settings, and names its files by what comes before. Windows' long paths begin with \\?\.
  if (/(?<!^\\\\)\?/.test(parent)) {
    throw new TableError(
      `${parent}: DuckDB cannot make its database in a folder with "?" in its path. ` +
        "Choose another folder; that of temporary files is --temp FOLDER or TMPDIR.",
    );
  }
  try {
    return await makeTemporaryFolder(parent, "table");
  } catch (error) {
    throw new TableError(
      `${parent}: cannot hold the temporary files (${messageOf(error)}). Set TMPDIR to a folder that can.`,
      { cause: error },
    );
  }
}

/** A failure of DuckDB or of the file system, as a TableError with a cure. */
export function databaseTrouble(error: unknown, subject: string): TableError {
  if (error instanceof TableError) return error;
  const [message] = messageOf(error).split("\n");
  if (isDiskFull(error)) {
    return new TableError(
      `${subject}: no space left on the disk. Free some, or choose another folder (TMPDIR moves the temporary files).`,
      { cause: error },
    );
  }
  if (/out of memory/i.test(message)) {
    return new OutOfMemory(
      `${subject}: the table's cells are too large for the memory that DuckDB may use (${message}). ` +
        "Leave out the columns with the longest texts.",
      { cause: error },
    );
  }
  return new TableError(`${subject}: ${message}`, { cause: error });
}

/** A setting of DuckDB's readers: in id=7/customers.parquet it would read 7 for every value of a column `id`. */
export const ownColumns = "hive_partitioning = false";

/** The path of a file to read: DuckDB takes a path for a pattern. */
export const fileLiteral = (path: string): string => literal(resolve(path).replaceAll(/[*?[]/g, "[$&]"));

export const readParquet = (path: string): string => `read_parquet(${fileLiteral(path)}, ${ownColumns})`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
