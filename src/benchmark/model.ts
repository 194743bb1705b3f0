/** What the benchmark measures: a model that embeds phrases, or a similarity of strings. */

interface Named {
  readonly name: string;
  /** Distinguishes versions of a model in recorded results. */
  readonly fingerprint: string;
  dispose?(): Promise<void>;
}

/** A model that embeds phrases. */
export interface EmbeddingModel extends Named {
  readonly kind: "embedding";
  readonly dimension: number;
  /** [phrases, dimension], not necessarily of unit length. */
  embed(
    phrases: readonly string[],
    options?: {
      readonly signal?: AbortSignal;
      readonly onProgress?: (done: number, total: number) => void;
    },
  ): Promise<Float32Array>;
}

/** A similarity of strings, without embeddings. */
export interface SimilarityModel extends Named {
  readonly kind: "similarity";
  /** Prepares to compare queries with candidates; statistics such as idf may come from both. */
  fit(candidates: readonly string[], queries: readonly string[]): FittedSimilarity;
}

/** A similarity prepared for one set of candidates, from 0 to 1. */
interface FittedSimilarity {
  /** Similarity of any two phrases of the task. */
  pair(a: string, b: string): number;
  /** Writes the similarity of the query to each candidate into `scores`: [candidates]. */
  all(query: string, scores: Float64Array): void;
}

/** Anything the benchmark can measure. */
export type PhraseModel = EmbeddingModel | SimilarityModel;
