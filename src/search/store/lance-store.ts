/** An index in a LanceDB database (a folder, s3://, gs://, az://, db://), through the optional @lancedb/lancedb. */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { InferOutput } from "valibot";
import { messageOf, VectorIndexError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import type { Lock } from "../../files/lock.js";
import { loadOptional } from "../../files/package.js";
import type {
  IndexDescription,
  IndexEntry,
  IndexLayout,
  IndexWork,
  UnfinishedBuild,
} from "../index-types.js";
import { lockIndex } from "./disk.js";
import { layoutSchema, layoutTrouble } from "./manifest.js";
import { exactBelow, type NewRows, type StoredHit, type VectorStore } from "./vector-store.js";

/** The part of @lancedb/lancedb that pearl uses. */
interface Lance {
  connect(uri: string): Promise<Connection>;
  Index: { hnswSq(options: { distanceType: string }): unknown };
}
interface Connection {
  tableNames(): Promise<string[]>;
  createTable(name: string, rows: unknown, options?: { mode?: "overwrite" }): Promise<LanceTable>;
  openTable(name: string): Promise<LanceTable>;
  close(): void;
}
interface LanceTable {
  add(rows: Row[]): Promise<unknown>;
  mergeInsert(key: string): Merge;
  delete(condition: string): Promise<unknown>;
  countRows(condition?: string): Promise<number>;
  createIndex(column: string, options: { config: unknown; replace: boolean }): Promise<void>;
  listIndices(): Promise<{ name: string }[]>;
  optimize(): Promise<unknown>;
  checkoutLatest(): Promise<void>;
  version(): Promise<number>;
  query(): LanceQuery;
  search(vector: Float32Array): LanceQuery;
  close(): void;
}
interface Merge {
  whenMatchedUpdateAll(): Merge;
  whenNotMatchedInsertAll(): Merge;
  execute(rows: Row[]): Promise<unknown>;
}
interface LanceQuery extends AsyncIterable<Iterable<Row>> {
  select(columns: string[]): LanceQuery;
  where(condition: string): LanceQuery;
  limit(count: number): LanceQuery;
  distanceType(name: "cosine" | "dot"): LanceQuery;
  refineFactor(factor: number): LanceQuery;
  toArray(): Promise<Row[]>;
}
type Row = Record<string, unknown>;

const rowsName = "pearl_rows";
const layoutName = "pearl_index";
const keysPerCondition = 500;

/** The layout, stored in a table of one row. */
type Settings = InferOutput<typeof layoutSchema>;

/**
 * A database as an index. LanceDB commits each addition as a whole, in a version of its own, and merges those of several
 * writers. Numbered keys continue from the highest, and keys of a column are compared before they are added: two writers at
 * once would take the same keys. The first change therefore locks a folder until `close`; under a URI, one may write at a time.
 */
export class LanceStore implements VectorStore {
  private lock: Lock | undefined;
  /** The number of the next row that is numbered, as of a version of the table; unknown before the first. */
  private next: { readonly number: number; readonly version: number } | undefined;

  private constructor(
    private readonly uri: string,
    private readonly lance: Lance,
    private readonly connection: Connection,
    private settings: Settings,
    private table: LanceTable | undefined,
  ) {}

  static async create(uri: string, layout: IndexLayout): Promise<LanceStore> {
    const lance = loadLance();
    const connection = await connect(lance, uri);
    const names = await connection.tableNames();
    if (names.includes(layoutName) || names.includes(rowsName)) {
      throw new VectorIndexError(`${uri} already holds an index. Choose another place, or remove it.`);
    }
    await connection.createTable(layoutName, [{ settings: JSON.stringify(layout) }]);
    const settings = { ...layout, columns: [...layout.columns] };
    return new LanceStore(uri, lance, connection, settings, undefined);
  }

  static async open(uri: string): Promise<LanceStore> {
    const lance = loadLance();
    const connection = await connect(lance, uri);
    const names = await connection.tableNames();
    if (!names.includes(layoutName)) throw new VectorIndexError(`${uri} is not an index made by pearl.`);
    const [{ settings }] = await (await connection.openTable(layoutName)).query().toArray();
    const layout = parseJson(String(settings), `${uri}: the layout`, layoutSchema, layoutTrouble);
    const table = names.includes(rowsName) ? await connection.openTable(rowsName) : undefined;
    return new LanceStore(uri, lance, connection, layout, table);
  }

  get layout(): IndexLayout {
    return this.settings;
  }

  get unfinished(): UnfinishedBuild | undefined {
    return this.settings.unfinished;
  }

  async describe(): Promise<IndexDescription> {
    const rows = (await this.table?.countRows()) ?? 0;
    const indices = (await this.table?.listIndices()) ?? [];
    const searchedBy = indices.length > 0 ? "LanceDB, hnsw with 8-bit numbers" : "LanceDB, exact";
    return { ...this.settings, path: this.uri, rows, deleted: 0, searchedBy, bytes: 0 };
  }

  async findKey(keys: readonly string[]): Promise<string | undefined> {
    for (const condition of this.table === undefined ? [] : conditions("key", keys)) {
      const [row] = await this.table!.query().where(condition).select(["key"]).limit(1).toArray();
      if (row !== undefined) return String(row.key);
    }
    return undefined;
  }

  async append({ vectors, cells, keys }: NewRows, existing: "none" | "replace"): Promise<void> {
    const { dimension, columns } = this.settings;
    const first = keys === undefined ? await this.nextNumber() : 0;
    const rows = cells.map((row, index) => ({
      key: keys?.[index] ?? String(first + index),
      number: keys === undefined ? first + index : 0,
      vector: Array.from(vectors.subarray(index * dimension, (index + 1) * dimension)),
      ...Object.fromEntries(columns.map((_, place) => [cellName(place), row[place]])),
    }));
    if (this.table === undefined) this.table = await this.connection.createTable(rowsName, rows);
    else if (existing === "none") await this.table.add(rows);
    else await this.table.mergeInsert("key").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
    if (keys === undefined) this.next = { number: first + rows.length, version: await this.table.version() };
  }

  async remove(column: "key" | number, values: readonly string[]): Promise<number> {
    if (this.table === undefined) return 0;
    const before = await this.table.countRows();
    for (const condition of conditions(column === "key" ? column : cellName(column), values))
      await this.table.delete(condition);
    return before - (await this.table.countRows());
  }

  async search(queries: Float32Array, k: number, { signal, onProgress }: IndexWork): Promise<StoredHit[][]> {
    const { dimension, columns, metric } = this.settings;
    const names = columns.map((_, place) => cellName(place));
    const count = queries.length / dimension;
    const hits: StoredHit[][] = [];
    for (let query = 0; query < count; query++) {
      signal?.throwIfAborted();
      // A copy: LanceDB would read the whole buffer behind a view.
      const vector = queries.slice(query * dimension, (query + 1) * dimension);
      const found = await this.table
        ?.search(vector)
        .distanceType(metric === "cosine" ? "cosine" : "dot")
        .refineFactor(4)
        .limit(k)
        .select(["key", ...names, "_distance"])
        .toArray();
      hits.push((found ?? []).map((row) => ({ ...entryOf(row, names), score: 1 - Number(row._distance) })));
      onProgress?.(query + 1, count);
    }
    return hits;
  }

  async *entries(): AsyncGenerator<IndexEntry> {
    if (this.table === undefined) return;
    const names = this.settings.columns.map((_, place) => cellName(place));
    for await (const batch of this.table.query().select(["key", ...names])) {
      for (const row of batch) yield entryOf(row, names);
    }
  }

  async optimise(): Promise<void> {
    if (this.table === undefined) return;
    if ((await this.table.countRows()) >= exactBelow && (await this.table.listIndices()).length === 0) {
      const distanceType = this.settings.metric === "cosine" ? "cosine" : "dot";
      await this.table.createIndex("vector", {
        config: this.lance.Index.hnswSq({ distanceType }),
        replace: true,
      });
    }
    await this.table.optimize();
  }

  async markBuild(unfinished: UnfinishedBuild | undefined): Promise<void> {
    this.settings = { ...this.settings, unfinished };
    const rows = [{ settings: JSON.stringify(this.settings) }];
    await this.connection.createTable(layoutName, rows, { mode: "overwrite" });
  }

  /** Reads everything: LanceDB checks its own files. */
  async verify(): Promise<void> {
    for await (const _ of this.table?.query().select(["key", "vector"]) ?? []);
  }

  async close(): Promise<void> {
    this.table?.close();
    this.connection.close();
    await this.lock?.release();
    this.lock = undefined;
  }

  /** Under a URI, where nothing is locked, each change reads what others have written. */
  async startWriting(): Promise<void> {
    if (this.lock !== undefined) return;
    if (!isRemote(this.uri)) this.lock = await lockIndex(this.uri);
    if (this.table !== undefined) await this.table.checkoutLatest();
    else if ((await this.connection.tableNames()).includes(rowsName))
      this.table = await this.connection.openTable(rowsName);
  }

  private async nextNumber(): Promise<number> {
    if (this.table === undefined) return 1;
    let { number = 1, version } = this.next ?? {};
    if (version === (await this.table.version())) return number;
    for await (const batch of this.table.query().select(["number"]))
      for (const row of batch) number = Math.max(number, Number(row.number) + 1);
    return number;
  }
}

/** LanceDB accepts few characters in names of columns, so columns are numbered. */
const cellName = (place: number): string => `cell${place}`;

const entryOf = (row: Row, names: readonly string[]): IndexEntry => ({
  key: String(row.key),
  cells: names.map((name) => String(row[name])),
});

function conditions(column: string, values: readonly string[]): string[] {
  const parts: string[] = [];
  for (let first = 0; first < values.length; first += keysPerCondition) {
    const list = values
      .slice(first, first + keysPerCondition)
      .map((value) => `'${value.replaceAll("'", "''")}'`);
    parts.push(`${column} IN (${list.join(", ")})`);
  }
  return parts;
}

export const isLanceFolder = (path: string): boolean => existsSync(join(path, `${layoutName}.lance`));

const isRemote = (uri: string): boolean => uri.includes("://");

/** LanceDB reads a bare relative path as the name of a remote database. */
async function connect(lance: Lance, uri: string): Promise<Connection> {
  const isRelative = !isRemote(uri) && !isAbsolute(uri);
  try {
    return await lance.connect(isRelative ? `./${uri}` : uri);
  } catch (error) {
    throw new VectorIndexError(`${uri} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

/** The first and the last cause: LanceDB's messages hold the whole chain, with places in its sources. */
function reasonOf(error: unknown): string {
  const causes = messageOf(error).split(/\s*Caused by:\s*/);
  const plain = (cause: string): string =>
    cause
      .replace(/^.*LanceError\(\w+\): /, "")
      .replace(/,? ?\/\S+\.rs:\d+:\d+/, "")
      .trim();
  const [first, last] = [plain(causes[0]), plain(causes[causes.length - 1])];
  return first === last ? first : `${first} (${last})`;
}

const loadLance = (): Lance => loadOptional("@lancedb/lancedb", "an index in LanceDB");
