/** The types of an index of vectors: rows, hits, its description, and the interface of the stores behind it. */

/** How two vectors are compared: by angle, or by angle and length. */
export type IndexMetric = "cosine" | "inner-product";

/** What finds neighbours. */
export type IndexBackend = "auto" | "exact" | "hnsw" | "postgres";

export type VectorPrecision = "float32" | "float16";

/** The model that made the vectors of an index. Scores with vectors of another model are meaningless. */
export interface IndexModel {
  /** Differs between two models. */
  readonly fingerprint: string;
  /** What loads the model again: an embedded model's name, a folder or a hub id. */
  readonly name?: string;
  /** Text prepended to every phrase. Default none. */
  readonly prompt?: string;
}

/** Rows to add. */
export interface IndexRows {
  /** Rows of the index's dimension, flat. */
  readonly vectors: Float32Array;
  /** For each row its cells, in the order of the index's columns. */
  readonly cells: readonly (readonly string[])[];
}

/** What orders the rows that a search by phrase finds. */
export const rankings = ["both", "embeddings", "words"] as const;

/** Settings of every search. */
export interface SearchSettings {
  /** Rows per query at most. Default 10. */
  readonly k?: number;
  /** A condition that rows must meet, such as `city = 'Ulm' and employees >= 50`. Default none. */
  readonly where?: string;
  /** What orders rows where the queries are given as text. Default "both"; "words" finds only rows that share words or letters. */
  readonly ranking?: (typeof rankings)[number];
}

/** One row that was found. */
export interface SearchHit {
  readonly key: string;
  /** Cosine or inner product with the query; of a search by phrase also of how similar words and letters are, as `ranking` says. */
  readonly score: number;
  /** The row's cells by column. */
  readonly cells: Readonly<Record<string, string>>;
}

export interface IndexEntry {
  readonly key: string;
  readonly cells: readonly string[];
}

/** What is fixed when an index is made. */
export interface IndexLayout {
  /** Numbers per vector. */
  readonly dimension: number;
  /** Default "cosine". */
  readonly metric: IndexMetric;
  /** Default "auto": exact below 50,000 rows, hnsw from there; "postgres" for postgres://... */
  readonly backend: IndexBackend;
  /** Default "float32"; "float16" takes half the space and changes scores by less than 0.001. */
  readonly precision: VectorPrecision;
  /** Names of the columns. Default none: hits then have a key and a score. */
  readonly columns: readonly string[];
  /** The columns' types in the table, as DuckDB names them; cells are stored as text. Default: all are text. */
  readonly types?: readonly string[];
  /** The column that holds the phrases, for deleting by phrase; absent where the rows are not phrases. */
  readonly phraseColumn?: string;
  /** The column that holds the keys, all different. Default: rows are numbered from 1. */
  readonly keyColumn?: string;
  /** The model of the vectors; the index refuses those of another model. Absent where it is unknown. */
  readonly model?: IndexModel;
}

/** An interrupted build. */
export interface UnfinishedBuild {
  /** Identifies the table that the build began with. */
  readonly source: string;
  /** Rows that the finished index will have. */
  readonly rows: number;
}

/** An index as it is now. */
export interface IndexDescription extends IndexLayout {
  /** The folder or URI. */
  readonly path: string;
  /** Rows that searches can find, without the deleted ones. */
  readonly rows: number;
  /** Deleted rows that still take space. */
  readonly deleted: number;
  /** What answers a search now, such as "exact" or "hnsw over 500,000 rows along 128 axes, exact over 12". */
  readonly searchedBy: string;
  /** What a user should know, such as that a library is missing and searches are therefore slow. */
  readonly note?: string;
  readonly bytes: number;
  /** Present after an interrupted build. */
  readonly unfinished?: UnfinishedBuild;
}

/** The rows to delete: those with these keys, or those with these phrases. */
export type IndexSelection = { readonly keys: readonly string[] } | { readonly phrases: readonly string[] };

/** How work on an index is stopped and watched. */
export interface IndexWork {
  readonly signal?: AbortSignal;
  /** Called with the rows finished and in all. */
  readonly onProgress?: (done: number, total: number) => void;
}
