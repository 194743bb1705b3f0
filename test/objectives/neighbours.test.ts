/** QuickThoughts' loss against PyTorch: 20 steps on two encoders (test/oracles/neighbours.py). */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createNet, fromTensors, weight } from "../../src/nn/net.js";
import { neighbourLoss } from "../../src/objectives/neighbours.js";
import { tensor } from "../../src/onnx/tensor.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import { TrainingEngine } from "../../src/training/engine.js";
import { copyTensors } from "../../src/training/optimiser/host-optimiser.js";

interface Oracle {
  readonly contextSize: number;
  readonly rate: number;
  readonly places: number[];
  readonly first: Record<"f" | "g", number[][]>;
  readonly last: Record<"f" | "g", number[][]>;
  readonly batches: number[][][];
  readonly losses: number[];
}
const oracle: Oracle = JSON.parse(readFileSync("test/oracles/neighbours.json", "utf8"));
const { contextSize, rate, places, first, last, batches, losses } = oracle;

const matrix = (rows: readonly number[][]) =>
  tensor("float32", [rows.length, rows[0].length], Float32Array.from(rows.flat()));

const feedsOf = (bags: readonly number[][], order = places): Feeds =>
  ({ bags: matrix(bags), places: tensor("int32", [order.length], Int32Array.from(order)) }) as Feeds;

function program(size: number) {
  const [words, width] = [first.f.length, first.f[0].length];
  const net = createNet(
    fromTensors(new Map(Object.entries(first).map(([name, own]) => [name, matrix(own)]))),
  );
  const { g } = net;
  const bags = g.input("bags", "float32", ["rows", words]);
  const encode = (name: string) =>
    g.add("Tanh", [g.add("MatMul", [bags, weight(net, name, [words, width], () => 0)])]);
  const inputs = {
    sentences: encode("f"),
    candidates: encode("g"),
    places: g.input("places", "int32", ["rows"]),
  };
  const loss = neighbourLoss(net, inputs, { contextSize: size });
  g.output("loss", loss);
  const sample = feedsOf(batches[0].slice(0, 7), places.slice(0, 7));
  return { model: g.model(), loss, weights: ["f", "g"], sample };
}

describe("QuickThoughts' loss", () => {
  it("takes 20 steps as PyTorch does: every loss and the last weights", async () => {
    const engine = await TrainingEngine.open(program(contextSize), { threads: 1 });
    try {
      for (const [i, bags] of batches.entries()) {
        const { losses: found } = await engine.step({ feeds: feedsOf(bags), phrases: bags.length }, rate);
        expect(Math.abs(Object.values(found)[0] - losses[i]), `step ${i + 1}`).toBeLessThan(1e-4);
      }
      const weights = copyTensors(await engine.optimiser.weights());
      for (const name of ["f", "g"] as const)
        last[name].flat().forEach((value, i) => {
          expect(Math.abs((weights.get(name)!.data[i] as number) - value)).toBeLessThan(1e-4);
        });
    } finally {
      await engine.release();
    }
  });

  it("is 0 for a batch in which no sentence has a neighbour", async () => {
    const engine = await TrainingEngine.open(program(1), { threads: 1 });
    const apart = places.map((_, i) => 10 * i);
    const step = await engine.step({ feeds: feedsOf(batches[0], apart), phrases: 9 }, rate);
    expect(Object.values(step.losses)).toEqual([0]);
    expect(step.gradientNorm).toBe(0);
    await engine.release();
  });
});
