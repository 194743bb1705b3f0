/** An imported encoder for a training, its inputs, and the lengths of its gradients. */
import { join } from "node:path";
import { differentiate } from "../../../src/autodiff/gradient.js";
import { encodeModel, readModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { observeShapes } from "../../../src/onnx/observe-shapes.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { prepareForTraining } from "../../../src/pearl/loss/program.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Feeds } from "../../../src/runtime/tensor.js";

export const trainable = (folder: string): Model =>
  prepareForTraining(readModel(join(folder, "onnx/model.onnx")));

/** Rows of token ids as the inputs of an encoder. */
export function paddedRows(ids: readonly ArrayLike<number>[], padding: number): Feeds {
  const longest = Math.max(...ids.map((row) => row.length));
  const rows = (value: (row: ArrayLike<number>, at: number) => number) =>
    tensor(
      "int64",
      [ids.length, longest],
      ids.flatMap((row) => Array.from({ length: longest }, (_, at) => value(row, at))),
    ) as Feeds[string];
  return {
    input_ids: rows((row, at) => row[at] ?? padding),
    attention_mask: rows((row, at) => Number(at < row.length)),
  };
}

/** The length of the loss's gradient of each weight. */
export async function gradientNorms(model: Model, loss: string, feeds: Feeds): Promise<Map<string, number>> {
  const open = (bytes: Uint8Array) => createOrtSession(bytes, { optimization: "disabled" });
  const shapes = await observeShapes(model, feeds, open);
  const { model: trained, gradients, weights } = differentiate(model, { loss, shapes });
  const session = await open(encodeModel(trained));
  const values = weights.map((name) => [name, model.graph.initializers.get(name)]);
  const results = await session.run({ ...feeds, ...Object.fromEntries(values) });
  await session.release();
  const normOf = (values: Float32Array) => Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0));
  return new Map(
    [...gradients].map(([name, output]) => [name, normOf(results[output].data as Float32Array)]),
  );
}
