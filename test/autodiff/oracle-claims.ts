/** A training graph agrees with PyTorch's numbers in test/fixtures/oracle, within the tolerances given there. */
import { expect } from "vitest";
import { encoderGraph } from "../../src/architectures/transformer/bert.js";
import { constantsToInitializers, untieInitializers } from "../../src/onnx/graph.js";
import { readModel } from "../../src/onnx/io/file.js";
import type { Model } from "../../src/onnx/model.js";
import { fuseOperators } from "../../src/onnx/rewrite/fuse.js";
import { upgradeOpset } from "../../src/onnx/rewrite/upgrade.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import { fromTensors } from "../../src/train.js";
import {
  asParameter,
  createAdam,
  golden,
  openTask,
  oraclePath,
  parameters,
  type TaskOptions,
} from "./oracle.js";

export const plain = (file: string): Model =>
  untieInitializers(constantsToInitializers(upgradeOpset(readModel(oraclePath(`encoder.${file}.onnx`)))));
export const fused = (file: string): Model => fuseOperators(plain(file));

/** A BERT from src/nn with the oracle's weights. */
export const written = (): Model =>
  encoderGraph(
    {
      ...{ vocab_size: 500, max_position_embeddings: 64, type_vocab_size: 2, hidden_size: 32 },
      ...{ num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 64 },
    },
    fromTensors(parameters()),
  );

/** Different forms of the same encoder. */
export const encoders: [string, () => Model][] = [
  ...["folded", "folded.opset11", "folded.opset17", "named"].map((file): [string, () => Model] => [
    `the ${file} export`,
    () => fused(file),
  ]),
  ["the folded export as it is, LayerNorm and GELU in pieces", () => plain("folded")],
  ["a BERT written with src/nn", written],
];

/** A bias on keys shifts all scores of a row equally: its gradient is rounding noise (test/fixtures/oracle/README.md). */
export const meaningful = (parameter: string) => !parameter.endsWith("attention.self.key.bias");
const norm = (values: ArrayLike<number>) => Math.sqrt(Array.from(values).reduce((sum, x) => sum + x * x, 0));
export const largest = (values: ArrayLike<number>) =>
  Array.from(values).reduce((max, x) => Math.max(max, Math.abs(x)), 0);
export const difference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  a.length === b.length ? largest(Array.from(a, (x, i) => x - b[i])) : Number.POSITIVE_INFINITY;

/** Losses, embeddings and every gradient on the first batch. */
export async function expectFirstStep(encoder: Model, options?: TaskOptions): Promise<void> {
  const task = await openTask(encoder, options);
  const { float64, batches } = golden();
  const known = parameters();
  const expected = parameters("gradients");
  const outputs = await task.run(batches[0]);
  for (const part of ["ntxent", "cross_entropy_sum", "total"] as const)
    expect(Math.abs(Number(outputs[part].data[0]) / float64.forward[part] - 1)).toBeLessThan(1e-6);
  const { anchor_embeddings, positive_embeddings } = float64.forward;
  const embeddings = [...anchor_embeddings, ...positive_embeddings].flat();
  expect(difference(outputs.pooled.data as Float32Array, embeddings)).toBeLessThan(1e-6);
  const seen = new Set<string>();
  for (const [name, output] of task.gradients) {
    const start = task.weights.get(name);
    if (!start) throw new Error(name);
    const { parameter, data } = asParameter(name, { ...start, data: outputs[output].data }, start, known);
    seen.add(parameter);
    if (!meaningful(parameter)) continue;
    const right = expected.get(parameter)?.data as Float32Array;
    expect(difference(data, right) / largest(right), parameter).toBeLessThan(1e-5);
    expect(Math.abs(norm(data) / float64.gradients[parameter].l2 - 1), parameter).toBeLessThan(1e-5);
  }
  expect([...seen].sort()).toEqual([...known.keys()].sort());
  await task.session.release();
}

/** The same for the export in which equal weights were merged. */
export async function expectFirstStepOfMerged(options?: TaskOptions): Promise<void> {
  const task = await openTask(fused("merged"), options);
  const { merged, batches } = golden();
  const known = parameters();
  const outputs = await task.run(batches[0]);
  for (const part of ["ntxent", "cross_entropy_sum", "total"] as const)
    expect(Math.abs(Number(outputs[part].data[0]) / merged[part] - 1)).toBeLessThan(1e-6);
  expect(task.gradients.size).toBe(known.size);
  for (const [name, output] of task.gradients) {
    const start = task.weights.get(name);
    if (!start) throw new Error(name);
    const { parameter, data } = asParameter(name, { ...start, data: outputs[output].data }, start, known);
    if (!meaningful(parameter)) continue;
    const { l2, index, value } = merged.gradients[parameter];
    expect(Math.abs(norm(data) / l2 - 1), parameter).toBeLessThan(1e-5);
    for (const [k, i] of index.entries())
      expect(Math.abs(data[i] - value[k]) / largest(data), parameter).toBeLessThan(1e-5);
  }
  await task.session.release();
}

/** Moves a task's weights by 20 Adam steps over the oracle's batches. @returns the loss before each */
async function trainTwentySteps(task: Awaited<ReturnType<typeof openTask>>): Promise<number[]> {
  const { batches } = golden();
  const adam = createAdam();
  const losses: number[] = [];
  for (let step = 0; step < 20; step++) {
    const outputs: Feeds = await task.run(batches[step % 4]);
    losses.push(Number(outputs.total.data[0]));
    adam.next();
    for (const [name, output] of task.gradients)
      adam.update(name, task.weights.get(name)?.data as Float32Array, outputs[output].data as Float32Array);
  }
  return losses;
}

/**
 * 20 Adam steps of the export in which equal weights were merged. The oracle holds only PyTorch's first step of
 * this export, so another device is compared with the CPU: the CPU agrees with PyTorch on that step, and on all
 * steps of the other exports.
 */
export async function expectTwentyStepsOfMergedAsOnCpu(options: TaskOptions): Promise<void> {
  const [here, there] = [await openTask(fused("merged")), await openTask(fused("merged"), options)];
  const known = parameters();
  const names = new Map(
    [...there.weights].map(([name, start]) => [name, asParameter(name, start, start, known).parameter]),
  );
  const [expected, losses] = [await trainTwentySteps(here), await trainTwentySteps(there)];
  expect(difference(losses, expected)).toBeLessThan(2e-5);
  expect(expected[16]).toBeLessThan(expected[0] - 0.1);
  for (const [name, { data }] of there.weights) {
    const parameter = names.get(name) as string;
    if (!meaningful(parameter)) continue;
    const right = here.weights.get(name)?.data as Float32Array;
    expect(difference(data as Float32Array, right), parameter).toBeLessThan(2e-5);
  }
  await here.session.release();
  await there.session.release();
}

/** Losses of 20 Adam steps, the weights after them, and the loss of weights averaged with the first. */
export async function expectTwentySteps(encoder: Model, options?: TaskOptions): Promise<void> {
  const task = await openTask(encoder, options);
  const { float64, batches } = golden();
  const known = parameters();
  const start = new Map(
    [...task.weights].map(([name, { data }]) => [name, Float32Array.from(data as Float32Array)]),
  );
  for (const [step, loss] of (await trainTwentySteps(task)).entries())
    expect(Math.abs(loss - float64.trajectory[step].total)).toBeLessThan(2e-5);
  const lossNow = async () => Number((await task.run(batches[0])).total.data[0]);
  expect(Math.abs((await lossNow()) - float64.final_loss_batch0)).toBeLessThan(2e-5);
  const expected = parameters("weights_after_20_steps");
  for (const [name, weight] of task.weights) {
    const first = { ...weight, data: start.get(name) as Float32Array };
    const { parameter, data } = asParameter(name, weight, first, known);
    if (meaningful(parameter))
      expect(difference(data, expected.get(parameter)?.data as Float32Array), parameter).toBeLessThan(2e-5);
  }
  for (const [name, { data }] of task.weights) {
    const first = start.get(name) as Float32Array;
    first.forEach((x, i) => {
      (data as Float32Array)[i] = 0.5 * x + 0.5 * Number(data[i]);
    });
  }
  expect(Math.abs((await lossNow()) - float64.averaged_loss_batch0)).toBeLessThan(2e-5);
  await task.session.release();
}
