/** A run from its options to a folder: what it writes, what it leaves after a stop or a failure, and resuming. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArgumentError, LockedError, TrainingError } from "../../src/errors.js";
import { acquireLock } from "../../src/files/lock.js";
import { writeWholeFolder } from "../../src/files/whole-folder.js";
import type { Tensor } from "../../src/onnx/tensor.js";
import {
  type PreparedRun,
  type RunOptions,
  type RunPlan,
  type RunRecord,
  resultOf,
  runMethod,
} from "../../src/training/run.js";
import { newFolder } from "../setup/new-folder.js";
import { tinyData, tinyProgram } from "./tiny-program.js";

/** A method that trains six steps and writes its dense layer's weights. */
const tinyRun: PreparedRun<RunRecord> = {
  program: tinyProgram(),
  data: tinyData,
  steps: 6,
  learningRate: 0.01,
  options: () => ({}),
  what: (steps) => `a tiny model for ${steps} steps`,
  record: ({ steps, last }) => ({ pearl: "0.0.0", settings: {}, result: { steps, loss: last?.loss } }),
  card: (name, { result }) => `# ${name}, ${result.steps} steps\n`,
  write: (folder, weights, texts = {}) =>
    writeWholeFolder(folder, async (temporary) => {
      const numbers = Array.from(weights.get("dense.weight")?.data ?? [], Number);
      for (const [name, text] of Object.entries({ "weights.json": JSON.stringify(numbers), ...texts }))
        await writeFile(join(temporary, name), text);
    }),
};

const newOutput = () => join(newFolder(), "model");
const run = (options: RunOptions, changes: Partial<PreparedRun<RunRecord>> = {}) =>
  runMethod(options, async () => ({ ...tinyRun, ...changes }));
const beside = (output: string) => readdirSync(dirname(output)).sort();
const read = (...path: string[]) => readFileSync(join(...path), "utf8");

/** Stops a run after its third step, and leaves its work folder. */
async function stopped(options: RunOptions, changes: Partial<PreparedRun<RunRecord>> = {}): Promise<void> {
  const stop = new AbortController();
  const onStep = ({ step }: { step: number }) => step === 3 && stop.abort();
  await expect(run({ ...options, signal: stop.signal, onStep }, changes)).rejects.toHaveProperty(
    "name",
    "AbortError",
  );
}

describe("runMethod", () => {
  it("writes the model with its card, record and metrics, and removes everything else", async () => {
    const output = newOutput();
    const notes: string[] = [];
    const report = await run({ output, onNote: (note) => notes.push(note) });
    expect(report).toMatchObject({ output, resumedAt: 0, result: { steps: 6 } });
    expect(beside(output)).toEqual(["model"]);
    expect(readdirSync(output).sort()).toEqual([
      "README.md",
      "metrics.jsonl",
      "training.json",
      "weights.json",
    ]);
    expect(read(output, "README.md")).toBe("# model, 6 steps\n");
    expect(JSON.parse(read(output, "training.json")).result).toEqual(report.result);
    expect(read(output, "metrics.jsonl").trim().split("\n")).toHaveLength(6);
    expect(notes[0]).toMatch(/^training a tiny model for 6 steps on /);
  });

  it("says that a finished run has nothing to resume, and returns its record", async () => {
    const output = newOutput();
    const report = await run({ output });
    const notes: string[] = [];
    const again = await run({ output, resume: "continue", onNote: (note) => notes.push(note) });
    expect(again).toEqual({ ...report, resumedAt: 6 });
    expect(notes).toEqual([`${output} is finished: there is nothing to resume`]);
  });

  it("names the options of a resumed run that a finished one did not have", async () => {
    const output = newOutput();
    const settings = {
      seed: 3,
      learningRate: 0.01,
      objective: { name: "nt-xent", settings: { temperature: 0.1 } },
    };
    await run({ output }, { record: () => ({ pearl: "0.0.0", settings, result: { steps: 6 } }) });
    const notes: string[] = [];
    const resumed = (options: object) =>
      run({ output, resume: "continue", onNote: (note) => notes.push(note), ...options });
    await resumed({ seed: 3, objective: "nt-xent", threads: 2, batchSize: 8, temperature: undefined });
    await resumed({ seed: 4, settings: { temperature: 0.2 }, objective: "triplet" });
    const finished = `${output} is finished: there is nothing to resume`;
    expect(notes).toEqual([
      finished,
      `${finished}, and options count in a new run alone (seed was 3 and is 4 now, objective was "nt-xent" and is ` +
        `"triplet" now, temperature was 0.1 and is 0.2 now). Name another folder for the output.`,
    ]);
  });

  it("has nothing to resume either where a run was killed before it removed its work folder", async () => {
    const output = newOutput();
    const report = await run({ output });
    const work = `${output}.training`;
    mkdirSync(join(work, "checkpoints", "step-6"), { recursive: true });
    mkdirSync(join(work, "text"));
    const lock = await acquireLock(work);
    const resumed = () => run({ output, resume: "continue" });
    expect(await resumed()).toEqual({ ...report, resumedAt: 6 });
    // another process uses the folder
    expect(readdirSync(work).sort()).toEqual(["checkpoints", "lock", "text"]);
    await lock.release();
    expect(await resumed()).toEqual({ ...report, resumedAt: 6 });
    expect(beside(output)).toEqual(["model"]);
  });

  it("says what to do where the record of a finished run is damaged", async () => {
    const output = newOutput();
    await run({ output });
    writeFileSync(join(output, "training.json"), "{");
    const again = run({ output, resume: "continue" });
    await expect(again).rejects.toThrow("Name another folder for the output.");
  });

  it("writes the weights that the method makes of the trained ones", async () => {
    const output = newOutput();
    const zero: Tensor = { type: "float32", dims: [1], data: Float32Array.of(0) };
    await run({ output }, { steps: 1, finish: () => new Map([["dense.weight", zero]]) });
    expect(read(output, "weights.json")).toBe("[0]");
  });

  it("refuses an output that is not empty before it prepares anything", async () => {
    const output = newOutput();
    mkdirSync(output);
    writeFileSync(join(output, "mine.txt"), "");
    let prepared = 0;
    const refused = runMethod({ output }, async () => {
      prepared++;
      return tinyRun;
    });
    await expect(refused).rejects.toThrow(ArgumentError);
    expect(prepared).toBe(0);
    expect(beside(output)).toEqual(["model"]);
  });

  it("removes what a killed run left under temporary names, and nothing else", async () => {
    const output = newOutput();
    const others = ["model2.0123456789ab.partial", "model.partial"];
    for (const name of [...others, "model.0123456789ab.partial"]) mkdirSync(join(dirname(output), name));
    await run({ output }, { steps: 1 });
    expect(beside(output)).toEqual(["model", ...others].sort());
  });
});

describe("a run that fails", () => {
  const broken = () => Promise.reject(new ArgumentError("no such table"));

  it.each([
    ["while it prepares", (options: RunOptions) => runMethod(options, broken)],
    ["at its first batch", (options: RunOptions) => run(options, { data: { ...tinyData, batch: broken } })],
  ])("%s leaves nothing behind", async (_, start) => {
    const output = newOutput();
    await expect(start({ output })).rejects.toThrow("no such table");
    expect(beside(output)).toEqual([]);
  });

  it("leaves nothing of an empty work folder", async () => {
    const output = newOutput();
    mkdirSync(`${output}.training`);
    await expect(runMethod({ output }, broken)).rejects.toThrow("no such table");
    expect(beside(output)).toEqual([]);
  });

  it("with NaN in its first step keeps that step's batch to look at", async () => {
    const output = newOutput();
    const program = tinyProgram();
    const weight = program.model.graph.initializers.get("dense.weight") as Tensor;
    (weight.data as Float32Array).fill(Number.NaN);
    await expect(run({ output }, { program })).rejects.toThrow(TrainingError);
    expect(beside(output)).toEqual(["model.training"]);
    expect(readdirSync(`${output}.training`)).toContain("failed-step-1.json");
  });

  it("releases what it prepared", async () => {
    let closed = 0;
    const close = async () => void closed++;
    await run({ output: newOutput() }, { close, steps: 1 });
    const data = { ...tinyData, batch: broken };
    await expect(run({ output: newOutput() }, { close, data })).rejects.toThrow();
    expect(closed).toBe(2);
  });
});

describe("a run's plan", () => {
  it("counts the parameters that are trained", async () => {
    const counts: number[] = [];
    const onPlan = (plan: { parameters: number }) => void counts.push(plan.parameters);
    for (const weights of [undefined, ["dense.weight"]])
      await run({ output: newOutput(), onPlan }, { program: { ...tinyProgram(), weights }, steps: 1 });
    expect(counts).toEqual([40 * 8 + 6 * 8 + 6, 6 * 8]);
  });
});

describe("a stopped run", () => {
  it("leaves only its work folder, and ends at the same weights when it is resumed", async () => {
    const [whole, parted] = [newOutput(), newOutput()];
    await run({ output: whole });
    await stopped({ output: parted });
    expect(beside(parted)).toEqual(["model.training"]);
    const report = await run({ output: parted, resume: "continue" });
    expect(report.resumedAt).toBe(3);
    for (const file of ["weights.json", "training.json"]) expect(read(parted, file)).toBe(read(whole, file));
    expect(beside(parted)).toEqual(["model"]);
  });

  it("says how it is continued", async () => {
    for (const [continuedBy, says] of [
      [undefined, "--resume"],
      ["the same command", "the same command"],
    ]) {
      const notes: string[] = [];
      await stopped({ output: newOutput(), continuedBy, onNote: (note) => notes.push(note) });
      expect(notes.at(-1)).toBe(`training was stopped after step 3; ${says} continues from there`);
    }
  });

  it("starts over unless it is resumed, at its first step, and leaves files of others", async () => {
    const output = newOutput();
    await stopped({ output });
    const work = `${output}.training`;
    for (const name of ["start", "evaluation.0123456789ab.partial"]) mkdirSync(join(work, name));
    for (const name of ["failed-step-2.json", "text.txt"]) writeFileSync(join(work, name), "");
    const notes: string[] = [];
    const names: string[][] = [];
    const onStep = () => void names.push(readdirSync(work).sort());
    const report = await run({ output, onNote: (note) => notes.push(note), onStep });
    expect(notes[0]).toMatch(
      /the checkpoint of step 3 is removed when training begins \(--resume continues from it\)$/,
    );
    expect(names[0]).toEqual(["lock", "metrics.jsonl", "start", "text.txt"]);
    expect(report.resumedAt).toBe(0);
    expect(readdirSync(work)).toEqual(["text.txt"]);
  });

  const no = () => Promise.reject(new Error("no"));

  it.each<[string, (output: string) => Promise<unknown>]>([
    ["fails while it prepares", (output) => runMethod({ output }, no)],
    ["cannot take a step", (output) => run({ output }, { data: { ...tinyData, batch: no } })],
    ["is declined", (output) => run({ output, onPlan: no })],
    ["cannot measure", (output) => run({ output }, { minutes: 1, data: { ...tinyData, batch: no } })],
  ])("can still be resumed after one that starts over %s", async (_, again) => {
    const output = newOutput();
    await stopped({ output });
    await expect(again(output)).rejects.toThrow("no");
    expect(await run({ output, resume: "continue" })).toMatchObject({ resumedAt: 3 });
  });

  it("takes over the lock of a machine that is gone", async () => {
    const output = newOutput();
    await stopped({ output });
    const holder = { pid: process.pid, host: "replaced-container", started: null, token: "1" };
    writeFileSync(join(`${output}.training`, "lock"), JSON.stringify(holder));
    expect(await run({ output, resume: "continue" })).toMatchObject({ resumedAt: 3 });
  });

  it("has its folder to itself while it runs", async () => {
    const output = newOutput();
    const other = () => expect(run({ output, resume: "continue" })).rejects.toThrow(LockedError);
    await runMethod({ output }, () => other().then(() => tinyRun));
    expect(beside(output)).toEqual(["model"]);
  });
});

describe("a run of so many minutes", () => {
  it("measures a step once: a resumed run takes the stored number of steps", async () => {
    const output = newOutput();
    const notes: string[] = [];
    const options = { output, onNote: (note: string) => notes.push(note) };
    await stopped(options, { minutes: 60 });
    expect(notes[0]).toMatch(/^a step takes .* s: .* steps fit into 60 minutes$/);
    const stored = join(`${output}.training`, "steps.json");
    const { steps } = JSON.parse(read(stored));
    expect(steps).toBeGreaterThan(3);
    writeFileSync(stored, JSON.stringify({ steps: 5, minutes: 60 }));
    notes.length = 0;
    const report = await run({ ...options, resume: "continue" }, { minutes: 90 });
    expect(report).toMatchObject({ resumedAt: 3, result: { steps: 5 } });
    expect(notes.join("\n")).not.toContain("a step takes");
    expect(notes[0]).toMatch(/keeps the 5 steps that it began with, for 60 minutes: .* 90 minutes are for/);
  });

  it("is not resumed from a damaged number of steps, and starts over as the message says", async () => {
    const output = newOutput();
    await stopped({ output }, { minutes: 60 });
    const stored = join(`${output}.training`, "steps.json");
    writeFileSync(stored, "{");
    const resumed = run({ output, resume: "continue" }, { minutes: 60 });
    await expect(resumed).rejects.toThrow("Start over without --resume.");
    await stopped({ output }, { minutes: 60 });
    expect(JSON.parse(read(stored)).steps).toBeGreaterThan(3);
  });

  it.each([0, -1, Number.NaN])("is refused for %f minutes", async (minutes) => {
    const output = newOutput();
    await expect(run({ output }, { minutes })).rejects.toThrow(/minutes must be a number above 0/);
    expect(beside(output)).toEqual([]);
  });
});

describe("an evaluation", () => {
  it("scores snapshots without texts, keeps the best weights, and leaves no snapshot", async () => {
    const output = newOutput();
    const seen: string[] = [];
    const score = async (folder: string) => {
      expect(readdirSync(folder)).toEqual(["weights.json"]);
      seen.push(read(folder, "weights.json"));
      // the second of four is the best
      return seen.length === 2 ? 1 : 0;
    };
    const scores: [number, number][] = [];
    const onEvaluation = (step: number, value: number) => scores.push([step, value]);
    await run({ output, onEvaluation }, { evaluation: { every: 2, score } });
    expect(scores).toEqual([
      [0, 0],
      [2, 1],
      [4, 0],
      [6, 0],
    ]);
    expect(read(output, "weights.json")).toBe(seen[1]);
    expect(beside(output)).toEqual(["model"]);
  });

  it("scores what would be written", async () => {
    const output = newOutput();
    const half: PreparedRun<RunRecord>["finish"] = (weights) => {
      const { data, ...rest } = weights.get("dense.weight") as Tensor;
      return new Map([
        ["dense.weight", { ...rest, data: (data as Float32Array).map((x) => x / 2) } as Tensor],
      ]);
    };
    const seen: string[] = [];
    const score = async (folder: string) => seen.push(read(folder, "weights.json"));
    await run({ output }, { finish: half, evaluation: { every: 6, score } });
    expect(read(output, "weights.json")).toBe(seen[1]);
  });

  it("scores each share of the trained weights, and writes the best", async () => {
    const output = newOutput();
    const finish: PreparedRun<RunRecord>["finish"] = (weights, share = 1) => {
      const { data, ...rest } = weights.get("dense.weight") as Tensor;
      const scaled = (data as Float32Array).map((x) => x * share);
      return new Map([["dense.weight", { ...rest, data: scaled } as Tensor]]);
    };
    const seen: string[] = [];
    const scores = [0, 1, 3, 2, 0];
    const score = async (folder: string) => scores[seen.push(read(folder, "weights.json")) - 1];
    const evaluated: unknown[] = [];
    const onEvaluation: RunOptions["onEvaluation"] = (step, own, _, __, share) =>
      void evaluated.push([step, own, share]);
    const evaluation = { every: 3, measure: "score", shares: [1, 0.5], score } as const;
    const texts = (record: RunRecord) => ({ "best.json": JSON.stringify(record.result.best) });
    const record: typeof tinyRun.record = (result) => ({
      ...{ pearl: "0.0.0", settings: {} },
      result: resultOf(result, evaluation),
    });
    await run({ output, onEvaluation }, { finish, evaluation, record, texts });
    expect(evaluated).toEqual([
      [0, 0, undefined],
      [3, 1, 1],
      [3, 3, 0.5],
      [6, 2, 1],
      [6, 0, 0.5],
    ]);
    const [whole, half] = [seen[1], seen[2]].map((text) => JSON.parse(text) as number[]);
    expect(half).toEqual(whole.map((x) => x / 2));
    expect(read(output, "weights.json")).toBe(seen[2]);
    expect(JSON.parse(read(output, "best.json"))).toEqual({
      step: 3,
      score: 3,
      share: 0.5,
      measure: "score",
    });
    const lines = read(output, "metrics.jsonl").trim().split("\n");
    const shares = lines.map((line) => JSON.parse(line)).filter((line) => line.score !== undefined);
    expect(shares.map((line) => line.share)).toEqual([undefined, 1, 0.5, 1, 0.5]);
  });

  it("is counted in the plan, with the measured time of the start's, which is scored once", async () => {
    const seen: string[] = [];
    const score = async (folder: string) => {
      await new Promise((after) => setTimeout(after, 50));
      return { score: seen.push(read(folder, "weights.json")) };
    };
    const plans: RunPlan[] = [];
    const scores: number[] = [];
    const options = {
      ...{ output: newOutput(), patience: 9 },
      onPlan: (plan: RunPlan) => void plans.push(plan),
      onEvaluation: (_: number, own: number) => void scores.push(own),
    };
    await run(options, { steps: 20, evaluation: { every: "tenth", score } });
    const [{ evaluations, seconds, step }] = plans;
    expect(evaluations).toMatchObject({ count: 11, patience: 9 });
    expect(evaluations?.seconds).toBeGreaterThan(0.045);
    expect(seconds).toBeCloseTo(20 * step.seconds + 11 * (evaluations?.seconds ?? 0));
    expect(scores).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const again = newOutput();
    await run(
      { output: again },
      {
        steps: 1,
        evaluation: { every: 1, score: async (folder) => seen.push(read(folder, "weights.json")) },
      },
    );
    expect(seen[11]).toBe(seen[0]);
  });

  it("is given the run's signal", async () => {
    const { signal } = new AbortController();
    const seen: unknown[] = [];
    const score = async (_: string, given?: AbortSignal) => seen.push(given);
    await run({ output: newOutput(), signal }, { evaluation: { every: 6, score } });
    expect(seen).toEqual([signal, signal]);
  });

  it("replaces the snapshot of a run that was killed while it scored", async () => {
    const output = newOutput();
    await stopped({ output }, { evaluation: { every: 6, score: async () => 0 } });
    const work = `${output}.training`;
    for (const name of ["evaluation", "evaluation.0123456789ab.partial"]) mkdirSync(join(work, name));
    writeFileSync(join(work, "evaluation", "old.txt"), "");
    const seen: string[][] = [];
    const score = async () => {
      seen.push(readdirSync(work).filter((name) => name.startsWith("evaluation")));
      seen.push(readdirSync(join(work, "evaluation")));
      return 0;
    };
    await run({ output, resume: "continue" }, { evaluation: { every: 6, score } });
    expect(seen).toEqual([["evaluation"], ["weights.json"]]);
  });
});
