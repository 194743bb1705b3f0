/** QuickThoughts with two GRU encoders against PyTorch: 20 whole steps (test/oracles/neighbours.py), and finite differences. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { SpellingStart } from "../../src/architectures/pretraining.js";
import { spellingEncoder } from "../../src/architectures/registry.js";
import { checkGradients } from "../../src/autodiff/check.js";
import { neighbourProgram } from "../../src/methods/pretrain/neighbours.js";
import { fromTensors } from "../../src/nn/net.js";
import { tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import { openEngine } from "../../src/training/engine.js";
import { copyTensors } from "../../src/training/optimiser/adam.js";

type Weights = Readonly<Record<string, { readonly dims: number[]; readonly data: number[] }>>;
interface Oracle {
  readonly sizes: Readonly<Record<"buckets" | "width" | "hidden" | "phraseLength", number>>;
  readonly contextSize: number;
  readonly rate: number;
  readonly clipNorm: number;
  readonly places: number[];
  readonly first: Weights;
  readonly last: Weights;
  readonly batches: Readonly<Record<string, number[][]>>[];
  readonly losses: number[];
}
const oracle: Oracle = JSON.parse(readFileSync("test/oracles/neighbours.json", "utf8"));
const { sizes, contextSize, rate, clipNorm, places, first, last, batches, losses } = oracle;

const integers = (rows: readonly number[][]) => tensor("int32", [rows.length, rows[0].length], rows.flat());
const feedsOf = (batch: Oracle["batches"][number], order = places): Feeds =>
  ({
    ...Object.fromEntries(Object.entries(batch).map(([name, rows]) => [name, integers(rows)])),
    sentence_places: tensor("int32", [order.length], order),
  }) as Feeds;

let start: SpellingStart;
beforeAll(async () => {
  const { buckets, width, hidden: outputs, phraseLength } = sizes;
  const { units, start: begin } = await spellingEncoder("gru");
  const small = { ...units, phraseLength, ngrams: { minimum: 2, maximum: 3, buckets } };
  const made = begin([], { units: small, width, outputs, seed: 0 });
  const stored = Object.entries(first).map(
    ([name, { dims, data }]) => [name, tensor("float32", dims, data)] as const,
  );
  start = { ...made, weights: fromTensors(new Map(stored)) };
});

describe("QuickThoughts with encoders f and g", () => {
  it("takes 20 steps as PyTorch does: every loss and the last weights", async () => {
    const program = neighbourProgram(start, { objective: "neighbours", contextSize });
    const engine = await openEngine(program, { threads: 1, clipNorm });
    try {
      for (const [i, batch] of batches.entries()) {
        const { losses: found } = await engine.step({ feeds: feedsOf(batch), phrases: places.length }, rate);
        expect(Math.abs(Object.values(found)[0] - losses[i]), `step ${i + 1}`).toBeLessThan(1e-4);
      }
      const weights = copyTensors(await engine.optimiser.weights());
      expect([...weights.keys()].sort()).toEqual(Object.keys(last).sort());
      for (const [name, { data }] of Object.entries(last))
        for (const [i, value] of data.entries())
          expect(Math.abs((weights.get(name)!.data[i] as number) - value), name).toBeLessThan(1e-4);
    } finally {
      await engine.release();
    }
  });

  it("is 0 for a batch in which no sentence has a neighbour", async () => {
    const program = neighbourProgram(start, { objective: "neighbours", contextSize: 1 });
    const engine = await openEngine(program, { threads: 1 });
    const apart = places.map((_, i) => 10 * i);
    const step = await engine.step({ feeds: feedsOf(batches[0], apart), phrases: 9 }, rate);
    expect(Object.values(step.losses)).toEqual([0]);
    expect(step.gradientNorm).toBe(0);
    await engine.release();
  });
});

describe("CURL's blocks with one encoder", () => {
  it("have numeric gradients", async () => {
    const { model, loss } = neighbourProgram(start, { objective: "block", contextSize });
    const blocks = tensor("int32", [9], [0, 0, 0, 0, 1, 1, 1, 1, 2]);
    const all = { ...feedsOf(batches[0]), sentence_blocks: blocks } as Feeds;
    const errors = await checkGradients(model, {
      ...{ loss, weights: [...model.graph.initializers.keys()].filter((name) => name in first), step: 1e-2 },
      feeds: Object.fromEntries(model.graph.inputs.map(({ name }) => [name, all[name]])),
      open: (bytes) => createOrtSession(bytes, { optimization: "basic" }),
    });
    expect(errors.size).toBe(6);
    for (const [name, error] of errors) expect(error, name).toBeLessThan(1e-4);
  });
});
