/** An index of vectors that outlives the program: rows with their vectors, searched, added to, deleted from. */
import { existsSync } from "node:fs";
import { ArgumentError, ModelError, messageOf, VectorIndexError } from "../errors.js";
import { isObjectAddress, isPostgresAddress, refuseUnknownAddress } from "../files/place.js";
import type { DownloadOptions } from "../hub/download.js";
import { inTurn } from "../in-turn.js";
import { withoutPassword } from "../table/postgres/address.js";
import { hnswLibrary } from "./graph/hnsw.js";
import type {
  IndexDescription,
  IndexEntry,
  IndexLayout,
  IndexRows,
  IndexSelection,
  IndexWork,
  SearchHit,
  SearchSettings,
  UnfinishedBuild,
} from "./index-types.js";
import { rankedByWords } from "./ranked-by-words.js";
import { FolderStore } from "./store/folder-store.js";
import {
  keyExists,
  keysOf,
  notAnIndex,
  unchangeable,
  unfinishedBuild,
  type VectorStore,
} from "./store/vector-store.js";
import { countRows, isZero, unitRows } from "./vectors.js";
import { parseCondition } from "./where.js";

/** Settings of a search. */
export interface SearchOptions extends SearchSettings, IndexWork {
  /** Fingerprint of the model that made the queries; must be the index's. */
  readonly fingerprint?: string;
  /**
   * The queries as text: rows are then found by words and letters too, and scores are between the two. Counts where the index has
   * a phrase column and the metric is cosine.
   */
  readonly phrases?: readonly string[];
}

/** Rows of each kind that are ranked by both embeddings and words. */
const rankedRows = 30;

/** Settings of an addition. */
export interface AddOptions {
  /** Fingerprint of the model that made the vectors; must be the index's. */
  readonly fingerprint?: string;
  /** What happens to a row with a key that the index already holds. Default "refuse", an error. */
  readonly existing?: "refuse" | "replace";
}

/**
 * An open index.
 *
 *     const index = await VectorIndex.build("names.index", rows, { dimension: 256, columns: ["name"] });
 *     const [hits] = await index.search(queryVector, { k: 5 });
 *     await index.close();
 */
export class VectorIndex {
  readonly #next = inTurn();
  /** Whether the unfinished build is this object's own. */
  #isBuilding = false;
  #isClosed = false;

  private constructor(
    readonly path: string,
    private readonly store: VectorStore,
    private readonly kind: "original" | "copy" = "original",
  ) {}

  /** Makes a change after those that were asked for earlier. Rows are the build's alone until it is finished. */
  async #change<Result>(
    what: "rows" | "index",
    change: (store: VectorStore) => Promise<Result>,
  ): Promise<Result> {
    const store = this.#open;
    return this.#next(async () => {
      if (this.kind === "copy") throw unchangeable(this.path);
      await store.startWriting();
      const isUnfinished = store.unfinished !== undefined && !this.#isBuilding;
      if (what === "rows" && isUnfinished) throw unfinishedBuild(this.path);
      return change(store);
    });
  }

  get #open(): VectorStore {
    if (this.#isClosed) throw new ArgumentError(`${this.path}: the index was closed. Open it again.`);
    return this.store;
  }

  /**
   * Locks the index until `close`, as the first change does.
   * @throws VectorIndexError where rows cannot be added or deleted, LockedError where another process writes
   */
  lock(): Promise<void> {
    return this.#change("rows", async () => {});
  }

  /**
   * Makes an empty index, open for adding: a folder, or with postgres://...?table=NAME a table in PostgreSQL.
   * @throws VectorIndexError where the path exists, ArgumentError, MissingDataError where the backend is not installed
   */
  static async create(path: string, options: CreateIndexOptions): Promise<VectorIndex> {
    const shown = withoutPassword(path);
    if (isPostgresAddress(path))
      return new VectorIndex(shown, await (await postgresStore()).create(path, layoutOf(shown, options)));
    if (isObjectAddress(path)) throw unchangeable(path);
    const layout = layoutOf(path, options);
    // Loaded first: a build must not end with a missing library.
    if (layout.backend === "hnsw") hnswLibrary();
    return new VectorIndex(path, await FolderStore.create(path, layout));
  }

  /** Makes an index of rows that arrive in batches, and prepares it for searching. */
  static async build(
    path: string,
    rows: AsyncIterable<IndexRows> | Iterable<IndexRows>,
    options: CreateIndexOptions & IndexWork,
  ): Promise<VectorIndex> {
    const index = await VectorIndex.create(path, options);
    try {
      for await (const batch of rows) {
        options.signal?.throwIfAborted();
        await index.add(batch);
      }
      await index.optimise(options);
      return index;
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  /**
   * Opens an index, a copy of one in object storage (s3://...), or embeddings in PostgreSQL (postgres://...?table=NAME). Many
   * processes may; the first that changes it locks it until `close`. Without usearch an index with an HNSW graph is searched
   * exactly, and `describe` gives a note.
   * @param onDownload called during a copy
   * @throws VectorIndexError where there is none, or it is damaged
   */
  static async open(path: string, onDownload?: DownloadOptions["onProgress"]): Promise<VectorIndex> {
    const shown = withoutPassword(path);
    if (isPostgresAddress(path)) return new VectorIndex(shown, await (await postgresStore()).open(path));
    if (isObjectAddress(path)) return new VectorIndex(path, await openCopy(path, onDownload), "copy");
    refuseUnknownAddress(path);
    const folder = await FolderStore.open(path);
    if (folder !== undefined) return new VectorIndex(path, folder);
    throw notAnIndex(path, existsSync(path) ? "NEW` makes one in a new folder" : `${path}\` makes one`);
  }

  /**
   * Builds the graph of an index in a folder again, from the stored rows.
   * @throws VectorIndexError where there is no such index, or rows are damaged; LockedError
   */
  static async rebuildGraph(path: string, work: IndexWork = {}): Promise<void> {
    if (isObjectAddress(path)) throw unchangeable(path);
    const store = await FolderStore.open(path, "leave");
    if (store === undefined) throw new VectorIndexError(`${path} is not an index in a folder.`);
    try {
      await store.startWriting();
      await store.optimise(work);
    } finally {
      await store.close();
    }
  }

  /** What is fixed when an index is made: dimension, columns, model. */
  get layout(): IndexLayout {
    return this.store.layout;
  }

  /** The layout, and what the index holds now. */
  async describe(): Promise<IndexDescription> {
    return { ...(await this.store.describe()), path: this.path };
  }

  /**
   * Adds all rows or, with an error, none. When it returns they are on disk; kill -9 does not lose them. Calls at once are
   * done one after the other.
   * @throws ArgumentError for vectors of another dimension, ModelError for another model's, VectorIndexError for a
   *   key that exists or an interrupted build, LockedError where another process writes
   */
  async add(rows: IndexRows, options: AddOptions = {}): Promise<void> {
    const { dimension, metric, columns } = this.layout;
    this.checkModel(options.fingerprint);
    const count = countRows(rows.vectors, dimension, "vectors to add");
    if (rows.cells.length !== count)
      throw new ArgumentError(
        `There are ${count} vectors, but cells of ${rows.cells.length} rows. Pass one row of cells per vector.`,
      );
    const odd = rows.cells.findIndex((cells) => cells.length !== columns.length);
    if (odd >= 0)
      throw new ArgumentError(
        `Row ${odd} has ${rows.cells[odd].length} cells, but the index has ${columns.length} columns.`,
      );
    if (count === 0) return;
    const vectors = metric === "cosine" ? unitRows(rows.vectors, dimension) : rows.vectors;
    const keys = keysOf(this.layout, rows.cells);
    const isReplacing = options.existing === "replace";
    await this.#change("rows", async (store) => {
      if (keys !== undefined && !isReplacing) await this.#refuse(store, keys);
      await store.append({ vectors, cells: rows.cells, keys }, isReplacing ? "replace" : "none");
    });
  }

  /** Checks keys before any work on their rows, as `add` does. @throws VectorIndexError if a row has one of them; as `add` */
  refuseKeys(keys: readonly string[]): Promise<void> {
    return this.#change("rows", (store) => this.#refuse(store, keys));
  }

  async #refuse(store: VectorStore, keys: readonly string[]): Promise<void> {
    const taken = await store.findKey(keys);
    if (taken !== undefined) throw keyExists(this.path, taken);
  }

  /** Deletes rows as safely as `add` adds them. @returns how many @throws VectorIndexError after an interrupted build */
  async delete(selection: IndexSelection): Promise<number> {
    if ("keys" in selection) return this.#change("rows", (store) => store.remove("key", selection.keys));
    const { columns, phraseColumn } = this.layout;
    if (phraseColumn !== undefined)
      return this.#change("rows", (store) => store.remove(columns.indexOf(phraseColumn), selection.phrases));
    throw new VectorIndexError(`${this.path} has no phrase column. Select the rows by key.`);
  }

  /**
   * The best rows of each query, best first. A zero vector is similar to nothing and finds only its very phrase.
   *
   * @param queries one vector, or several in one flat array
   * @throws ArgumentError for another dimension or a condition that cannot be read, ModelError for another model
   */
  async search(queries: Float32Array, options: SearchOptions = {}): Promise<SearchHit[][]> {
    const { k = 10, phrases: asked, where: condition, ranking = "both", ...work } = options;
    const { dimension, metric, columns, phraseColumn } = this.layout;
    this.checkModel(work.fingerprint);
    if (!(Number.isInteger(k) && k > 0)) throw new ArgumentError(`k must be a positive integer, not ${k}`);
    const where = condition === undefined ? undefined : parseCondition(condition, this.layout);
    const count = countRows(queries, dimension, "queries");
    if (count === 0) return [];
    const vectors = metric === "cosine" ? unitRows(queries, dimension) : queries;
    const hasWords = phraseColumn !== undefined && metric === "cosine";
    const phrases = hasWords && ranking !== "embeddings" ? asked : undefined;
    if (ranking === "words" && phrases === undefined)
      throw new ArgumentError(
        `${this.path}: ranking by words needs the queries as text, and a phrase column and cosines in the index.`,
      );
    if (phrases !== undefined && phrases.length !== count)
      throw new ArgumentError(
        `There are ${count} queries, but ${phrases.length} phrases. Pass one phrase per query.`,
      );
    const most = phrases ? Math.max(k, rankedRows) : k;
    const found = await this.#open.search(vectors, most, { ...work, phrases, where });
    const column = columns.indexOf(phraseColumn ?? "");
    return found.map((hits, query) => {
      const ranked = phrases ? rankedByWords(phrases[query], hits, column, ranking).slice(0, k) : hits;
      const isPhrase = (cells: readonly string[]) => phrases && cells[column] === phrases[query];
      const named = (cells: readonly string[]) => columns.map((name, place) => [name, cells[place]]);
      return ranked
        .filter(({ cells }) => ranking === "words" || !isZero(vectors, query, dimension) || isPhrase(cells))
        .map(({ key, score, cells }) => ({ key, score, cells: Object.fromEntries(named(cells)) }));
    });
  }

  /** All rows, in the order they were added. */
  async *entries(): AsyncGenerator<IndexEntry> {
    yield* this.#open.entries();
  }

  /** Makes searches fast again after many additions, and frees the space of many deleted rows. */
  optimise(work: IndexWork = {}): Promise<void> {
    return this.#change("index", (store) => store.optimise(work));
  }

  /**
   * Replaces the vectors of all rows by another model's; keys and cells stay. The index is as it was until all are written;
   * `optimise` then builds its graph.
   * @param vectorsOf the vectors of phrases, rows of `dimension` numbers, flat
   * @throws VectorIndexError for an index that is no folder, or has no phrases; LockedError
   */
  async rebuild(
    { model, dimension }: Required<Pick<IndexLayout, "model" | "dimension">>,
    vectorsOf: (phrases: readonly string[]) => Promise<Float32Array>,
    work: IndexWork = {},
  ): Promise<void> {
    const { columns, phraseColumn, metric } = this.layout;
    const column = columns.indexOf(phraseColumn ?? "");
    if (column < 0)
      throw new VectorIndexError(`${this.path} has no phrase column to encode. Build a new index.`);
    await this.#change("rows", async (store) => {
      if (store.rewrite === undefined)
        throw new VectorIndexError(
          `${this.path} is no folder: its vectors stay. Build a new index of the table.`,
        );
      await store.rewrite(work, { ...this.layout, model, dimension }, async (entries) => {
        const vectors = await vectorsOf(entries.map(({ cells }) => cells[column]));
        const count = countRows(vectors, dimension, "vectors of phrases");
        if (count !== entries.length)
          throw new ArgumentError(
            `There are ${count} vectors of ${entries.length} phrases. Give one for each.`,
          );
        return metric === "cosine" ? unitRows(vectors, dimension) : vectors;
      });
    });
  }

  /** Records the plan of a build that starts or resumes, or undefined when it has finished. Until then, only the build changes rows. */
  markBuild(build: UnfinishedBuild | undefined): Promise<void> {
    return this.#change("index", async (store) => {
      await store.markBuild(build);
      this.#isBuilding = build !== undefined;
    });
  }

  /** Compares every stored row, and the graph, with their checksums. @throws VectorIndexError that names the file that differs */
  async verify(): Promise<void> {
    return this.#open.verify();
  }

  /**
   * Checks that a fingerprint is that of the index's model; passes where either is unknown.
   * @throws ModelError
   */
  checkModel(fingerprint: string | undefined): void {
    const { model } = this.layout;
    if (model === undefined || fingerprint === undefined || fingerprint === model.fingerprint) return;
    throw new ModelError(
      `${this.path} holds vectors of ${model.name ?? "a model"} (fingerprint ${model.fingerprint}), not of the ` +
        `model given (${fingerprint}). Use the index's model, or build a new index with the model given.`,
    );
  }

  /** Closes the files and releases the lock, after the changes that were asked for. Calls after it are refused, but for `describe`. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#next(() => this.store.close());
  }
}

const postgresStore = async () => (await import("./store/postgres-store.js")).PostgresStore;

/** What is decided when an index is made; only the dimension has no default. */
export interface CreateIndexOptions extends Partial<IndexLayout> {
  readonly dimension: number;
}

/**
 * The layout of a new index, with defaults.
 * @param path without a password: errors show it
 * @throws ArgumentError; UsageError for an address of an unknown scheme
 */
function layoutOf(path: string, options: CreateIndexOptions): IndexLayout {
  const { dimension, columns = [], types, phraseColumn, keyColumn, backend = "auto" } = options;
  const { metric = "cosine", precision = "float32", model } = options;
  if (!(Number.isInteger(dimension) && dimension > 0))
    throw new ArgumentError(`dimension must be a positive integer, not ${dimension}`);
  for (const [name, column] of Object.entries({ phraseColumn, keyColumn })) {
    if (column !== undefined && !columns.includes(column)) {
      throw new ArgumentError(`${name} "${column}" is not among the columns (${columns.join(", ")})`);
    }
  }
  refuseUnknownAddress(path);
  const needed = isPostgresAddress(path) ? "postgres" : undefined;
  if (needed !== undefined && backend !== "auto" && backend !== needed)
    throw new ArgumentError(
      `${path} needs the backend ${needed}, not ${backend}. Leave the backend out, or name a folder.`,
    );
  if (backend === "postgres" && needed !== backend)
    throw new ArgumentError(
      `${path} is no address of PostgreSQL, which the backend postgres needs: write postgres://user@host/database?table=NAME`,
    );
  const fixed = { dimension, metric, backend: needed ?? backend, precision };
  return { ...fixed, columns, types, phraseColumn, keyColumn, model };
}

/**
 * An index in object storage: a copy of it is opened, and never changed.
 * @throws VectorIndexError where there is no index, or the copy is damaged; ObjectStorageError
 */
async function openCopy(address: string, onDownload: DownloadOptions["onProgress"]): Promise<FolderStore> {
  const { fetchFolder, listObjects, uploadMark } = await import("../files/object-storage/folder.js");
  const entries = await listObjects(address);
  if (!entries.some(({ name }) => name === "index.json" || name === uploadMark))
    throw notAnIndex(address, `${address}\` makes one`);
  const folder = await fetchFolder(address, onDownload, entries);
  const store = await FolderStore.open(folder).catch((cause) => {
    const reason = `its copy cannot be used (${messageOf(cause)})`;
    throw new VectorIndexError(`${address}: ${reason}. Remove ${folder}, and pearl copies the index again.`, {
      cause,
    });
  });
  if (store === undefined) throw notAnIndex(address, `${address}\` makes one`);
  return store;
}
