/** What the benchmark measures: a model that embeds phrases, or a similarity of strings. */

/** A model that embeds phrases. */
export interface EmbeddingModel {
  readonly kind: "embedding";
  readonly name: string;
  /** Distinguishes versions of a model in recorded results. */
  readonly fingerprint: string;
  readonly dimension: number;
  /** [phrases, dimension], not necessarily of unit length. */
  embed(phrases: readonly string[], options?: EmbedOptions): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** Options of `embed`. */
export interface EmbedOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A similarity of strings, without embeddings. */
export interface SimilarityModel {
  readonly kind: "similarity";
  readonly name: string;
  readonly fingerprint: string;
  /** Prepares to compare queries with candidates; statistics such as idf may come from both. */
  fit(candidates: readonly string[], queries: readonly string[]): FittedSimilarity;
  dispose(): Promise<void>;
}

/** A similarity prepared for one set of candidates, from 0 to 1. */
export interface FittedSimilarity {
  /** Similarity of any two phrases of the task. */
  pair(a: string, b: string): number;
  /** Writes the similarity of the query to each candidate into `scores`: [candidates]. */
  all(query: string, scores: Float64Array): void;
}

/** Anything the benchmark can measure. */
export type PhraseModel = EmbeddingModel | SimilarityModel;
