/** The oracle's training task (../autodiff/oracle.ts) as a training program, whole and in chunks. */
import { constantsToInitializers, untieInitializers } from "../../src/onnx/graph.js";
import { readModel } from "../../src/onnx/io/file.js";
import { fuseOperators } from "../../src/onnx/rewrite/fuse.js";
import { upgradeOpset } from "../../src/onnx/rewrite/upgrade.js";
import type { Feeds, Tensor } from "../../src/runtime/tensor.js";
import type { TrainingBatch, TrainingProgram } from "../../src/train.js";
import { addTask, feedsOf, type Golden, oraclePath } from "../autodiff/oracle.js";
import { sampleFeeds } from "../onnx/sample-feeds.js";

export function oracleProgram(file = "folded"): TrainingProgram {
  const plain = upgradeOpset(readModel(oraclePath(`encoder.${file}.onnx`)));
  const encoder = fuseOperators(untieInitializers(constantsToInitializers(plain)));
  const model = addTask(encoder);
  const sample = sampleFeeds(model, { batch_size: 6, sequence_length: 5, half: 3 }) as Feeds;
  // the losses read the value that the output "pooled" copies
  const cut = model.graph.nodes.find(({ outputs }) => outputs[0] === "pooled")?.inputs[0];
  return { model, loss: "total", parts: ["ntxent", "cross_entropy_sum"], cut, sample };
}

export const wholeBatch = (batch: Golden["batches"][number]): TrainingBatch => ({
  feeds: feedsOf(batch),
  phrases: 2 * batch.types.length,
});

/** The same batch with its rows sorted by length and cut into chunks without common padding. */
export function chunkedBatch(batch: Golden["batches"][number], size: number): TrainingBatch {
  const { types, ...inputs } = feedsOf(batch);
  const [count, columns] = inputs.input_ids.dims;
  const mask = inputs.attention_mask.data as BigInt64Array;
  const lengths = Array.from({ length: count }, (_, row) =>
    Number(mask.subarray(row * columns, (row + 1) * columns).reduce((sum, x) => sum + x, 0n)),
  );
  const order = Array.from(lengths.keys()).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const chunks = [];
  for (let start = 0; start < count; start += size) {
    const rows = Int32Array.from(order.slice(start, start + size));
    const length = lengths[rows[0]];
    const cut = ({ data }: Tensor): Tensor => {
      const values = Array.from(rows).flatMap((row) =>
        Array.from((data as BigInt64Array).subarray(row * columns, row * columns + length)),
      );
      return { type: "int64", dims: [rows.length, length], data: BigInt64Array.from(values) };
    };
    const feeds = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, cut(value)]));
    chunks.push({ rows, feeds });
  }
  return { feeds: { types }, chunks, phrases: count };
}
