import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrainingError } from "../../src/errors.js";
import { tensor } from "../../src/onnx/tensor.js";
import {
  bestOf,
  type Evaluated,
  listCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from "../../src/training/checkpoint.js";
import { newFolder } from "../setup/new-folder.js";

const record = (step: number) => ({ step, version: "0", settings: {}, limits: {}, evaluations: [] });
const state = (step: number, value = 1) => ({
  step,
  tensors: new Map([["w", tensor("float32", [2], [1, value])]]),
});

describe("checkpoints", () => {
  it("do not mistake a half-written folder for a checkpoint, and remove it with the next", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "step-000004.partial"));
    expect(listCheckpoints(folder)).toEqual([]);
    writeCheckpoint(folder, state(5), record(5));
    expect(listCheckpoints(folder).map(({ step }) => step)).toEqual([5]);
    expect(existsSync(join(folder, "step-000004.partial"))).toBe(false);
  });

  it("that are damaged are deleted, as the message says, to continue from the one before", async () => {
    const folder = newFolder();
    for (const step of [4, 5]) writeCheckpoint(folder, state(step), record(step));
    const [before, damaged] = listCheckpoints(folder);
    writeFileSync(join(damaged.path, "checkpoint.json"), "{");
    await expect(readCheckpoint(damaged)).rejects.toThrow(
      "delete its folder to continue from the one before.",
    );
    rmSync(damaged.path, { recursive: true });
    expect(listCheckpoints(folder)).toEqual([before]);
    expect((await readCheckpoint(before)).record).toMatchObject(record(4));
  });

  it("are never written with NaN in them", () => {
    const folder = newFolder();
    const writing = () => writeCheckpoint(folder, state(3, Number.NaN), record(3));
    expect(writing).toThrow(TrainingError);
    expect(writing).toThrow("Use a smaller learning rate or clip gradients.");
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Evaluations of steps 0, 1, ...: a score, and a loss if there is one. */
const evaluations = (...rows: readonly (readonly [number, number?])[]): Evaluated[] =>
  rows.map(([score, loss], step) => ({ step, score, ...(loss !== undefined && { figures: { loss } }) }));
const bestStep = (...rows: readonly (readonly [number, number?])[]) => bestOf(evaluations(...rows))?.step;

describe("bestOf", () => {
  it("keeps the highest score, of equal ones the first", () => {
    expect(bestOf([])).toBeUndefined();
    expect(bestStep([0.5], [0.7], [0.7], [0.6])).toBe(1);
    expect(bestStep([0.5], [0.4])).toBe(0);
  });

  it("weighs a tenth of the loss against the score", () => {
    expect(bestStep([0.99, 0.7], [1, 0.3], [1, 0.2], [1, 0.2])).toBe(2);
    expect(bestStep([0.8, 1.4], [0.884, 0.984], [0.8795, 0.845])).toBe(2);
    expect(bestStep([0.8, 1.4], [0.9, 0.984], [0.8795, 0.845])).toBe(1);
  });

  it("keeps no score below that of the start, however low its loss is", () => {
    expect(bestStep([0.8, 2], [0.799, 0.1])).toBe(0);
    expect(bestStep([0.8, 2], [0.8, 0.1])).toBe(1);
  });
});
