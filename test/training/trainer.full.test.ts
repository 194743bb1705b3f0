import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrainingError } from "../../src/errors.js";
import type { Tensor } from "../../src/onnx/tensor.js";
import { type TrainOptions, train } from "../../src/train.js";
import { newFolder } from "../setup/new-folder.js";
import { metricsOf } from "./pairs-folder.js";
import { tinyData, tinyProgram } from "./tiny-program.js";

const settings = {
  steps: 30,
  learningRate: 0.01,
  schedule: { kind: "exponential", factor: 0.9, every: 7 },
  clipNorm: 0.5,
  checkpointEvery: 10,
} satisfies TrainOptions;
const run = (options: Partial<TrainOptions> & { folder?: string }) =>
  train(tinyProgram(), tinyData, { ...settings, ...options });
const bytes = (weights: ReadonlyMap<string, Tensor>) =>
  new Map([...weights].map(([name, { data }]) => [name, Buffer.from((data as Float32Array).slice().buffer)]));
const checkpointFiles = (folder: string, step: number) =>
  ["tensors.safetensors", "checkpoint.json"].map((name) =>
    readFileSync(join(folder, "checkpoints", `step-${String(step).padStart(6, "0")}`, name)),
  );

/** Steps of the evaluations that a folder's metrics hold. */
const evaluatedIn = (folder: string) =>
  metricsOf(folder).flatMap(({ step, score }) => (score === undefined ? [] : [step]));
const crashAt =
  (last: number) =>
  ({ step }: { step: number }) => {
    if (step === last) throw new Error("power cut");
  };

describe("train", () => {
  it("continues bit for bit after an interruption: 10 steps, a stop and 20 more equal 30", async () => {
    const [straight, parted] = [newFolder(), newFolder()];
    const whole = await run({ folder: straight });
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => step === 10 && stop.abort();
    await expect(run({ folder: parted, signal: stop.signal, onStep })).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    const rest = await run({ folder: parted, resume: "continue" });
    expect(rest.resumedAt).toBe(10);
    expect(bytes(rest.weights)).toEqual(bytes(whole.weights));
    expect(checkpointFiles(parted, 30)).toEqual(checkpointFiles(straight, 30));
  });

  it("names the options that changed since the run began, and counts them as they are now", async () => {
    const folder = newFolder();
    await run({ folder, steps: 10 });
    const notes: string[] = [];
    const onNote = (note: string) => notes.push(note);
    const { steps } = await run({ folder, steps: 15, checkpointEvery: 5, resume: "continue", onNote });
    expect([steps, notes]).toEqual([
      15,
      [
        "options that changed since the run began count as they are now: steps was 10 and is 15 now, " +
          "checkpointEvery was 10 and is 5 now",
      ],
    ]);
    await run({ folder, steps: 15, checkpointEvery: 5, resume: "continue", onNote });
    expect(notes).toHaveLength(1);
  });

  it("asks for the next batch while a step runs", async () => {
    const events: string[] = [];
    const batch = (index: number) => {
      events.push(`batch ${index}`);
      return tinyData.batch(index);
    };
    const onStep = ({ step }: { step: number }) => events.push(`step ${step}`);
    await train(tinyProgram(), { ...tinyData, batch }, { ...settings, steps: 3, onStep });
    expect(events.join(", ")).toBe("batch 0, batch 1, step 1, batch 2, step 2, step 3");
  });

  it("reports the last step even if it was taken before the run was resumed", async () => {
    const folder = newFolder();
    const whole = await run({ folder });
    const rest = await run({ folder, resume: "continue" });
    expect(rest.resumedAt).toBe(30);
    expect(rest.last).toEqual(whole.last);
    expect(rest.last?.loss).toBeGreaterThan(0);
  });

  it("continues bit for bit from the last checkpoint after a crash between two", async () => {
    const [straight, parted] = [newFolder(), newFolder()];
    const whole = await run({ folder: straight });
    await expect(run({ folder: parted, onStep: crashAt(17) })).rejects.toThrow("power cut");
    const rest = await run({ folder: parted, resume: "continue" });
    expect(rest.resumedAt).toBe(10);
    expect(bytes(rest.weights)).toEqual(bytes(whole.weights));
    const steps = metricsOf(parted).map(({ step }) => step);
    expect(steps).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it("lowers the loss, and writes what each step was like", async () => {
    const folder = newFolder();
    const same = { fingerprint: "one batch", batch: () => tinyData.batch(0) };
    await train(tinyProgram(), same, { ...settings, clipNorm: undefined, folder });
    const metrics = metricsOf(folder);
    expect(metrics).toHaveLength(30);
    expect(metrics[29].loss).toBeLessThan(0.5 * metrics[0].loss);
    for (const line of metrics) {
      expect(line.gradientNorm).toBeGreaterThan(0);
      expect(line.phrasesPerSecond).toBeGreaterThan(0);
      expect(line.memory).toBeGreaterThan(1e6);
    }
    expect(metrics[6].learningRate).toBe(0.01);
    expect(metrics[7].learningRate).toBeCloseTo(0.009, 12);
    expect(metrics[29].learningRate).toBeCloseTo(0.01 * 0.9 ** 4, 12);
  });

  it("leaves the event loop free", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await run({ steps: 200 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(20);
  });

  it("keeps the last checkpoints and the best one, and returns the best one's weights", async () => {
    const folder = newFolder();
    const seen: (readonly [number, Map<string, Buffer>])[] = [];
    const evaluation = {
      every: 5,
      run: async (weights: ReadonlyMap<string, Tensor>, step: number) => {
        seen.push([step, bytes(weights)]);
        return step === 5 ? 1 : 0;
      },
    };
    const { best, weights } = await run({ folder, evaluation, keep: 2, checkpointEvery: 5 });
    expect(best).toEqual({ step: 5, score: 1 });
    expect(seen.map(([step]) => step)).toEqual([0, 5, 10, 15, 20, 25, 30]);
    expect(bytes(weights)).toEqual(seen[1][1]);
    expect(readdirSync(join(folder, "checkpoints")).sort()).toEqual([
      "step-000005",
      "step-000025",
      "step-000030",
    ]);
  });
});

describe("an evaluation", () => {
  const scored = (steps: number[], more: Partial<TrainOptions> = {}) => ({
    evaluation: { every: 20, run: async (_: unknown, step: number) => steps.push(step) },
    ...more,
  });

  it("is also made after the last step, where that is no multiple", async () => {
    const steps: number[] = [];
    const { best } = await run({ folder: newFolder(), ...scored(steps) });
    expect(steps).toEqual([0, 20, 30]);
    expect(best?.step).toBe(30);
  });

  it("ends the training where as many as its patience are no better, also when it is resumed", async () => {
    const folder = newFolder();
    const notes: string[] = [];
    const evaluation = {
      ...{ every: 5, patience: 3 },
      run: async (_: unknown, step: number) => ({ score: step === 5 ? 1 : 0, figures: { loss: step } }),
    };
    const options = { folder, evaluation, onNote: (note: string) => notes.push(note) };
    const { steps, best, evaluations } = await run(options);
    expect([steps, best]).toEqual([20, { step: 5, score: 1, figures: { loss: 5 } }]);
    expect(evaluations.map(({ step }) => step)).toEqual([0, 5, 10, 15, 20]);
    expect(notes.at(-1)).toMatch(
      /ends after 20 of 30 steps: no evaluation was better than that of step 5 \(patience 3\)$/,
    );
    const again = await run({ ...options, resume: "continue" });
    expect(again).toMatchObject({ resumedAt: 20, steps: 20, evaluations });
  });

  it("of several averages counts once for the patience, also when it is resumed", async () => {
    const folder = newFolder();
    const own = { score: 0, share: 1 };
    const evaluation: TrainOptions["evaluation"] = {
      ...{ every: 5, patience: 3 },
      run: async (_, step) => (step === 0 ? 0 : [own, { score: step === 5 ? 1 : 0, share: 0.5 }]),
    };
    const { steps, best, evaluations, weights } = await run({ folder, evaluation });
    expect([steps, best]).toEqual([20, { step: 5, score: 1, share: 0.5 }]);
    expect(evaluations.map(({ step }) => step)).toEqual([0, 5, 5, 10, 10, 15, 15, 20, 20]);
    const parted = newFolder();
    await expect(run({ folder: parted, evaluation, onStep: crashAt(12) })).rejects.toThrow("power cut");
    const rest = await run({ folder: parted, evaluation, resume: "continue" });
    expect(rest).toMatchObject({ resumedAt: 10, steps, best, evaluations });
    expect(bytes(rest.weights)).toEqual(bytes(weights));
    expect(checkpointFiles(parted, 20)).toEqual(checkpointFiles(folder, 20));
    expect(evaluatedIn(parted)).toEqual(evaluatedIn(folder));
  });

  it("before the first step stays in the metrics of a run that is killed before its next checkpoint", async () => {
    const folder = newFolder();
    await expect(run({ folder, ...scored([]), onStep: crashAt(7) })).rejects.toThrow("power cut");
    const steps: number[] = [];
    await run({ folder, resume: "continue", ...scored(steps) });
    expect(steps).toEqual([20, 30]);
    expect(evaluatedIn(folder)).toEqual([0, 20, 30]);
  });

  it("that is interrupted is made when the run is resumed, and ends at the same bits", async () => {
    const [straight, parted] = [newFolder(), newFolder()];
    const whole = await run({ folder: straight, ...scored([]) });
    const stop = new AbortController();
    const interrupted = async (_: unknown, step: number) => {
      if (step < 20) return 1;
      stop.abort();
      throw stop.signal.reason;
    };
    const evaluation = { every: 20, run: interrupted };
    const stopped = run({ folder: parted, signal: stop.signal, evaluation });
    await expect(stopped).rejects.toHaveProperty("name", "AbortError");
    const killed = run({ folder: parted, resume: "continue", ...scored([0]), onStep: crashAt(23) });
    await expect(killed).rejects.toThrow("power cut");
    const steps = [0];
    const rest = await run({ folder: parted, resume: "continue", ...scored(steps) });
    expect(rest.resumedAt).toBe(20);
    expect(steps).toEqual([0, 20, 30]);
    expect(rest.best).toEqual(whole.best);
    expect(checkpointFiles(parted, 30)).toEqual(checkpointFiles(straight, 30));
    expect(evaluatedIn(parted)).toEqual([0, 20, 30]);
  });
});

describe("training that cannot go on", () => {
  it("stops at NaN with the step and the batch saved, and changes nothing", async () => {
    const folder = newFolder();
    const program = tinyProgram();
    const bad = program.model.graph.initializers.get("dense.bias") as Tensor;
    (bad.data as Float32Array)[0] = Number.NaN;
    const failure = train(program, tinyData, { ...settings, folder });
    await expect(failure).rejects.toThrow(TrainingError);
    await expect(failure).rejects.toThrow(/step 1: the loss is NaN.*failed-step-1\.json/);
    const saved = JSON.parse(readFileSync(join(folder, "failed-step-1.json"), "utf8"));
    expect(saved.batch.feeds.ids.data).toHaveLength(48);
    expect(existsSync(join(folder, "checkpoints"))).toBe(false);
  });

  it("ends at a learning rate of 1e6 with numbers or a clear error, never with a broken checkpoint", async () => {
    const folder = newFolder();
    const outcome = await run({ folder, learningRate: 1e6 }).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(TrainingError);
    else expect((outcome as Awaited<ReturnType<typeof run>>).last?.loss).toSatisfy(Number.isFinite);
    if (!existsSync(join(folder, "checkpoints"))) return;
    const resumed = await run({ folder, learningRate: 1e6, resume: "continue" }).catch(
      (error: unknown) => error,
    );
    if (resumed instanceof Error) expect(resumed.message).toMatch(/learning rate/);
  });

  it("refuses checkpoints of other settings, models, versions, and damaged ones", async () => {
    const folder = newFolder();
    await run({ folder, steps: 10 });
    const again = (options: Partial<TrainOptions>) => run({ folder, resume: "continue", ...options });
    await expect(again({ learningRate: 0.02 })).rejects.toThrow(/learningRate was 0.01 and is 0.02 now/);
    await expect(again({ learningRate: 0.02, clipNorm: 1 })).rejects.toThrow(
      "another run: learningRate was 0.01 and is 0.02 now, clipNorm was 0.5 and is 1 now. Use the same values, or",
    );
    await expect(again({ steps: 9 })).rejects.toThrow(/is of step 10, and this run ends at step 9/);
    await expect(
      train(tinyProgram(2), tinyData, { ...settings, folder, resume: "continue" }),
    ).rejects.toThrow(/model was/);
    const place = join(folder, "checkpoints", "step-000010");
    const copy = newFolder();
    const restore = () => cpSync(copy, place, { recursive: true });
    cpSync(place, copy, { recursive: true });
    const record = JSON.parse(readFileSync(join(place, "checkpoint.json"), "utf8"));
    writeFileSync(join(place, "checkpoint.json"), JSON.stringify({ ...record, version: "0.0.1" }));
    await expect(again({})).rejects.toThrow(/written by pearl 0\.0\.1/);
    restore();
    truncateSync(join(place, "tensors.safetensors"), 1000);
    await expect(again({})).rejects.toThrow(/cut off.*is damaged/);
    truncateSync(join(place, "tensors.safetensors"), 0);
    await expect(again({})).rejects.toThrow(TrainingError);
    restore();
    writeFileSync(join(place, "checkpoint.json"), "{");
    await expect(again({})).rejects.toThrow(/is damaged/);
    restore();
    expect((await again({})).steps).toBe(30);
  });
});
