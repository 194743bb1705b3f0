/** What the benchmark measures: a model that embeds phrases, or a similarity of strings. */
import type { EncodeOptions, PhraseEncoder } from "../encoder/phrase-encoder.js";
import { countRows, dotRows, unitRows } from "../search/vectors.js";
import type { TaskContext } from "./task.js";

interface Named {
  readonly name: string;
  /** Distinguishes versions of a model in recorded results. */
  readonly fingerprint: string;
  dispose?(): Promise<void>;
}

export interface EmbeddingModel extends Named {
  readonly kind: "embedding";
  readonly dimension: number;
  /** The encoder itself, for tasks that match tables with it. */
  readonly encoder?: PhraseEncoder;
  /** [phrases, dimension], not necessarily of unit length. */
  embed(
    phrases: readonly string[],
    options?: Pick<EncodeOptions, "signal" | "onProgress">,
  ): Promise<Float32Array>;
}

export interface SimilarityModel extends Named {
  readonly kind: "similarity";
  /** Prepares to compare queries with candidates; statistics such as idf may come from both. */
  fit(candidates: readonly string[], queries: readonly string[]): FittedSimilarity;
}

/** A similarity prepared for one set of candidates, from 0 to 1. */
interface FittedSimilarity {
  pair(a: string, b: string): number;
  /** Writes the similarity of the query to each candidate into `scores`: [candidates]. */
  all(query: string, scores: Float64Array): void;
}

export type PhraseModel = EmbeddingModel | SimilarityModel;

/** The model's embeddings: [phrases, dimension]. @throws ArgumentError for NaN, infinity or incomplete rows */
export async function embedPhrases(
  model: EmbeddingModel,
  phrases: readonly string[],
  { signal, onProgress }: Pick<TaskContext, "signal" | "onProgress">,
): Promise<Float32Array> {
  const rows = await model.embed(phrases, {
    signal,
    onProgress: (done, total) => onProgress?.("encoding", done, total),
  });
  countRows(rows, model.dimension, `vectors of ${model.name}`);
  return rows;
}

/** The similarity of each pair: cosine of the embeddings (0 if one is zero), or the string measure. */
export async function pairSimilarities(
  left: readonly string[],
  right: readonly string[],
  context: TaskContext,
): Promise<Float64Array> {
  const { model } = context;
  if (model.kind === "similarity") {
    const fitted = model.fit([...new Set(left), ...new Set(right)], []);
    return Float64Array.from(left, (phrase, row) => fitted.pair(phrase, right[row]));
  }
  const rows = await embedPhrases(model, [...left, ...right], context);
  const units = unitRows(rows, model.dimension);
  return Float64Array.from(left, (_, row) => dotRows(units, row, units, left.length + row, model.dimension));
}
