/** Checkpoints of models whose weights and moments exceed 2 GB. */
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { tensor } from "../../src/onnx/tensor.js";
import {
  listCheckpoints,
  readCheckpoint,
  readTensors,
  writeCheckpoint,
} from "../../src/training/checkpoint.js";
import { newFolder } from "../setup/new-folder.js";

it("a checkpoint over 2 GB comes back whole", async () => {
  const folder = newFolder();
  try {
    const [count, last] = [2 ** 29 + 7, 2 ** 29 + 6];
    const large = new Float32Array(count);
    large[last] = 0.5;
    const tensors = new Map([
      ["large", tensor("float32", [count], large)],
      ["small", tensor("float32", [2], [1, 2])],
    ]);
    const record = { step: 1, version: "0", settings: {}, limits: {}, evaluations: [] };
    writeCheckpoint(folder, { step: 1, tensors }, record);
    const layout = new Map([...tensors].map(([name, { dims }]) => [name, dims]));
    const [place] = listCheckpoints(folder);
    const read = await readTensors(await readCheckpoint(place), layout);
    const found = read.get("large")?.data as Float32Array;
    expect([found.length, found[last]]).toEqual([count, 0.5]);
    expect(read.get("small")?.data).toEqual(Float32Array.of(1, 2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
