/**
 * The probe of Phrase-BERT (Wang et al., 2021) and PEARL for pairs of phrases: concat(e1, e2) → Linear 256 → ReLU →
 * Linear 1 → sigmoid, binary cross-entropy, Adam 1e-4, batches of 200, at most 100 epochs, stopped when 5 epochs
 * bring no better accuracy on the validation pairs; pairs are split 70 / 15 / 15.
 *
 * - published: the last weights are tested, and accuracy is the mean over batches, the smaller last one included.
 * - fair: the best weights are tested, and accuracy is that of all test pairs.
 *
 * The reference leaves split, shuffling and first weights unseeded; here all follow from the seed.
 */
import { linear } from "../nn/layers.js";
import { binaryCrossEntropy } from "../nn/losses.js";
import { createNet, fromSeed } from "../nn/net.js";
import { encodeModel } from "../onnx/io/file.js";
import type { Tensor } from "../onnx/tensor.js";
import { createRandom, type Random, shuffle, shuffled } from "../random.js";
import { createOrtSession, type OrtSession } from "../runtime/ort-session.js";
import type { Feeds } from "../runtime/tensor.js";
import { gatherRows } from "../search/vectors.js";
import { mean } from "../statistics.js";
import { openEngine } from "../training/engine.js";
import { copyTensors } from "../training/optimiser/adam.js";
import { liftWeights, type TrainingProgram } from "../training/program.js";
import type { Protocol } from "./task.js";

interface ProbeOptions {
  readonly protocol: Protocol;
  readonly seed: number;
  readonly learningRate?: number;
  readonly signal?: AbortSignal;
  readonly onEpoch?: (epoch: number, epochs: number) => void;
}

const batchSize = 200;
const mostEpochs = 100;
const patience = 5;
/** Pairs below which a split into three parts says nothing. */
export const fewestPairs = 20;

/**
 * Trains and tests a probe.
 * @param features [pairs, width], row-major: both vectors of each pair
 * @param positive whether each pair is a paraphrase
 * @returns `accuracy`: the fraction of the `tested` pairs that are classified correctly
 */
export async function probe(features: Float32Array, positive: readonly boolean[], options: ProbeOptions) {
  const { protocol, seed, learningRate = 1e-4, signal, onEpoch } = options;
  const width = features.length / positive.length;
  const random = createRandom(seed);
  const { training, validation, test } = split(positive.length, random);
  const program = probeProgram(width, seed);
  const engine = await openEngine(program);
  const first = await engine.optimiser.weights();
  const forward = await createOrtSession(encodeModel(liftWeights(program.model, [...first.keys()])));
  const feedsOf = (rows: Int32Array) => batchOf(features, positive, rows, width);
  const accuracy = (rows: Int32Array, by: ReadonlyMap<string, Tensor>) =>
    accuracyOf(forward, by, batches(rows).map(feedsOf), protocol);
  let weights = first;
  let best = { accuracy: -1, epoch: 0, weights: copyTensors(weights) };
  let epoch = 0;
  try {
    while (epoch < mostEpochs && epoch - best.epoch < patience) {
      epoch++;
      shuffle(training, random);
      for (const [i, rows] of batches(training).entries()) {
        await engine.step({ feeds: feedsOf(rows), phrases: 2 * rows.length }, learningRate);
        // Steps run in this thread: yield to other work between them.
        if (i % 16 === 0) await new Promise(setImmediate);
        signal?.throwIfAborted();
      }
      weights = await engine.optimiser.weights();
      const reached = await accuracy(validation, weights);
      // copied: the optimiser updates its weights in place
      if (reached > best.accuracy) best = { accuracy: reached, epoch, weights: copyTensors(weights) };
      onEpoch?.(epoch, mostEpochs);
    }
    const tested = await accuracy(test, protocol === "fair" ? best.weights : weights);
    return { accuracy: tested, tested: test.length, epochs: epoch };
  } finally {
    await forward.release();
    await engine.release();
  }
}

function probeProgram(width: number, seed: number): TrainingProgram {
  const net = createNet(fromSeed(seed));
  const { g } = net;
  const x = g.input("features", "float32", ["rows", width]);
  const targets = g.input("targets", "float32", ["rows", 1]);
  const hidden = g.add("Relu", [linear(net, x, { name: "hidden", inputs: width, outputs: 256 })]);
  g.output("logits", linear(net, hidden, { name: "output", inputs: 256, outputs: 1 }));
  g.output("loss", binaryCrossEntropy(net, { logits: "logits", targets }));
  const sample = batchOf(new Float32Array(3 * width), [true, false, true], Int32Array.of(0, 1, 2), width);
  // named, since the last bias is a single number
  const weights = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"];
  return { model: g.model(), loss: "loss", weights, sample };
}

/** Test and validation are 15 % each, rounded up and down. */
function split(count: number, random: Random) {
  const order = shuffled(count, random);
  const held = Math.ceil(0.3 * count);
  const test = Math.ceil(held / 2);
  return {
    training: order.slice(0, count - held),
    validation: order.slice(count - held, count - test),
    test: order.slice(count - test),
  };
}

const batches = (rows: Int32Array): Int32Array[] =>
  Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, i) =>
    rows.slice(i * batchSize, (i + 1) * batchSize),
  );

function batchOf(
  features: Float32Array,
  positive: readonly boolean[],
  rows: Int32Array,
  width: number,
): Feeds {
  const data = gatherRows(features, rows, width);
  const targets = Float32Array.from(rows, (row) => (positive[row] ? 1 : 0));
  return {
    features: { type: "float32", dims: [rows.length, width], data },
    targets: { type: "float32", dims: [rows.length, 1], data: targets },
  };
}

async function accuracyOf(
  forward: OrtSession,
  weights: ReadonlyMap<string, Tensor>,
  batches: readonly Feeds[],
  protocol: Protocol,
): Promise<number> {
  const accuracies: number[] = [];
  let [hits, pairs] = [0, 0];
  for (const feeds of batches) {
    const { logits } = await forward.run({ ...feeds, ...(Object.fromEntries(weights) as Feeds) }, ["logits"]);
    const right = feeds.targets.data;
    const correct = (logits.data as Float32Array).filter((x, i) => x > 0 === (right[i] === 1)).length;
    accuracies.push(correct / right.length);
    hits += correct;
    pairs += right.length;
  }
  return protocol === "fair" ? hits / pairs : mean(accuracies);
}
