/** Embeds the phrases of a task, with progress, and rejects invalid embeddings. */
import { countRows } from "../search/vectors.js";
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
