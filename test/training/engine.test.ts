import { describe, expect, it } from "vitest";
import type { Tensor } from "../../src/onnx/index.js";
import type { Feeds } from "../../src/runtime/index.js";
import {
  averageWeights,
  type Gradient,
  GradientRunner,
  GradientSum,
  TrainingEngine,
} from "../../src/training/index.js";
import { asParameter, golden, oracleIsHere, parameters } from "../autodiff/oracle.js";
import { chunkedBatch, oracleProgram, wholeBatch } from "./oracle-task.js";

const largest = (values: ArrayLike<number>) =>
  Array.from(values).reduce((max, x) => Math.max(max, Math.abs(x)), 0);
const difference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  a.length === b.length ? largest(Array.from(a, (x, i) => x - b[i])) : Number.POSITIVE_INFINITY;
/** A bias on keys has no gradient but rounding noise (../shared/oracle/README.md). */
const meaningful = (parameter: string) => !parameter.endsWith("attention.self.key.bias");
const startOf = (program: ReturnType<typeof oracleProgram>, name: string) =>
  program.model.graph.initializers.get(name) as Tensor;

function expectWeights(
  program: ReturnType<typeof oracleProgram>,
  weights: ReadonlyMap<string, Tensor>,
  expected: ReadonlyMap<string, Tensor>,
  tolerance: number,
) {
  const seen = new Set<string>();
  for (const [name, weight] of weights) {
    const { parameter, data } = asParameter(name, weight, startOf(program, name), parameters());
    seen.add(parameter);
    if (meaningful(parameter))
      expect(difference(data, expected.get(parameter)?.data as Float32Array), parameter).toBeLessThan(
        tolerance,
      );
  }
  expect([...seen].sort()).toEqual([...expected.keys()].sort());
}

describe.skipIf(!oracleIsHere)("the training engine on PyTorch's oracle (../shared/oracle)", () => {
  it.each([
    ["folded", "in one pass"],
    ["folded.opset11", "in one pass"],
    ["folded.opset17", "in one pass"],
    ["named", "in chunks"],
    ["folded", "in chunks"],
  ])("20 Adam steps of the %s export %s end at PyTorch's weights", async (file, how) => {
    const program = oracleProgram(file);
    const engine = await TrainingEngine.open(program);
    const { float64, batches } = golden();
    const inputs = batches.map((batch) => (how === "in chunks" ? chunkedBatch(batch, 5) : wholeBatch(batch)));
    for (let step = 0; step < 20; step++) {
      const { losses, finite } = await engine.step([inputs[step % 4]], 1e-3);
      const right = float64.trajectory[step];
      expect(finite).toBe(true);
      if (step === 0) expect(Math.abs(losses.total / right.total - 1)).toBeLessThan(1e-6);
      for (const part of ["total", "ntxent", "cross_entropy_sum"] as const)
        expect(Math.abs(losses[part] - right[part])).toBeLessThan(2e-5);
    }
    expect(Math.abs((await engine.losses(inputs[0])).total - float64.final_loss_batch0)).toBeLessThan(2e-5);
    expectWeights(program, engine.weights(), parameters("weights_after_20_steps"), 2e-5);

    const averaged = averageWeights(engine.weights(), program.model.graph.initializers);
    const runner = await GradientRunner.open(program, {});
    const feeds = Object.fromEntries(averaged) as Feeds;
    const { total } = await runner.run(inputs[0], feeds, new GradientSum());
    expect(Math.abs(total - float64.averaged_loss_batch0)).toBeLessThan(2e-5);
    await runner.release();
    await engine.release();
  });

  it("gives the gradient of one pass where a batch is cut into chunks of any size", async () => {
    const program = oracleProgram();
    const runner = await GradientRunner.open(program, {});
    const weights = Object.fromEntries(runner.weights.map((name) => [name, startOf(program, name)])) as Feeds;
    const [batch] = golden().batches;
    const gradientsOf = async (input: Parameters<GradientRunner["run"]>[0]) => {
      const sum = new GradientSum();
      const losses = await runner.run(input, weights, sum);
      return { losses, gradients: sum.gradients() };
    };
    const one = await gradientsOf(wholeBatch(batch));
    for (const size of [1, 3, 16]) {
      const cut = await gradientsOf(chunkedBatch(batch, size));
      expect(cut.losses.total).toBeCloseTo(one.losses.total, 5);
      expect([...cut.gradients.keys()].sort()).toEqual([...one.gradients.keys()].sort());
      for (const [name, gradient] of one.gradients) {
        const parameter = asParameter(
          name,
          startOf(program, name),
          startOf(program, name),
          parameters(),
        ).parameter;
        if (!meaningful(parameter)) continue;
        const [a, b] = [gradient, cut.gradients.get(name) as Gradient].map((g) =>
          dense(g, startOf(program, name)),
        );
        expect(difference(a, b) / largest(a), name).toBeLessThan(1e-5);
      }
    }
    await runner.release();
  });
});

function dense(gradient: Gradient, { data }: Tensor): Float32Array {
  if (gradient.kind === "dense") return gradient.values;
  const whole = new Float32Array(data.length);
  for (const [row, slot] of gradient.slots)
    whole.set(
      gradient.values.subarray(slot * gradient.width, (slot + 1) * gradient.width),
      row * gradient.width,
    );
  return whole;
}
