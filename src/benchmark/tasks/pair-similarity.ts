/** Similarities of given pairs of phrases, for the tasks that compare them with a judgement. */
import { dotRows, unitRows } from "../../search/vectors.js";
import { embedPhrases } from "../embed.js";
import type { TaskContext } from "../task.js";

/**
 * The similarity of each pair: cosine of the vectors (0 where one is zero), or the string measure.
 *
 * @returns one number per pair, in order
 */
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
