import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrainingError } from "../../src/errors.js";
import { tensor } from "../../src/onnx/tensor.js";
import { listCheckpoints, readCheckpoint, writeCheckpoint } from "../../src/training/checkpoint.js";
import { newFolder } from "../setup/new-folder.js";

const record = (step: number) => ({ step, version: "0", settings: {}, evaluations: [] });
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
