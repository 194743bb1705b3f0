/** What the benchmark measures: a model that gives vectors, or a measure that compares two strings. */

/** A model that gives each phrase a vector. */
export interface EmbeddingModel {
  readonly kind: "embedding";
  readonly name: string;
  /** Tells two versions of a model apart in recorded results. */
  readonly fingerprint: string;
  readonly dimension: number;
  /** Rows of `dimension` numbers in the phrases' order; not necessarily of unit length. */
  embed(phrases: readonly string[], options?: EmbedOptions): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** What a task tells a model that embeds. */
export interface EmbedOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A string method without vectors. */
export interface SimilarityModel {
  readonly kind: "similarity";
  readonly name: string;
  readonly fingerprint: string;
  /** Prepares for a task's phrases: candidates are what queries are compared with; both may teach (idf). */
  fit(candidates: readonly string[], queries: readonly string[]): FittedSimilarity;
  dispose(): Promise<void>;
}

/** A measure ready for one set of candidates. Similarities lie between 0 and 1. */
export interface FittedSimilarity {
  /** Similarity of any two phrases of the task. */
  pair(a: string, b: string): number;
  /** Writes the similarity of the query with each candidate into `scores` (length: the candidates'). */
  all(query: string, scores: Float64Array): void;
}

/** Whatever can be measured. */
export type PhraseModel = EmbeddingModel | SimilarityModel;
