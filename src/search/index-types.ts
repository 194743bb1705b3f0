/** What goes into an index of vectors and what comes out: rows, hits, the description, and the store behind it. */

/** How two vectors are compared: by angle, or by angle and length. */
export type IndexMetric = "cosine" | "inner-product";

/** What finds neighbours; `auto` is exact below 50,000 rows and hnsw from there. */
export type IndexBackend = "auto" | "exact" | "hnsw" | "faiss" | "lancedb";

/** How vectors lie on disk. */
export type VectorPrecision = "float32" | "float16";

/** The model whose vectors an index holds. Vectors of another one would give scores without meaning. */
export interface IndexModel {
  /** Tells two models (with their prompt and cut) apart. */
  readonly fingerprint: string;
  /** What loads the model again: an embedded model's name, a folder or a hub id. */
  readonly name?: string;
  /** Text put before every phrase. Default none. */
  readonly prompt?: string;
}

/** Rows to be added. */
export interface IndexRows {
  /** Rows of the index's dimension, flat. */
  readonly vectors: Float32Array;
  /** For each row a value for each of the index's columns, in their order. */
  readonly cells: readonly (readonly string[])[];
}

/** One row that was found. */
export interface SearchHit {
  readonly key: string;
  /** Cosine or inner product with the query. */
  readonly score: number;
  /** The row, by column. */
  readonly cells: Readonly<Record<string, string>>;
}

/** A stored row, as it is read back. */
export interface IndexEntry {
  readonly key: string;
  readonly cells: readonly string[];
}

/** What is fixed when an index is made. */
export interface IndexLayout {
  readonly dimension: number;
  readonly metric: IndexMetric;
  readonly backend: IndexBackend;
  readonly precision: VectorPrecision;
  readonly columns: readonly string[];
  /** The column that holds the phrases; absent where the rows are not phrases. */
  readonly phraseColumn?: string;
  /** The column whose values are the keys, each of them once; without it a row's key is its running number, from 1. */
  readonly keyColumn?: string;
  /** Absent where nobody said which model the vectors are of: then nothing is refused. */
  readonly model?: IndexModel;
}

/** A build that has not ended. */
export interface UnfinishedBuild {
  /** Tells whether a table is the one that the build began with. */
  readonly source: string;
  /** Rows that the whole index will have. */
  readonly rows: number;
}

/** What an index is. */
export interface IndexDescription extends IndexLayout {
  /** The folder or URI. */
  readonly path: string;
  /** Rows that can be found: deleted ones do not count. */
  readonly rows: number;
  /** Deleted rows that still take space. */
  readonly deleted: number;
  /** What answers a search now, such as "exact" or "hnsw over 500,000 rows along 128 axes, exact over 12". */
  readonly searchedBy: string;
  readonly bytes: number;
  readonly unfinished?: UnfinishedBuild;
}

/** Which rows to delete: those of these keys, or those whose phrase is one of these. */
export type IndexSelection = { readonly keys: readonly string[] } | { readonly phrases: readonly string[] };

/** What long work on an index may be told and tells. */
export interface IndexWork {
  readonly signal?: AbortSignal;
  /** Called with finished and all rows. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Where an index lives: a folder of ours, or a LanceDB database. Vectors come in as they are to be stored. */
export interface VectorStore {
  readonly layout: IndexLayout;
  describe(): Promise<IndexDescription>;
  /** When it returns, the rows are safe: a power cut or kill -9 keeps them. Either all or none is in. */
  append(rows: IndexRows, existing: "refuse" | "replace"): Promise<void>;
  /** Deletes rows, safely as `append` adds them, and returns how many they were. */
  remove(selection: IndexSelection): Promise<number>;
  /** The k best rows of each query, best first. */
  search(queries: Float32Array, k: number, work: IndexWork): Promise<SearchHit[][]>;
  /** All rows, in the order in which they came. */
  entries(): AsyncGenerator<IndexEntry>;
  /** Makes searches fast again after many additions, and gives back the space of deleted rows. */
  optimise(work: IndexWork): Promise<void>;
  /** Marks the build as begun (with its plan) or finished (without). */
  markBuild(build: UnfinishedBuild | undefined): Promise<void>;
  /** Throws VectorIndexError where a stored row is not as it was written. */
  verify(): Promise<void>;
  close(): Promise<void>;
}
