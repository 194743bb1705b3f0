/** A training task of a few hundred weights: an embedding table, mean pooling and a linear layer under NT-Xent. */
import { createRandom } from "../../src/random.js";
import type { Feeds, Tensor } from "../../src/runtime/tensor.js";
import {
  createNet,
  embedding,
  fromSeed,
  linear,
  meanPooling,
  ntXent,
  type TrainingBatch,
  type TrainingData,
  type TrainingProgram,
} from "../../src/train.js";

export const tinyRows = 40;

export function tinyProgram(seed = 1): TrainingProgram {
  const net = createNet(fromSeed(seed));
  const { g } = net;
  const ids = g.input("ids", "int64", ["rows", "length"]);
  const mask = g.input("mask", "int64", ["rows", "length"]);
  const hidden = embedding(net, ids, { name: "table", rows: tinyRows, width: 8 });
  const pooled = meanPooling(net, { hidden, mask });
  const out = linear(net, pooled, { name: "dense", inputs: 8, outputs: 6 });
  const [anchors, positives] = g.addMany("Split", [out], 2, { axis: 0 });
  g.output("loss", ntXent(net, { anchors, positives }, { temperature: 0.1 }));
  return { model: g.model(), loss: "loss", cut: out, sample: batchOf(6, 5, 0) };
}

function batchOf(rows: number, length: number, seed: number): Feeds {
  const random = createRandom(seed);
  const ids = BigInt64Array.from({ length: rows * length }, () => BigInt(Math.floor(random() * tinyRows)));
  const mask = BigInt64Array.from(ids, (_, i) => (i % length === 0 || random() < 0.7 ? 1n : 0n));
  const as = (data: BigInt64Array): Tensor => ({ type: "int64", dims: [rows, length], data });
  return { ids: as(ids), mask: as(mask) };
}

/** Batch k is random numbers of seed k. */
export const tinyData: TrainingData = {
  fingerprint: "tiny",
  batch: (index): TrainingBatch => ({ feeds: batchOf(12, 4, index), phrases: 12 }),
};
