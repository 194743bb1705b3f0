/** Embeddings in PostgreSQL as an index: those that `pearl sync` keeps are searched, those of a build also changed. */
import { createHash } from "node:crypto";
import { ArgumentError, VectorIndexError } from "../../errors.js";
import { inTurn } from "../../in-turn.js";
import { copiedColumns, copyRows, readCopiedRows } from "../../stores/postgres/binary-copy.js";
import { isLive, keysByTerms, type NearRow, nearestRows } from "../../stores/postgres/nearest.js";
import {
  commentOf,
  creation,
  findExtension,
  findSide,
  type IndexTable,
  indexCreation,
  lockSync,
  type SideTable,
  sideAt,
} from "../../stores/postgres/side-table.js";
import { cellOfStored } from "../../table/cell.js";
import { parseAddress, tableOf } from "../../table/postgres/address.js";
import {
  connectPostgres,
  cursorRows,
  inTransaction,
  type PostgresConnection,
} from "../../table/postgres/connection.js";
import {
  findRelation,
  keyArray,
  lookUp,
  type Relation,
  type RelationColumn,
} from "../../table/postgres/relation.js";
import { ConnectionLost } from "../../table/postgres/trouble.js";
import { checkNameLengths, csvPart, isJsonType, newName, postgresType } from "../../table/postgres/write.js";
import { identifier } from "../../table/read/database.js";
import { multiplyRows } from "../exact.js";
import type { IndexDescription, IndexEntry, IndexLayout, UnfinishedBuild } from "../index-types.js";
import { type Condition, conditionSql } from "../where.js";
import { most, rankBlocks } from "./row-scan.js";
import type { NewRows, StoredHit, StoreSearch, VectorStore } from "./vector-store.js";

/** Rows compared at a time in an exact search. */
const blockRows = 4096;

/** A row found, with its cells in the order of the layout's columns. */
type Line = readonly (string | null)[];

export class PostgresStore implements VectorStore {
  readonly layout: IndexLayout;
  private isLocked = false;
  /** A connection has one transaction at a time. */
  readonly #next = inTurn();

  private constructor(
    private readonly address: string,
    private connection: PostgresConnection,
    private readonly connect: (address: string) => Promise<PostgresConnection>,
    private readonly source: Relation,
    private side: SideTable,
    /** The schema of pgvector. */
    private readonly extension: string,
  ) {
    const { settings } = side;
    const { dimension, key, column, model } = settings;
    // Lists are vectors, as in an index of a file.
    const shown = source.columns.filter(
      ({ name, duckdbType }) => settings.columns?.includes(name) ?? !duckdbType.endsWith("]"),
    );
    const columns = shown.map(({ name }) => name);
    this.layout = {
      ...{ dimension, columns, model, metric: "cosine", precision: "float32" },
      types: shown.map(({ duckdbType }) => duckdbType),
      backend: "postgres",
      phraseColumn: columns.find((name) => name === column),
      keyColumn: columns.find((name) => name === key),
    };
  }

  /** Makes an empty index. @throws VectorIndexError where the table exists, TableError */
  static async create(
    address: string,
    layout: IndexLayout,
    connect = connectPostgres,
  ): Promise<PostgresStore> {
    const table = tableOf(address);
    const connection = await connect(address);
    try {
      await makeIndexTable(connection, table, layout);
    } finally {
      await connection.close();
    }
    return PostgresStore.open(address, connect);
  }

  /** @throws VectorIndexError where the address names no table with embeddings; TableError */
  static async open(address: string, connect = connectPostgres): Promise<PostgresStore> {
    const connection = await connect(address);
    try {
      const { table } = parseAddress(address);
      const side = await sideAt(connection, table);
      const source = await findRelation(connection, side.settings.table);
      const extension = (await findExtension(connection))?.schema ?? "";
      return new PostgresStore(address, connection, connect, source, side, extension);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** The table, its embeddings, and the connection to them. */
  get tables(): IndexTable {
    const { connection, source, side } = this;
    return { connection, source, side };
  }

  get unfinished(): UnfinishedBuild | undefined {
    return this.side.settings.index?.unfinished;
  }

  async describe(): Promise<IndexDescription> {
    const { sql, storage } = this.side;
    const [{ rows, bytes, indexes }] = await this.#ask((connection) =>
      connection.query<{ rows: number; bytes: number; indexes: number }>(
        `SELECT count(*)::int AS rows, pg_total_relation_size($1::regclass)::float AS bytes,
         (SELECT count(*)::int FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
          WHERE i.indrelid = $1::regclass AND a.amname = 'hnsw') AS indexes FROM ${sql}`,
        [sql],
      ),
    );
    const searchedBy =
      storage === "real[]"
        ? "PostgreSQL without pgvector, exact"
        : `pgvector, ${indexes > 0 ? "hnsw" : "exact"}`;
    const facts = { rows, deleted: 0, searchedBy, bytes, ...this.side.settings.index };
    return { ...this.layout, path: this.connection.shown, ...facts };
  }

  async search(
    queries: Float32Array,
    k: number,
    { phrases = [], where, signal }: StoreSearch = {},
  ): Promise<StoredHit[][]> {
    const found = await this.nearest(queries, k, where);
    for (const [place, phrase] of phrases.entries()) {
      signal?.throwIfAborted();
      const query = queries.subarray(place * this.layout.dimension, (place + 1) * this.layout.dimension);
      found[place] = [...found[place], ...(await this.#addedByWords(found[place], phrase, query, k, where))];
    }
    const wanted = [...new Set(found.flatMap((hits) => hits.map(({ key }) => key)))];
    const lines = await this.#ask((connection) =>
      connection.query<{ line: Line }>(
        `SELECT ${this.#line()} AS line FROM ${this.source.sql} t WHERE ${this.#key()} = ANY($1::text[]::${this.#keyType()}[])`,
        [wanted],
      ),
    );
    const byKey = new Map(lines.map(({ line: [key, ...cells] }) => [key, cells.map((cell) => cell ?? "")]));
    return found.map((hits) =>
      hits.flatMap((hit) => {
        const cells = byKey.get(hit.key);
        return cells === undefined ? [] : [{ ...hit, cells }];
      }),
    );
  }

  /** The rows that only words find. */
  #addedByWords(
    found: readonly NearRow[],
    phrase: string,
    query: Float32Array,
    k: number,
    where: Condition | undefined,
  ): Promise<NearRow[]> {
    return this.#ask(async (connection) => {
      const known = new Set(found.map(({ key }) => key));
      const others = (await keysByTerms(this.#filtered(where), phrase, k)).filter((key) => !known.has(key));
      // Rows of signs alone have no embedding, and those are similar to nothing.
      const scores = new Map(others.map((key) => [key, 0]));
      for await (const { keys, vectors } of this.#vectors(connection, this.#areKeys(others))) {
        const products = await multiplyRows(query, vectors, this.layout.dimension);
        for (const [row, key] of keys.entries()) scores.set(key, products[row]);
      }
      return [...scores].map(([key, score]) => ({ key, score }));
    });
  }

  /** The keys of the rows nearest to each query, best first, with their cosines. */
  nearest(queries: Float32Array, k: number, where?: Condition): Promise<NearRow[][]> {
    return this.#ask((connection) =>
      this.side.storage === "vector"
        ? nearestRows(this.#filtered(where), this.extension, queries, k)
        : this.#nearestOfAll(connection, queries, k, where),
    );
  }

  /** Reads all embeddings once for all queries. */
  async #nearestOfAll(
    connection: PostgresConnection,
    queries: Float32Array,
    k: number,
    where: Condition | undefined,
  ): Promise<NearRow[][]> {
    const [{ all }] = await connection.query<{ all: number }>(
      `SELECT count(*)::int AS "all" FROM ${this.side.sql}`,
    );
    let { live, values } = isLive(this.#filtered(where), 1);
    if (where !== undefined) {
      // COPY takes no parameters.
      const sql = `SELECT key::text FROM ${this.side.sql} s WHERE ${live}`;
      live = this.#areKeys((await connection.query<{ key: string }>(sql, values)).map(({ key }) => key));
    }
    const keys: string[] = [];
    const vectors = this.#vectors(connection, live);
    async function* blocks() {
      for await (const block of vectors) {
        yield [keys.length, block.vectors] as const;
        for (const key of block.keys) keys.push(key);
      }
    }
    const query = { queries, k: most(k, all) };
    const found = await rankBlocks(blocks(), query, this.layout.dimension, () => false);
    return found.map((hits) => hits.map(({ row, score }) => ({ key: keys[row], score })));
  }

  /** The embeddings of some rows, in any order: [rows, dimension]. */
  async vectorsOf(keys: readonly string[]): Promise<Float32Array> {
    let all: Float32Array = new Float32Array(0);
    await this.#ask(async (connection) => {
      for await (const { vectors } of this.#vectors(connection, this.#areKeys(keys), keys.length))
        all = vectors;
    });
    return all;
  }

  /** Streams the embeddings, called s, that fulfil a condition. */
  #vectors(connection: PostgresConnection, condition: string, rowsAtOnce = blockRows) {
    const sql = `SELECT key::text, embedding::real[] FROM ${this.side.sql} s WHERE embedding IS NOT NULL AND ${condition}`;
    const parts = connection.copyOut(`COPY (${sql}) TO STDOUT (FORMAT binary)`);
    return readCopiedRows(parts, this.layout.dimension, rowsAtOnce);
  }

  #areKeys(keys: readonly string[]): string {
    return `s.key = ANY(${keyArray(keys, this.#keyType())})`;
  }

  #column(wanted: string): RelationColumn {
    return this.source.columns.find(({ name }) => name === wanted)!;
  }

  #keyType(): string {
    return this.#column(this.side.settings.key).type;
  }

  #key(): string {
    return `t.${identifier(this.side.settings.key)}`;
  }

  /** A cell of the source as text. */
  #text(wanted: string): string {
    const { type, text } = this.#column(wanted);
    // Strings without their quotes, as an index in a folder has them.
    return isJsonType(type) ? `(${identifier(wanted)} #>> '{}')` : text;
  }

  #filtered(where: Condition | undefined): IndexTable {
    const textOf = (column: number): string => this.#text(this.layout.columns[column]);
    return { ...this.tables, where: where && conditionSql(where, textOf) };
  }

  /** The key and the cells of a row of the source, called t, as one array of texts. */
  #line(): string {
    const texts = this.layout.columns.map((wanted) => this.#text(wanted));
    return `ARRAY[${[`${this.#key()}::text`, ...texts].join(", ")}]`;
  }

  async *entries(): AsyncGenerator<IndexEntry> {
    // Columns are called by their names alone, which the embeddings' own must not make ambiguous.
    const isEmbedded = `EXISTS (SELECT FROM ${this.side.sql} s WHERE s.key = ${this.#key()})`;
    const sql = `SELECT ${this.#line()} AS line FROM ${this.source.sql} t WHERE ${isEmbedded} ORDER BY ${this.#key()}`;
    for await (const rows of cursorRows<{ line: Line }>(this.connection, sql, blockRows))
      for (const { line } of rows)
        yield { key: line[0] ?? "", cells: line.slice(1).map((cell) => cell ?? "") };
  }

  findKey(keys: readonly string[]): Promise<string | undefined> {
    const sql = `SELECT key::text FROM ${this.side.sql} WHERE key ${areGiven(this.#keyType())} LIMIT 1`;
    return this.#next(async () => (await this.connection.query<{ key: string }>(sql, [keys]))[0]?.key);
  }

  append(rows: NewRows, existing: "none" | "replace"): Promise<void> {
    return this.#next(() => inTransaction(this.connection, () => this.#append(rows, existing)));
  }

  async #append(rows: NewRows, existing: "none" | "replace"): Promise<void> {
    const { connection, source, side } = this;
    const { key, column, columns = [], dimension } = side.settings;
    const { type, send } = this.#column(key);
    if (rows.keys !== undefined && existing === "replace")
      await this.#remove(`${identifier(key)} ${areGiven(type)}`, rows.keys);
    // Numbers that no row has had.
    const numbers =
      "SELECT array_agg(nextval(pg_get_serial_sequence($1, $2))::text) AS keys FROM generate_series(1, $3::int)";
    const counted = [source.sql, key, rows.cells.length];
    const keys = rows.keys ?? (await connection.query<{ keys: string[] }>(numbers, counted))[0].keys;
    const names = rows.keys === undefined ? [key, ...columns] : columns;
    const types = names.map((name) => this.#column(name).type);
    const lines = rows.cells.map((cells, row) => {
      const all = rows.keys === undefined ? [keys[row], ...cells] : cells;
      return all.map((cell, place) => (isJsonType(types[place]) ? cellOfStored("JSON", cell) : cell));
    });
    await connection.copyIn(
      `COPY ${source.sql} (${names.map(identifier).join(", ")}) FROM STDIN (FORMAT csv)`,
      [csvPart(lines, types)],
    );
    const keyBytes = await connection.query<{ bytes: Uint8Array }>(
      `SELECT ${send}(k::${type}) AS bytes FROM unnest($1::text[]) WITH ORDINALITY u(k, place) ORDER BY place`,
      [keys],
    );
    const place = columns.indexOf(column);
    const keyed = keyBytes.map(({ bytes: key }, row) => {
      const phrase = rows.cells[row][place];
      return { key, phrase, hash: createHash("sha256").update(phrase).digest() };
    });
    await connection.copyIn(`COPY ${side.sql} ${copiedColumns} FROM STDIN (FORMAT binary)`, [
      copyRows(keyed, rows.vectors, dimension, side.storage),
    ]);
  }

  remove(column: "key" | number, values: readonly string[]): Promise<number> {
    const name = column === "key" ? this.side.settings.key : this.layout.columns[column];
    return this.#next(() =>
      this.#remove(`coalesce(${this.#column(name).text}, '') = ANY($1::text[])`, values),
    );
  }

  /** @param condition of the rows, with the values as $1 @returns how many */
  async #remove(condition: string, values: readonly string[]): Promise<number> {
    const key = identifier(this.side.settings.key);
    const [{ count }] = await this.connection.query<{ count: number }>(
      `WITH gone AS (DELETE FROM ${this.source.sql} WHERE ${condition} RETURNING ${key} AS key),
       lost AS (DELETE FROM ${this.side.sql} WHERE key IN (SELECT key FROM gone))
       SELECT count(*)::int AS count FROM gone`,
      [values],
    );
    return count;
  }

  markBuild(unfinished: UnfinishedBuild | undefined): Promise<void> {
    return this.#next(async () => {
      const settings = { ...this.side.settings, index: { unfinished } };
      await this.connection.query(commentOf(this.side.sql, settings));
      this.side = { ...this.side, settings };
    });
  }

  /** Builds the HNSW index, once there are rows; later ones are added to it. PostgreSQL frees the space of deleted rows itself. */
  optimise(): Promise<void> {
    return this.#next(async () => {
      const { connection, source, side } = this;
      const extension = side.storage === "vector" ? await findExtension(connection) : undefined;
      for (const statement of indexCreation(source, side.settings, extension))
        await connection.query(statement);
      await connection.query(`ANALYZE ${side.sql}`);
    });
  }

  /** Reads everything: PostgreSQL checks its own pages. */
  verify(): Promise<void> {
    return this.#ask(async (connection) => {
      for await (const _ of connection.copyOut(`COPY ${this.side.sql} TO STDOUT (FORMAT binary)`));
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** @throws VectorIndexError also for embeddings that follow a table */
  startWriting(): Promise<void> {
    return this.#next(async () => {
      const { connection, source, side } = this;
      if (side.settings.index === undefined)
        throw new VectorIndexError(
          `${connection.shown}: the embeddings follow their table. Change ${source.name} itself, then run \`pearl sync\`.`,
        );
      if (this.isLocked) return;
      await lockSync(connection, source);
      this.isLocked = true;
      this.side = (await findSide(connection, source)) ?? side;
    });
  }

  /** An index may be open for days: a connection that was lost is made again, once. */
  #ask<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    return this.#next(async () => {
      try {
        return await work(this.connection);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        await this.connection.close();
        this.connection = await this.connect(this.address);
        this.isLocked = false;
        return work(this.connection);
      }
    });
  }
}

/** Whether a value is among the texts of $1. Compared as values: the integer key 007 is 7. */
const areGiven = (type: string): string => `= ANY($1::text[]::${type}[])`;

/** Makes the empty table and that of its embeddings. @throws VectorIndexError where a table has the name; TableError for a name that is too long */
async function makeIndexTable(
  connection: PostgresConnection,
  wanted: string,
  { dimension, metric, precision, columns, types, phraseColumn, keyColumn, model }: IndexLayout,
): Promise<void> {
  const { shown } = connection;
  if (phraseColumn === undefined || model === undefined || metric !== "cosine")
    throw new ArgumentError(
      `${shown}: an index in PostgreSQL needs a phrase column, a model and the metric cosine`,
    );
  if (precision !== "float32")
    throw new ArgumentError(
      `${shown}: an index in PostgreSQL stores float32. Leave --storage ${precision} out.`,
    );
  checkNameLengths(shown, columns);
  const existing = await lookUp(connection, wanted);
  if (existing !== undefined)
    throw new VectorIndexError(
      `${shown}: the table ${existing.name} exists. Name another table; \`pearl index add\` adds rows to an index, and ` +
        "`pearl sync` makes embeddings of a table of yours.",
    );
  const { schema, name } = await newName(connection, wanted);
  let key = keyColumn ?? "row_number";
  while (keyColumn === undefined && columns.includes(key)) key += "_";
  // The type json keeps the text as it is.
  const typeOf = (index: number): string =>
    postgresType(types?.[index] ?? "VARCHAR").replace("jsonb", "json");
  const declared = columns.map((column, index) => `${identifier(column)} ${typeOf(index)}`);
  if (keyColumn === undefined) declared.unshift(`${identifier(key)} bigint GENERATED BY DEFAULT AS IDENTITY`);
  const sql = `${identifier(schema)}.${identifier(name)}`;
  const extension = await findExtension(connection);
  await inTransaction(connection, async () => {
    await connection.query(`CREATE TABLE ${sql} (${declared.join(", ")}, PRIMARY KEY (${identifier(key)}))`);
    const source = (await lookUp(connection, sql))!;
    const named = { table: sql, key, column: phraseColumn, columns: [...columns] };
    const settings = { pearl: 1 as const, ...named, dimension, model, index: {} };
    for (const statement of creation(source, settings, extension, undefined))
      await connection.query(statement);
  });
}
