/** Embeddings in PostgreSQL as an index: those that `pearl sync` keeps are searched, those of a build also changed. */
import { VectorIndexError } from "../../errors.js";
import { readCopiedRows } from "../../stores/postgres/binary-copy.js";
import {
  appendIndexRows,
  commentOn,
  type IndexComment,
  type IndexTable,
  indexComment,
  makeIndexTable,
  optimiseIndexTable,
  removeIndexRows,
} from "../../stores/postgres/index-rows.js";
import { lockSync } from "../../stores/postgres/lock.js";
import { findExtension, findSide, type SideTable, sideOf } from "../../stores/postgres/side-table.js";
import { listed } from "../../table/columns.js";
import { addressOfTable, parseAddress, tableOf } from "../../table/postgres/address.js";
import { connectPostgres, cursorRows, type PostgresConnection } from "../../table/postgres/connection.js";
import { findRelation, lookUp, type Relation } from "../../table/postgres/relation.js";
import { ConnectionLost } from "../../table/postgres/trouble.js";
import { identifier } from "../../table/read/database.js";
import { multiplyRows } from "../exact.js";
import type { IndexDescription, IndexEntry, IndexLayout, UnfinishedBuild } from "../index-types.js";
import { RankingCollector } from "../ranking.js";
import { keyExists, type NewRows, type StoredHit, type VectorStore } from "./vector-store.js";

/** Rows compared at a time in an exact search. */
const blockRows = 4096;
/** Rows that pgvector's HNSW index looks at, at least and at most. */
const [leastEffort, mostEffort] = [200, 1000];

/** A row found, with its cells in the order of the layout's columns. */
type Line = readonly (string | null)[];

export class PostgresStore implements VectorStore {
  readonly layout: IndexLayout;
  private isLocked = false;

  private constructor(
    private readonly address: string,
    private connection: PostgresConnection,
    private readonly connect: (address: string) => Promise<PostgresConnection>,
    private readonly source: Relation,
    private readonly side: SideTable,
    /** The schema of pgvector. */
    private readonly extension: string,
    /** Of an index that a build made; undefined for embeddings that follow a table. */
    private own: IndexComment | undefined,
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
      const side = table === undefined ? await onlySide(connection) : await sideNamed(connection, table);
      const source = await findRelation(connection, side.settings.table);
      const extension = (await findExtension(connection))?.schema ?? "";
      const own = indexComment(source, connection);
      return new PostgresStore(address, connection, connect, source, side, extension, own);
    } catch (error) {
      await connection.close();
      throw error;
    }
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
    const { unfinished } = this.own ?? {};
    const facts = { rows, deleted: 0, searchedBy, bytes, ...(unfinished && { unfinished }) };
    return { ...this.layout, path: this.connection.shown, ...facts };
  }

  async search(queries: Float32Array, k: number): Promise<StoredHit[][]> {
    return this.#ask((connection) =>
      this.side.storage === "vector"
        ? this.#searchIndexed(connection, queries, k)
        : this.#searchAll(connection, queries, k),
    );
  }

  /** Reads all embeddings once for all queries. */
  async #searchAll(connection: PostgresConnection, queries: Float32Array, k: number): Promise<StoredHit[][]> {
    const { dimension } = this.layout;
    const count = queries.length / dimension;
    const collector = new RankingCollector(count, { k });
    const keys: string[] = [];
    const live = `SELECT FROM ${this.source.sql} t WHERE t.${identifier(this.side.settings.key)} = s.key`;
    const sql = `SELECT key::text, embedding FROM ${this.side.sql} s WHERE embedding IS NOT NULL AND EXISTS (${live})`;
    const parts = connection.copyOut(`COPY (${sql}) TO STDOUT (FORMAT binary)`);
    for await (const block of readCopiedRows(parts, dimension, blockRows)) {
      const scores = await multiplyRows(queries, block.vectors, dimension);
      const rows = block.keys.length;
      for (let query = 0; query < count; query++)
        collector.add(query, keys.length, scores, query * rows, rows);
      for (const key of block.keys) keys.push(key);
    }
    const found = collector.found();
    const wanted = [...new Set(found.flatMap((hits) => hits.map(({ row }) => keys[row])))];
    const keyType = this.source.columns.find(({ name }) => name === this.side.settings.key)!.type;
    const lines = await connection.query<{ line: Line }>(
      `SELECT ${this.#line()} AS line FROM ${this.source.sql} t WHERE ${this.#key()} = ANY($1::text[]::${keyType}[])`,
      [wanted],
    );
    const byKey = new Map(lines.map(({ line: [key, ...cells] }) => [key, cells]));
    return found.map((hits) =>
      hits.flatMap(({ row, score }) => {
        const cells = byKey.get(keys[row]);
        return cells === undefined ? [] : [{ key: keys[row], score, cells: cells.map((cell) => cell ?? "") }];
      }),
    );
  }

  /** By pgvector's operator, which takes its HNSW index where that is cheaper than comparing all rows. */
  async #searchIndexed(
    connection: PostgresConnection,
    queries: Float32Array,
    k: number,
  ): Promise<StoredHit[][]> {
    const { dimension } = this.layout;
    const distance = `embedding OPERATOR(${this.extension}.<=>) $1::${this.extension}.vector`;
    const near = `SELECT key, ${distance} AS distance FROM ${this.side.sql} WHERE embedding IS NOT NULL ORDER BY ${distance} LIMIT $2`;
    const sql = `SELECT 1 - n.distance AS score, ${this.#line()} AS line
      FROM (${near}) n JOIN ${this.source.sql} t ON ${this.#key()} = n.key ORDER BY n.distance`;
    await connection.query(`SET hnsw.ef_search = ${Math.min(mostEffort, Math.max(leastEffort, 2 * k))}`);
    const hits: StoredHit[][] = [];
    for (let start = 0; start < queries.length; start += dimension) {
      const query = `[${queries.subarray(start, start + dimension).join(",")}]`;
      const rows = await connection.query<{ score: number; line: Line }>(sql, [query, k]);
      hits.push(
        rows.map(({ score, line: [key, ...cells] }) => ({
          ...{ score, key: key ?? "", cells: cells.map((cell) => cell ?? "") },
        })),
      );
    }
    return hits;
  }

  #key(): string {
    return `t.${identifier(this.side.settings.key)}`;
  }

  /** The key and the cells of a row of the source, called t, as one array of texts. */
  #line(): string {
    const { columns } = this.layout;
    const texts = columns.map((name) => this.source.columns.find((column) => column.name === name)!.text);
    return `ARRAY[${[`${this.#key()}::text`, ...texts].join(", ")}]`;
  }

  async *entries(): AsyncGenerator<IndexEntry> {
    const sql = `SELECT ${this.#line()} AS line FROM ${this.source.sql} t JOIN ${this.side.sql} s ON ${this.#key()} = s.key ORDER BY s.key`;
    for await (const rows of cursorRows<{ line: Line }>(this.connection, sql, blockRows))
      for (const { line } of rows)
        yield { key: line[0] ?? "", cells: line.slice(1).map((cell) => cell ?? "") };
  }

  async append(rows: NewRows, existing: "refuse" | "replace"): Promise<void> {
    const index = await this.#changed();
    await appendIndexRows(index, rows, existing, (key) => keyExists(this.connection.shown, key));
  }

  async remove(column: "key" | number, values: readonly string[]): Promise<number> {
    const name = column === "key" ? this.side.settings.key : this.layout.columns[column];
    return removeIndexRows(await this.#changed(), name, values);
  }

  async markBuild(unfinished: UnfinishedBuild | undefined): Promise<void> {
    const { connection, source } = await this.#changed();
    await connection.query(commentOn(source, unfinished));
    this.own = { "pearl index": 1, unfinished };
  }

  /** PostgreSQL frees the space of deleted rows itself. */
  async optimise(): Promise<void> {
    if (this.own !== undefined) await optimiseIndexTable(await this.#changed());
  }

  /** Reads everything: PostgreSQL checks its own pages. */
  async verify(): Promise<void> {
    for await (const _ of this.connection.copyOut(`COPY ${this.side.sql} TO STDOUT (FORMAT binary)`));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** The tables, to change them. @throws VectorIndexError for embeddings that follow a table, LockedError */
  async #changed(): Promise<IndexTable> {
    const { connection, source, side } = this;
    if (this.own === undefined)
      throw new VectorIndexError(
        `${connection.shown}: the embeddings follow their table. Change ${source.name} itself, then run \`pearl sync\`.`,
      );
    if (!this.isLocked) await lockSync(connection, source);
    this.isLocked = true;
    return { connection, source, side };
  }

  /** An index may be open for days: a connection that was lost is made again, once. */
  async #ask<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.connection);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      await this.connection.close();
      this.connection = await this.connect(this.address);
      this.isLocked = false;
      return work(this.connection);
    }
  }
}

/** The embeddings of a table, by its name or by their own. */
async function sideNamed(connection: PostgresConnection, wanted: string): Promise<SideTable> {
  const relation = await findRelation(connection, wanted);
  const side = sideOf(relation, connection) ?? (await findSide(connection, relation));
  if (side !== undefined) return side;
  throw new VectorIndexError(
    `${connection.shown}: ${wanted} has no embeddings. Make them first: pearl sync ADDRESS --table ${wanted}`,
  );
}

async function onlySide(connection: PostgresConnection): Promise<SideTable> {
  const found = await connection.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND obj_description(c.oid, 'pg_class') LIKE '{"pearl":%' ORDER BY 1`,
  );
  const relations = await Promise.all(found.map(({ name }) => lookUp(connection, name)));
  const sides = relations.flatMap((relation) => (relation && sideOf(relation, connection)) ?? []);
  if (sides.length === 1) return sides[0];
  const { shown } = connection;
  if (sides.length === 0)
    throw new VectorIndexError(
      `${shown}: no table has embeddings. Make them first: pearl sync ADDRESS --table NAME`,
    );
  const tables = sides.map(({ settings }) => settings.table.replaceAll(/^"public"\.|"/g, ""));
  const example = addressOfTable(shown, tables[0]);
  throw new VectorIndexError(
    `${shown}: ${tables.length} tables have embeddings (${listed(tables)}). Name one, as in ${example}`,
  );
}
