/** Embeddings and pair similarities of a task's phrases, with progress. */
import { countRows, dotRows, unitRows } from "../search/vectors.js";
import type { EmbeddingModel } from "./model.js";
import type { TaskContext } from "./task.js";

/**
 * The embeddings as the model returns them: [phrases, model.dimension].
 * @throws ArgumentError if the model returns NaN, infinity or incomplete rows
 */
export async function embedPhrases(
  model: EmbeddingModel,
  phrases: readonly string[],
  { signal, onProgress }: Pick<TaskContext, "signal" | "onProgress">,
): Promise<Float32Array> {
  const rows = await model.embed(phrases, {
    signal,
    onProgress: (done, total) => onProgress?.({ label: "encoding", done, total }),
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
