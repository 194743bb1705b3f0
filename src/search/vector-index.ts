/** An index of vectors that outlives the program: rows with their vectors, searched, added to, deleted from. */
import { ArgumentError, ModelError, VectorIndexError } from "../errors.js";
import { FolderStore } from "./folder-store.js";
import type {
  IndexBackend,
  IndexDescription,
  IndexEntry,
  IndexLayout,
  IndexMetric,
  IndexModel,
  IndexRows,
  IndexSelection,
  IndexWork,
  SearchHit,
  UnfinishedBuild,
  VectorPrecision,
  VectorStore,
} from "./index-types.js";
import { countRows, unitRows } from "./vectors.js";

/** What is decided when an index is made. */
export interface CreateIndexOptions {
  /** Numbers per vector. */
  readonly dimension: number;
  /** Names of the cells of each row. Default none: hits then carry a key and a score. */
  readonly columns?: readonly string[];
  /** Which of the columns holds the phrases, for deleting by phrase. */
  readonly phraseColumn?: string;
  /** Which of the columns is the key, a different one for each row. Default: rows are numbered from 1. */
  readonly keyColumn?: string;
  /** Default "cosine". */
  readonly metric?: IndexMetric;
  /** Default "auto": exact below 50,000 rows, hnsw from there; "lancedb" for a URI. */
  readonly backend?: IndexBackend;
  /** Default "float32"; "float16" takes half the space and moves scores by less than 0.001. */
  readonly precision?: VectorPrecision;
  /** Whose vectors these are: those of another model are then refused. */
  readonly model?: IndexModel;
}

/** Settings of a search. */
export interface SearchOptions extends IndexWork {
  /** Rows per query at most. Default 10. */
  readonly k?: number;
  /** Fingerprint of the model that made the queries; refused where it is not the index's. */
  readonly fingerprint?: string;
}

/** Settings of an addition. */
export interface AddOptions {
  /** Fingerprint of the model that made the vectors; refused where it is not the index's. */
  readonly fingerprint?: string;
  /** What happens to a row whose key is in the index. Default "refuse", with an error. */
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
  private constructor(
    readonly path: string,
    private readonly store: VectorStore,
  ) {}

  /**
   * Makes an empty index, open for adding. A path is a folder; a URI (s3://, gs://, az://, db://) or the backend
   * "lancedb" makes a LanceDB database.
   * @throws VectorIndexError where something is there already, ArgumentError, MissingDataError without LanceDB
   */
  static async create(path: string, options: CreateIndexOptions): Promise<VectorIndex> {
    const layout = layoutOf(path, options);
    if (layout.backend === "faiss") {
      // Loading it comes first: a build must not end in a missing library.
      await (await import("./neighbour-graph.js")).graphLibrary("faiss");
    }
    const store =
      layout.backend === "lancedb"
        ? await (await import("./lance-store.js")).LanceStore.create(path, layout)
        : await FolderStore.create(path, layout);
    return new VectorIndex(path, store);
  }

  /** Makes an index of rows that come batch by batch, and prepares it for searching. */
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
   * Opens an index. Many may have it open; whoever changes it first locks it until `close`.
   * @throws VectorIndexError where there is none, or it is damaged
   */
  static async open(path: string): Promise<VectorIndex> {
    const isUri = isLanceUri(path);
    const folder = isUri ? undefined : await FolderStore.open(path);
    if (folder !== undefined) return new VectorIndex(path, folder);
    const { isLanceFolder, LanceStore } = await import("./lance-store.js");
    if (isUri || (await isLanceFolder(path))) return new VectorIndex(path, await LanceStore.open(path));
    throw new VectorIndexError(`${path} is not an index. \`pearl index build FILE -o ${path}\` makes one.`);
  }

  /** What is fixed: dimension, columns, model ... */
  get layout(): IndexLayout {
    return this.store.layout;
  }

  /** The layout with what is in the index now. */
  describe(): Promise<IndexDescription> {
    return this.store.describe();
  }

  /**
   * Adds rows: all of them or, with an error, none. When it returns, they are on disk; kill -9 does not undo it.
   * @throws ArgumentError for vectors of another dimension, ModelError for another model's, VectorIndexError for a
   *   key that is there already, LockedError where another process writes
   */
  async add(rows: IndexRows, options: AddOptions = {}): Promise<void> {
    const { dimension, metric, columns } = this.layout;
    this.checkModel(options.fingerprint);
    const count = countRows(rows.vectors, dimension, "vectors to add");
    if (rows.cells.length !== count) {
      throw new ArgumentError(`${count} vectors came with the cells of ${rows.cells.length} rows`);
    }
    const odd = rows.cells.findIndex((cells) => cells.length !== columns.length);
    if (odd >= 0) {
      throw new ArgumentError(
        `row ${odd} has ${rows.cells[odd].length} cells, the index ${columns.length} columns`,
      );
    }
    if (count === 0) return;
    const vectors = metric === "cosine" ? unitRows(rows.vectors, dimension) : rows.vectors;
    await this.store.append({ vectors, cells: rows.cells }, options.existing ?? "refuse");
  }

  /** Deletes rows, safely as `add` adds them. Returns how many they were. */
  delete(selection: IndexSelection): Promise<number> {
    return this.store.remove(selection);
  }

  /**
   * The best rows of each query, best first. A zero vector is similar to nothing and finds nothing.
   *
   * @param queries one vector, or several in one flat array
   * @throws ArgumentError for another dimension, ModelError for another model
   */
  async search(queries: Float32Array, options: SearchOptions = {}): Promise<SearchHit[][]> {
    const { k = 10 } = options;
    const { dimension, metric } = this.layout;
    this.checkModel(options.fingerprint);
    if (!(Number.isInteger(k) && k > 0)) throw new ArgumentError(`k must be a positive integer, not ${k}`);
    const count = countRows(queries, dimension, "queries");
    if (count === 0) return [];
    const vectors = metric === "cosine" ? unitRows(queries, dimension) : queries;
    const hits = await this.store.search(vectors, k, options);
    return hits.map((found, query) => (isZero(vectors, query, dimension) ? [] : found));
  }

  /** All rows, in the order in which they came. */
  entries(): AsyncGenerator<IndexEntry> {
    return this.store.entries();
  }

  /** Makes searches fast again after many additions, and gives back the space of many deleted rows. */
  optimise(work: IndexWork = {}): Promise<void> {
    return this.store.optimise(work);
  }

  /** Notes that a build has begun, with what it is of, or that it is finished (undefined). */
  markBuild(build: UnfinishedBuild | undefined): Promise<void> {
    return this.store.markBuild(build);
  }

  /** Compares every stored row with its checksum. Throws VectorIndexError where they differ. */
  verify(): Promise<void> {
    return this.store.verify();
  }

  /**
   * Throws ModelError where the fingerprint is not that of the index's model. Undefined is not checked, nor is
   * anything where the index knows no model.
   */
  checkModel(fingerprint: string | undefined): void {
    const { model } = this.layout;
    if (model === undefined || fingerprint === undefined || fingerprint === model.fingerprint) return;
    throw new ModelError(
      `${this.path} holds vectors of ${model.name ?? "a model"} (fingerprint ${model.fingerprint}); those of ` +
        `another model (${fingerprint}) cannot be compared with them. Use that model, or build an index of this one.`,
    );
  }

  /** Closes the files and gives the lock back. */
  close(): Promise<void> {
    return this.store.close();
  }
}

/** True for s3://..., db://... and the like, which only LanceDB can hold. */
export function isLanceUri(path: string): boolean {
  return /^[a-z][a-z0-9+]+:\/\//i.test(path);
}

function layoutOf(path: string, options: CreateIndexOptions): IndexLayout {
  const {
    dimension,
    columns = [],
    phraseColumn,
    keyColumn,
    metric = "cosine",
    precision = "float32",
    model,
  } = options;
  if (!(Number.isInteger(dimension) && dimension > 0)) {
    throw new ArgumentError(`dimension must be a positive integer, not ${dimension}`);
  }
  for (const [name, column] of Object.entries({ phraseColumn, keyColumn })) {
    if (column !== undefined && !columns.includes(column)) {
      throw new ArgumentError(`${name} "${column}" is none of the columns (${columns.join(", ")})`);
    }
  }
  const isUri = isLanceUri(path);
  const backend = options.backend ?? "auto";
  if (isUri && backend !== "auto" && backend !== "lancedb") {
    throw new ArgumentError(`${path} can only be held by LanceDB, not by the backend ${backend}`);
  }
  return {
    dimension,
    metric,
    backend: isUri ? "lancedb" : backend,
    precision,
    columns,
    phraseColumn,
    keyColumn,
    model,
  };
}

function isZero(rows: Float32Array, row: number, dimension: number): boolean {
  for (let index = row * dimension; index < (row + 1) * dimension; index++)
    if (rows[index] !== 0) return false;
  return true;
}
