/**
 * The store of entities: one DuckDB file. Everything that a run adds carries its number, and what it replaces is marked with
 * it, so that the last run can be taken back. A run is one transaction: a killed one leaves no trace.
 */
import { realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { DuckDBConnection, DuckDBInstance as Instance } from "@duckdb/node-api";
import { isDiskFull, messageOf, PearlError, StoreError } from "../errors.js";
import { fingerprint } from "../files/checksums/fingerprint.js";
import { exists } from "../files/whole-file.js";
import { databaseMemory, type MemoryLimit } from "../match/memory/memory-plan.js";
import { DuckDBBlobValue, DuckDBDataChunk, DuckDBInstance } from "../table/read/database.js";

export const version = 7;

/** Small blocks: a run of a few rows adds little to the file. */
const settings = { threads: "2", default_block_size: "16384" };

/**
 * `run` is the run that added a line and `until` the one that replaced it: lines without `until` are current. Rows and entities
 * are numbered from 1.
 */
const tables = {
  meta: "version INTEGER, settings VARCHAR",
  /** `entities` after the run, with `pairs` of rows; `undone`: when the run was taken back. Lines of this table stay, so that numbers of entities are not used again. */
  run: "run INTEGER, time VARCHAR, source VARCHAR, next_entity INTEGER, entities INTEGER, pairs DOUBLE, undone VARCHAR",
  /** What a run learned, and the columns it compared. */
  learned: "run INTEGER, model VARCHAR",
  /** `place` is the row's number in its table, from 1; `cells` are those of the compared columns. */
  row: 'run INTEGER, until INTEGER, "row" INTEGER, source VARCHAR, key VARCHAR, place INTEGER, cells VARCHAR',
  /** `cells`: those of the columns that are not compared, by name. */
  rest: 'run INTEGER, until INTEGER, "row" INTEGER, cells VARCHAR',
  assignment: 'run INTEGER, until INTEGER, "row" INTEGER, entity INTEGER',
  /** `count`: how many more rows have the term than before the run; `rows`: which, as 32-bit numbers, of terms that find rows. */
  term: "run INTEGER, until INTEGER, term UINTEGER, count INTEGER, rows BLOB",
  judged: "run INTEGER, a INTEGER, b INTEGER, match INTEGER",
  /** Places of earlier rows before they moved, under the last run, whose undo gives them back. */
  moved: 'run INTEGER, "row" INTEGER, place INTEGER',
  /**
   * `rows` is a list of rows. The name of a merged entity is an alias of another from then on. A pair of rows that is likely but
   * not linked is one of the kind "likely", without an entity.
   */
  event:
    "run INTEGER, kind VARCHAR, entity INTEGER, other INTEGER, rows VARCHAR, probability DOUBLE, reason VARCHAR",
} as const;

type StoreTable = keyof typeof tables;
type StoreValue = string | number | Uint8Array | null;

/** Tables whose lines are replaced by later runs, and those whose lines only come and go. */
export const replacedTables = ["row", "rest", "assignment", "term"] as const;
export const addedTables = ["learned", "judged", "moved", "event"] as const;

/** The most that DuckDB takes at once. */
const chunkRows = 2048;

/** DuckDB's locks do not hold between two stores of one process. */
const openPaths = new Set<string>();

/** A store, there or to come, under all names of its file and its folder. */
const fileOf = async (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const folder = dirname(resolve(path));
    return join(await realpath(folder).catch(() => folder), basename(path));
  });

/** An open store; no other process can open it. */
export class Store {
  private constructor(
    readonly path: string,
    /** The file itself, where `path` is a link. */
    private readonly file: string,
    /** No run has ended yet. */
    readonly isNew: boolean,
    private readonly instance: Instance,
    private readonly connection: DuckDBConnection,
    /** What has no room in memory lies here, without a limit beside the store. */
    private readonly spill: string | undefined,
  ) {}

  /** @param wanted "any" makes a store where there is none @throws StoreError */
  static async open(path: string, wanted: "any" | "existing", memory?: MemoryLimit): Promise<Store> {
    const whole = await fileOf(path);
    const isThere = await exists(path);
    if (!isThere && wanted === "existing")
      throw new StoreError(
        `${path}: no such store. Check the name; pearl link TABLE --store FILE makes one.`,
      );
    if (!(await exists(dirname(whole))))
      throw new StoreError(
        `${path}: the folder ${dirname(path)} does not exist. Make it, or choose another.`,
      );
    if (isThere && !(await stat(path)).isFile())
      throw new StoreError(`${path} is a folder. A store is one file: choose another name.`);
    if (openPaths.has(whole)) throw inUse(path, "this process");
    openPaths.add(whole);
    try {
      // of one name for a store, so that its next run takes over what a killed one left
      const spill = memory && join(memory.folder, `pearl-store-${fingerprint(whole)}`);
      const limits = { memory_limit: databaseMemory(memory), ...(spill && { temp_directory: spill }) };
      const instance = await DuckDBInstance.create(whole, { ...settings, ...limits });
      const connection = await instance.connect();
      const found = await connection.runAndReadAll("SELECT 1 FROM duckdb_tables()");
      const store = new Store(path, whole, found.currentRowCount === 0, instance, connection, spill);
      if (!store.isNew)
        await store.#check().catch(async (error) => {
          await store.close();
          throw error;
        });
      return store;
    } catch (error) {
      openPaths.delete(whole);
      // After any other failure, the file may be one that another process has made since.
      if (!isThere && isDiskFull(error)) await removeStore(path);
      throw storeTrouble(error, path);
    }
  }

  async #check(): Promise<void> {
    const [found] = await this.query<{ version: number }>("SELECT version FROM meta").catch(() => []);
    if (found === undefined)
      throw new StoreError(
        `${this.path} is a DuckDB database but not a store of pearl link. Choose another name.`,
      );
    if (found.version !== version)
      throw new StoreError(
        `${this.path} has format ${found.version}; this pearl reads format ${version}. Use the pearl that made it, or link ` +
          "the tables again into a new store.",
      );
    await this.#makeTables();
  }

  /** Makes those that are not there: "rest" and "moved" are younger than the format. */
  async #makeTables(): Promise<void> {
    for (const [name, columns] of Object.entries(tables))
      await this.query(`CREATE TABLE IF NOT EXISTS "${name}" (${columns})`);
  }

  /** Runs `work` as one transaction. A new store is removed if it fails. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.query("BEGIN TRANSACTION");
    try {
      await this.#makeTables();
      const result = await work();
      await this.query("COMMIT");
      return result;
    } catch (error) {
      // Where the database itself failed there is nothing left to roll back.
      await this.connection.run("ROLLBACK").catch(() => undefined);
      if (this.isNew) {
        await this.close();
        await removeStore(this.path);
      }
      throw error;
    }
  }

  /** Lines by the names of their columns. Counts are cast to INTEGER: BIGINT is a bigint. */
  async query<Line = unknown>(sql: string): Promise<Line[]> {
    try {
      return (await this.connection.runAndReadAll(sql)).getRowObjectsJS() as Line[];
    } catch (error) {
      throw storeTrouble(error, this.path);
    }
  }

  /** The same by column: cheaper for many lines. */
  async columns<Values extends readonly unknown[]>(
    sql: string,
  ): Promise<{ -readonly [Column in keyof Values]: Values[Column][] }> {
    try {
      return (await this.connection.runAndReadAll(sql)).getColumnsJS() as never;
    } catch (error) {
      throw storeTrouble(error, this.path);
    }
  }

  /** The first column of a query, of any length, some values at a time. */
  async *values(sql: string): AsyncGenerator<string[]> {
    try {
      const result = await this.connection.stream(sql);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk.getColumnValues(0) as string[];
      }
    } catch (error) {
      throw storeTrouble(error, this.path);
    }
  }

  /** Adds lines, with values in the order of the table's columns. */
  async append(table: StoreTable | `new_${string}`, lines: Iterable<readonly StoreValue[]>): Promise<void> {
    const appender = await this.connection.createAppender(table);
    const types = Array.from({ length: appender.columnCount }, (_, column) => appender.columnType(column));
    const add = (some: readonly (readonly StoreValue[])[]): void => {
      const chunk = DuckDBDataChunk.create(types, some.length);
      types.forEach((_, column) => {
        chunk.setColumnValues(
          column,
          some.map((line) => {
            const value = line[column];
            return value instanceof Uint8Array ? new DuckDBBlobValue(value) : value;
          }),
        );
      });
      appender.appendDataChunk(chunk);
    };
    try {
      let some: (readonly StoreValue[])[] = [];
      for (const line of lines) {
        if (some.push(line) < chunkRows) continue;
        add(some);
        some = [];
      }
      if (some.length > 0) add(some);
      appender.closeSync();
    } catch (error) {
      // What it holds would be written when it is freed, after the rollback.
      appender.clear();
      throw storeTrouble(error, this.path);
    }
  }

  /** Makes a table that lasts as long as the store is open. */
  async makeTemporary(
    table: `new_${string}`,
    columns: string,
    lines: Iterable<readonly StoreValue[]>,
  ): Promise<void> {
    await this.query(`CREATE OR REPLACE TEMP TABLE ${table} (${columns})`);
    await this.append(table, lines);
  }

  /** Makes the result of a query current, which begins with rows; earlier lines of the same rows are replaced. */
  async put(table: "row" | "rest" | "assignment", run: number, sql: string): Promise<void> {
    await this.query(`INSERT INTO "${table}" SELECT ${run}, NULL, new.* FROM (${sql}) AS new`);
    await this.query(
      `UPDATE "${table}" SET until = ${run} WHERE until IS NULL AND run < ${run}
       AND "row" IN (SELECT "row" FROM "${table}" WHERE run = ${run})`,
    );
  }

  async close(): Promise<void> {
    if (!openPaths.delete(this.file)) return;
    this.connection.closeSync();
    this.instance.closeSync();
    if (this.spill !== undefined)
      await rm(this.spill, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

/** A query for some whole numbers. */
export const listed = (numbers: Iterable<number>): string =>
  `SELECT unnest('[${[...numbers].join()}]'::UINTEGER[])`;

/** Opens a store, and closes it when `work` ends. */
export async function withStore<Result>(
  path: string,
  wanted: "any" | "existing",
  work: (store: Store) => Promise<Result>,
  memory?: MemoryLimit,
): Promise<Result> {
  const store = await Store.open(path, wanted, memory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function removeStore(path: string): Promise<void> {
  for (const name of [path, `${path}.wal`]) await rm(name, { force: true });
}

const inUse = (path: string, holder: string): StoreError =>
  new StoreError(`${path} is in use by ${holder}. Wait until it has finished.`);

/** What DuckDB says of a file whose bytes are not those that it wrote. */
const damage =
  /serialization error|corrupt|checksum|replaying wal|could not read|not enough bytes|internal error/i;

/** A failure of DuckDB, as a StoreError with a cure. */
function storeTrouble(error: unknown, path: string): PearlError {
  if (error instanceof PearlError) return error;
  const message = messageOf(error);
  const [first] = message.split("\n");
  const holder = /Conflicting lock is held in .*?\(PID (\d+)\)/.exec(message);
  if (/Could not set lock/.test(message))
    return inUse(path, holder === null ? "another process" : `process ${holder[1]}`);
  const advice = isDiskFull(error)
    ? "no space left on the disk. Free some and run the command again; the store is as it was before."
    : /not a valid DuckDB database/.test(message)
      ? "is not a store of pearl link. Choose another name, or remove the file."
      : /permission denied|read-only/i.test(message)
        ? "no permission to write here. Choose another folder."
        : /out of memory/i.test(message)
          ? `out of memory (${first}). Make room for temporary files, in the folder of --temp or beside the store, or leave ` +
            "out --memory; the store is as it was before."
          : damage.test(message)
            ? `is damaged (${first}). Restore a copy, or link the tables again into a new store.`
            : first;
  return new StoreError(`${path}: ${advice}`, { cause: error });
}
