/** A device that fails while it trains (test/runtime/fake-webgpu.cjs): each step counts once, as on the CPU. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pearl, runNode } from "../../cli/run-cli.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { type FakeWebgpu, fakeWebgpu } from "../../runtime/fake-webgpu.js";
import { newFolder } from "../../setup/new-folder.js";
import { metricsOf, somePairs, writeTable } from "../../training/pairs-folder.js";

interface Trained {
  readonly notes: readonly string[];
  readonly steps: readonly [step: number, loss: number][];
  readonly scores: readonly [step: number, score: number][];
  readonly weights: readonly [name: string, values: number[]][];
  readonly best?: { readonly step: number };
}

async function train(device: string, folder?: string, environment?: Record<string, string>) {
  const script = fileURLToPath(new URL("../../training/train-here.mjs", import.meta.url));
  const args = [script, device, ...(folder === undefined ? [] : [folder])];
  const { code, stdout, stderr } = await runNode(args, { environment });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Trained;
}

const expectClose = (found: readonly number[], expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => {
    expect(Math.abs(value - expected[i])).toBeLessThan(1e-5);
  });
};

/** Four runs put the state onto the device; a step is two: the gradients, and Adam. */
const withoutFolder: [string, FakeWebgpu, number, number][] = [
  ["the gradients of step 4 fail", { failAt: 11 }, 3, 3],
  ["Adam fails in step 4", { failAt: 12 }, 3, 3],
  ["the device is lost in step 4", { failAt: 11, lost: true }, 3, 0],
  ["the weights cannot be read at the end", { failAt: 29, lost: true }, 12, 0],
];
/** With a folder there are more runs: one for an evaluation's weights, three for a checkpoint. */
const withFolder: [string, FakeWebgpu, number, number][] = [
  ["the first evaluation fails", { failAt: 5 }, 0, 0],
  ["the checkpoint of step 5 fails", { failAt: 22 }, 5, 5],
  ["the device is lost in step 8", { failAt: 27, lost: true }, 7, 5],
  ["the device is lost in step 10", { failAt: 32, lost: true }, 9, 5],
];

async function expectSame(fake: FakeWebgpu, [at, from]: [number, number], folders: [string?, string?]) {
  const expected = await train("cpu", folders[0]);
  const found = await train("webgpu", folders[1], fakeWebgpu(fake));
  expect(found.notes).toEqual([
    `webgpu failed after step ${at} (device lost (a test)): training continues on the CPU after step ${from}`,
  ]);
  expect(found.steps.map(([step]) => step)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  expectClose(found.steps.flat(), expected.steps.flat());
  expect(found.weights.map(([name]) => name)).toEqual(expected.weights.map(([name]) => name));
  found.weights.forEach(([, values], i) => {
    expectClose(values, expected.weights[i][1]);
  });
  expect(found.best?.step).toBe(expected.best?.step);
  return { found, expected };
}

describe("training on a device that fails", () => {
  it.each(withoutFolder)("takes each step once: %s", async (_, fake, at, from) => {
    await expectSame(fake, [at, from], []);
  });

  it.each(withFolder)("takes each step once, and evaluates as often: %s", async (_, fake, at, from) => {
    const folders: [string, string] = [newFolder(), newFolder()];
    const { found, expected } = await expectSame(fake, [at, from], folders);
    expectClose(found.scores.flat(), expected.scores.flat());
    const [right, metrics] = folders.map(metricsOf);
    expect(metrics.map(({ step }) => step)).toEqual(right.map(({ step }) => step));
  });

  it("is said once by a command, which takes its remaining trainings to the CPU", async () => {
    const pairs = writeTable(somePairs(36), ["text", "positive", "negative", "type"]);
    const output = join(newFolder(), "tuned");
    const where = ["--pairs", pairs, "--base", makeOracleModel("encoder.folded.onnx"), "-o", output];
    const how = ["--epochs", "4", "--batch-size", "12", "--yes", "--device", "webgpu"];
    // this fails while the time of a step is measured
    const environment = fakeWebgpu({ failAt: 10 });
    const { code, stderr } = await pearl(["finetune", ...where, ...how], { environment });
    expect(code, stderr).toBe(0);
    expect(stderr.match(/failed .*/g)).toEqual([expect.stringContaining("training continues on the CPU")]);
    expect(stderr).toMatch(/\ntraining \S+ on cpu\n {2}not webgpu: it has failed\n/);
    expect(metricsOf(output).map(({ step }) => step)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });
});
