/** Gradients of the graph that computes no padding equal those of the padded graph, and PyTorch's. */
import { describe, expect, it } from "vitest";
import { encoderGraph } from "../../../src/architectures/transformer/bert.js";
import { fromSeed } from "../../../src/nn/net.js";
import { addDropout } from "../../../src/onnx/rewrite/dropout.js";
import { dropoutSeed } from "../../../src/onnx/rewrite/dropout-mask.js";
import { forGpuTraining } from "../../../src/onnx/rewrite/gpu-training.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { prepareForTraining } from "../../../src/pearl/loss/program.js";
import type { Feeds, Tensor } from "../../../src/runtime/tensor.js";
import type { TrainingBatch, TrainingProgram } from "../../../src/train.js";
import { GradientSum, numbersOf, openGradients } from "../../../src/training/gradients/gradients.js";
import { addTask, golden } from "../../autodiff/oracle.js";
import { meaningful } from "../../autodiff/oracle-claims.js";
import { sampleFeeds } from "../../onnx/sample-feeds.js";
import { denseGradient } from "../dense-gradient.js";
import { chunkedBatch, oracleProgram, wholeBatch } from "../oracle-task.js";
import { pearlTask } from "./pearl-task.js";

type Gradients = ReadonlyMap<string, Float32Array>;

interface Found {
  readonly losses: Record<string, number>;
  readonly gradients: Gradients;
}

async function gradientsOf(
  program: TrainingProgram,
  batches: readonly TrainingBatch[],
  padding: "skipped" | "computed",
): Promise<Found[]> {
  const runner = await openGradients(program, { padding, threads: 1 });
  const weight = (name: string) => program.model.graph.initializers.get(name) as Tensor;
  const weights = Object.fromEntries(runner.weights.map((name) => [name, weight(name)])) as Feeds;
  const found: Found[] = [];
  for (const batch of batches) {
    const sum = new GradientSum();
    const losses = numbersOf(await runner.run(batch, weights, sum));
    const all = [...sum.gradients()].map(
      ([name, own]) => [name, denseGradient(own, weight(name)).slice()] as const,
    );
    found.push({ losses, gradients: new Map(all) });
  }
  await runner.release();
  return found;
}

const norm = (values: Float32Array): number => Math.hypot(...values);

/** @returns what both have found */
async function expectSame(program: TrainingProgram, ...batches: TrainingBatch[]): Promise<Found[]> {
  const padded = await gradientsOf(program, batches, "computed");
  const unpadded = await gradientsOf(program, batches, "skipped");
  for (const [i, { losses, gradients }] of padded.entries()) {
    for (const [name, loss] of Object.entries(losses))
      expect(Math.abs(unpadded[i].losses[name] / loss - 1), `batch ${i}: ${name}`).toBeLessThan(1e-5);
    expect([...unpadded[i].gradients.keys()].sort()).toEqual([...gradients.keys()].sort());
    for (const [name, expected] of gradients) {
      const found = unpadded[i].gradients.get(name) as Float32Array;
      // exporters rename a key's bias, whose gradient is only rounding noise
      if (!meaningful(name) || norm(expected) < 1e-6) continue;
      const off = norm(found.map((x, j) => x - expected[j])) / norm(expected);
      expect(off, `batch ${i}: ${name}`).toBeLessThan(1e-5);
    }
  }
  return unpadded;
}

/** Rows of given lengths, padded to the longest or to `length`. */
function batchOf(lengths: readonly number[], length = Math.max(...lengths)): TrainingBatch {
  const rows = (fill: (row: number, place: number) => number) =>
    tensor(
      "int64",
      [lengths.length, length],
      lengths.flatMap((own, row) => Array.from({ length }, (_, at) => (at < own ? fill(row, at) : 0))),
    ) as Feeds[string];
  const types = lengths.slice(lengths.length / 2).map((_, row) => row % 95);
  return {
    feeds: {
      input_ids: rows((row, place) => 5 + ((31 * row + 7 * place) % 200)),
      attention_mask: rows(() => 1),
      token_type_ids: rows(() => 0),
      types: tensor("int64", [types.length], types) as Feeds[string],
      [dropoutSeed]: tensor("int64", [1], [77]) as Feeds[string],
    },
    phrases: lengths.length,
  };
}

/** A program whose transformer drops values. */
function withDropout(program: TrainingProgram): TrainingProgram {
  const { model, places } = addDropout(program.model, { ratio: 0.1, end: program.cut as string });
  expect(places).toBe(7);
  return {
    ...program,
    model,
    sample: { ...program.sample, [dropoutSeed]: batchOf([1, 1]).feeds[dropoutSeed] },
  };
}

/** pearl's own graph, where tokens are one list. */
function listProgram(family: "bert" | "roberta"): TrainingProgram {
  const sizes = { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 48 };
  const tables = { vocab_size: 300, max_position_embeddings: 40, type_vocab_size: 2 };
  const model = addTask(
    prepareForTraining(encoderGraph({ model_type: family, ...sizes, ...tables }, fromSeed(1))),
  );
  const sample = sampleFeeds(model, { batch_size: 6, sequence_length: 5, half: 3 }) as Feeds;
  const cut = model.graph.nodes.find(({ outputs }) => outputs[0] === "pooled")?.inputs[0];
  return { model, loss: "total", parts: ["ntxent", "cross_entropy_sum"], cut, sample };
}

const mixed = batchOf([7, 3, 2, 5, 4, 6, 3, 2]);
const batches = [
  mixed,
  // rows of one token
  batchOf([1, 9, 1, 1, 4, 1]),
  // of equal lengths
  batchOf([4, 4, 4, 4]),
  // all shorter than their padding
  batchOf([2, 3, 3, 1], 8),
  batchOf(
    Array.from({ length: 40 }, (_, i) => 1 + (i % 5)),
    8,
  ),
];

describe("a graph without padding", () => {
  it.each([
    ["an export", () => oracleProgram()],
    ["pearl's own graph", () => listProgram("bert")],
  ])(
    "has the padded graph's gradients for rows of any lengths, with dropout and without: %s",
    async (_, open) => {
      const plain = await expectSame(open(), ...batches);
      const dropped = await expectSame(withDropout(open()), ...batches);
      plain.forEach(({ losses }, i) => {
        expect(Math.abs(dropped[i].losses.total - losses.total)).toBeGreaterThan(1e-3);
      });
    },
  );

  it.each([
    ["an export of operator set 11", () => oracleProgram("folded.opset11")],
    ["an export with turned weights", () => oracleProgram("named")],
    ["RoBERTa, whose positions follow from the ids", () => listProgram("roberta")],
    [
      "the graph of a GPU, with Einsum and joined products",
      () => ({ ...oracleProgram(), model: forGpuTraining(oracleProgram().model) }),
    ],
  ])("has the padded graph's gradients for %s", async (_, open) => {
    await expectSame(open(), mixed);
  });

  it("has PyTorch's losses and gradients in one pass and in chunks", async () => {
    const { float64, batches } = golden();
    const found = await expectSame(oracleProgram(), wholeBatch(batches[0]), chunkedBatch(batches[0], 5));
    for (const { losses, gradients } of found) {
      expect(Math.abs(losses.total / float64.forward.total - 1)).toBeLessThan(1e-5);
      const known = Object.entries(float64.gradients).filter(([name]) => gradients.has(name));
      expect(known.length).toBeGreaterThan(10);
      for (const [name, { l2 }] of known)
        if (meaningful(name))
          expect(Math.abs(norm(gradients.get(name) as Float32Array) / l2 - 1), name).toBeLessThan(1e-5);
    }
  });

  it("has the padded graph's gradients of PEARL's loss with hard negatives, types and dropout", async () => {
    const { program, batch } = await pearlTask();
    const [whole, cut] = [1e9, 100].map((cells) => batch({ cells, overhead: 1e9 }));
    expect(cut.chunks?.length).toBeGreaterThan(1);
    await expectSame(program, whole, cut);
  });
});
