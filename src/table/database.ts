/** One DuckDB database in a work folder: opened with bounded memory, queried with translated errors, removed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { messageOf, TableError } from "../errors.js";

/** Where a database lives and how much memory its buffers may take. */
export interface DatabaseOptions {
  /** Folder for the database and temporary files; made under the system's temporary folder where not given. */
  workFolder?: string;
  /** DuckDB's memory_limit (default "400MB"). */
  memoryLimit?: string;
  /** Threads (default 2: reading and writing rarely gain from more). */
  threads?: number;
}

/** A database file with a life: `open`, queries, `close`, which removes the file. */
export class Database {
  private constructor(
    /** A folder of this database's own, removed by `close`. */
    readonly folder: string,
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
  ) {}

  static async open(options: DatabaseOptions = {}): Promise<Database> {
    const folder = await makeFolder(options.workFolder);
    try {
      const instance = await DuckDBInstance.create(join(folder, "table.db"), {
        memory_limit: options.memoryLimit ?? "400MB",
        threads: String(options.threads ?? 2),
        preserve_insertion_order: "true",
        temp_directory: join(folder, "spill"),
        autoinstall_known_extensions: "false",
        autoload_known_extensions: "false",
      });
      return new Database(folder, instance, await instance.connect());
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Runs a statement and returns its rows; `subject` names the file in errors. */
  async run(sql: string, subject: string): Promise<unknown[][]> {
    try {
      return (await this.connection.runAndReadAll(sql)).getRows();
    } catch (error) {
      throw databaseTrouble(error, subject);
    }
  }

  /** The values of a one-column VARCHAR query, in order, chunk by chunk. Several streams may be open at once. */
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

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function makeFolder(parent: string | undefined): Promise<string> {
  try {
    return await mkdtemp(join(parent ?? tmpdir(), "pearl-table-"));
  } catch (error) {
    throw new TableError(
      `${parent ?? tmpdir()}: cannot hold the temporary files (${messageOf(error)}). Set TMPDIR to a folder that can.`,
      { cause: error },
    );
  }
}

/** A failure of DuckDB or of the file system, as a TableError with a cure. */
export function databaseTrouble(error: unknown, subject: string): TableError {
  if (error instanceof TableError) return error;
  const message = messageOf(error);
  if (isDiskFull(error)) {
    return new TableError(
      `${subject}: no space left on the disk. Free some, or choose another folder (TMPDIR moves the temporary files).`,
      { cause: error },
    );
  }
  if (/out of memory/i.test(message)) {
    return new TableError(
      `${subject}: the table needs more memory than DuckDB may use here (${firstLine(message)}).`,
      {
        cause: error,
      },
    );
  }
  return new TableError(`${subject}: ${firstLine(message)}`, { cause: error });
}

/** Whether a failure says that the disk or quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    code === "EFBIG" ||
    /no space left|file too large|disk quota|could not write (all|file)/i.test(messageOf(error))
  );
}

function firstLine(message: string): string {
  return message.split("\n")[0];
}

/** A string as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string of control characters as an SQL literal with escapes. */
export function escapedLiteral(text: string): string {
  const escaped = [...text].map((character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `E'${escaped.join("")}'`;
}
