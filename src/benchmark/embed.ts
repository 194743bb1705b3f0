/** Embeds a task's phrases, with progress, and refuses vectors that no score may be made of. */
import { countRows } from "../search/vectors.js";
import type { EmbeddingModel } from "./model.js";
import type { TaskContext } from "./task.js";

/**
 * The phrases' vectors as the model gives them, rows of `model.dimension` numbers.
 * @throws ArgumentError where the model gives a NaN, an infinity or broken rows.
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
