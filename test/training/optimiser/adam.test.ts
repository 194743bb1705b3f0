import { describe, expect, it } from "vitest";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { createRandom } from "../../../src/random.js";
import { type Gradient, GradientSum } from "../../../src/training/gradients/gradients.js";
import { Adam } from "../../../src/training/optimiser/adam.js";

const random = createRandom(3);
const numbers = (count: number) => Float32Array.from({ length: count }, () => 2 * random() - 1);
const weightsOf = (values: Float32Array, dims: number[]) =>
  new Map<string, Tensor>([["w", tensor("float32", dims, values.slice())]]);
const valuesOf = (weights: ReadonlyMap<string, Tensor>) => weights.get("w")?.data as Float32Array;
const dense = (values: Float32Array) => new Map<string, Gradient>([["w", { kind: "dense", values }]]);

/** torch.optim.Adam and AdamW, written out in float64 for one number. */
function byHand(
  start: number,
  gradients: readonly number[],
  { kind, decay }: { kind: "adam" | "adamw"; decay: number },
) {
  let [w, m, v] = [start, 0, 0];
  gradients.forEach((gradient, i) => {
    const t = i + 1;
    if (kind === "adamw") w *= 1 - 0.01 * decay;
    const g = kind === "adam" ? gradient + decay * w : gradient;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= (0.01 * (m / (1 - 0.9 ** t))) / (Math.sqrt(v / (1 - 0.999 ** t)) + 1e-8);
  });
  return w;
}

describe("Adam", () => {
  it.each([
    { kind: "adam", decay: 0 },
    { kind: "adam", decay: 0.1 },
    { kind: "adamw", decay: 0.1 },
  ] as const)("follows the formula: $kind with decay $decay", ({ kind, decay }) => {
    const start = numbers(12);
    const weights = weightsOf(start, [3, 4]);
    const adam = new Adam(weights, { kind, weightDecay: decay });
    const steps = Array.from({ length: 9 }, () => numbers(12));
    for (const gradient of steps) adam.update(dense(gradient), 0.01);
    valuesOf(weights).forEach((w, i) => {
      const right = byHand(
        start[i],
        steps.map((gradient) => gradient[i]),
        { kind, decay },
      );
      expect(Math.abs(w - right)).toBeLessThan(1e-6);
    });
  });

  it("multiplies the rate of a weight by its factor", () => {
    const start = numbers(12);
    const steps = Array.from({ length: 4 }, () => numbers(12));
    const factors: Record<string, number>[] = [{}, { w: 4 }, { v: 4 }];
    const [plain, faster, other] = factors.map((rateFactors) => {
      const weights = weightsOf(start, [3, 4]);
      const adam = new Adam(weights, { kind: "adamw", weightDecay: 0.1, rateFactors });
      for (const gradient of steps) adam.update(dense(gradient), 0.0025);
      return valuesOf(weights);
    });
    expect(other).toEqual(plain);
    faster.forEach((w, i) => {
      const gradients = steps.map((gradient) => gradient[i]);
      expect(Math.abs(w - byHand(start[i], gradients, { kind: "adamw", decay: 0.1 }))).toBeLessThan(1e-6);
    });
  });

  it("applies no decay to biases and norms", () => {
    const weights = weightsOf(Float32Array.of(1, 2), [2]);
    new Adam(weights, { kind: "adamw", weightDecay: 0.5 }).update(dense(new Float32Array(2)), 0.1);
    expect([...valuesOf(weights)]).toEqual([1, 2]);
  });

  it.each([
    { rows: 9, first: [1, 4, 1] },
    { rows: 3000, first: [...Array(2990).keys()] },
  ])(
    "moves a table of $rows rows whose gradient comes in rows exactly as dense Adam does",
    ({ rows, first }) => {
      const width = 3;
      const start = numbers(rows * width);
      const [whole, table] = [weightsOf(start, [rows, width]), weightsOf(start, [rows, width])];
      const [a, b] = [new Adam(whole), new Adam(table)];
      // rows get gradients, then none while their m decays, then some again; the last row never gets one
      for (const indices of [first, [2], [], [4, 0], [7, 7, 7], [1]]) {
        const values = numbers(indices.length * width);
        const sum = new GradientSum();
        sum.addRows("w", indices, values, [rows, width]);
        const gradient = new Float32Array(rows * width);
        indices.forEach((row, k) => {
          for (let i = 0; i < width; i++) gradient[row * width + i] += values[k * width + i];
        });
        a.update(dense(gradient), 0.01, 0.7);
        b.update(sum.gradients(), 0.01, 0.7);
        expect(valuesOf(table)).toEqual(valuesOf(whole));
      }
      expect([b.m, b.v]).toEqual([a.m, a.v]);
      expect(valuesOf(table).slice(-width)).toEqual(start.slice(-width));
    },
  );
});

describe("GradientSum", () => {
  it("adds whole gradients and rows of one weight together", () => {
    const sum = new GradientSum();
    sum.add("w", Float32Array.of(1, 2, 3, 4));
    sum.addRows("w", [1n, -1n], Float32Array.of(10, 20, 30, 40), [2, 2]);
    expect(sum.gradients().get("w")).toEqual({ kind: "dense", values: Float32Array.of(1, 2, 43, 64) });
  });
});
