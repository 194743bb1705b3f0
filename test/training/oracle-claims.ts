/** The training engine agrees with PyTorch's numbers in test/fixtures/oracle, within the tolerances given there. */
import { expect } from "vitest";
import type { Tensor } from "../../src/onnx/tensor.js";
import { averageWeights } from "../../src/pearl/presets.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import type { TrainingProgram } from "../../src/train.js";
import { type EngineOptions, openEngine } from "../../src/training/engine.js";
import { GradientSum, numbersOf, openGradients } from "../../src/training/gradients/gradients.js";
import { asParameter, golden, parameters } from "../autodiff/oracle.js";
import { difference, meaningful } from "../autodiff/oracle-claims.js";
import { chunkedBatch, wholeBatch } from "./oracle-task.js";

/** Losses of 20 steps, the final loss, all weights, and the loss of their average with the first ones. */
export async function expectTwentyAdamSteps(
  program: TrainingProgram,
  how: "in one pass" | "in chunks",
  options: EngineOptions = {},
): Promise<void> {
  const engine = await openEngine(program, options);
  const { float64, batches } = golden();
  const inputs = batches.map((batch) => (how === "in chunks" ? chunkedBatch(batch, 5) : wholeBatch(batch)));
  for (let step = 0; step < 20; step++) {
    const { losses, finite } = await engine.step(inputs[step % 4], 1e-3);
    const right = float64.trajectory[step];
    expect(finite).toBe(true);
    if (step === 0) expect(Math.abs(losses.total / right.total - 1)).toBeLessThan(1e-6);
    for (const part of ["total", "ntxent", "cross_entropy_sum"] as const)
      expect(Math.abs(losses[part] - right[part])).toBeLessThan(2e-5);
  }
  const { losses } = await engine.step(inputs[0], 0);
  expect(Math.abs(losses.total - float64.final_loss_batch0)).toBeLessThan(2e-5);
  const weights = await engine.optimiser.weights();
  expectWeights(program, weights, parameters("weights_after_20_steps"));

  const averaged = averageWeights(weights, program.model.graph.initializers);
  const runner = await openGradients(program);
  const feeds = Object.fromEntries(averaged) as Feeds;
  const { total } = numbersOf(await runner.run(inputs[0], feeds, new GradientSum()));
  expect(Math.abs(total - float64.averaged_loss_batch0)).toBeLessThan(2e-5);
  await runner.release();
  await engine.release();
}

function expectWeights(
  program: TrainingProgram,
  weights: ReadonlyMap<string, Tensor>,
  expected: ReadonlyMap<string, Tensor>,
): void {
  const seen = new Set<string>();
  for (const [name, weight] of weights) {
    const start = program.model.graph.initializers.get(name) as Tensor;
    const { parameter, data } = asParameter(name, weight, start, parameters());
    seen.add(parameter);
    if (!meaningful(parameter)) continue;
    expect(difference(data, expected.get(parameter)?.data as Float32Array), parameter).toBeLessThan(2e-5);
  }
  expect([...seen].sort()).toEqual([...expected.keys()].sort());
}
