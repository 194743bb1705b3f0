/** What crosses between main memory and WebGPU in a batch and in a step, on a GPU or on SwiftShader. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { paddedLength } from "../../../src/encoder/batching.js";
import { encode, openModel } from "../../../src/encoder/encode-model.js";
import { openEngine } from "../../../src/training/engine.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { somePairs } from "../../training/pairs-folder.js";
import { tinyData, tinyProgram } from "../../training/tiny-program.js";
import { watchTransfers } from "./transfers.js";
import { webgpuWorks } from "./webgpu-device.js";

const device = "webgpu";

describe.skipIf(!(await webgpuWorks()))("transfers to and from WebGPU", () => {
  let watch: ReturnType<typeof watchTransfers>;
  beforeEach(() => {
    watch = watchTransfers();
  });
  afterEach(() => watch.end());

  it("encodes a batch in one run: token ids and mask go in, one vector of each phrase comes back", async () => {
    const folder = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
    const open = await openModel({ folder, device, threads: 1, precision: "full" });
    const phrases = somePairs(40).map(([text]) => text);
    const parts = [{ output: "embedding", dimension: 32, length: "unit" }] as const;
    const batchSize = 16;
    await encode(open, { phrases, prompt: "", parts, batchSize, state: new Int32Array(2) });
    const runs = watch.take();
    let rows = 0;
    const shapes = new Set<number>();
    for (const { up, down } of runs) {
      expect(Object.keys(up).sort()).toEqual(["attention_mask", "input_ids"]);
      expect(Object.keys(down)).toEqual(["embedding"]);
      const batch = down.embedding / (4 * 32);
      const length = up.input_ids / (8 * batch);
      expect(length).toBe(paddedLength(length));
      shapes.add(length);
      rows += batch;
    }
    expect(rows).toBe(40);
    // phrases have 5 to 11 tokens: two lengths
    expect([...shapes].sort((a, b) => a - b)).toEqual([8, 16]);
    const { MemcpyToHost = 0, MemcpyFromHost } = watch.copies();
    expect(MemcpyToHost).toBe(0);
    // ids, positions, and the mask in two shapes
    expect(MemcpyFromHost / runs.length).toBeLessThanOrEqual(4);
    await open.session.release();
  });

  it("takes a step in two runs: the batch and three numbers go in, losses and the norm come back", async () => {
    const engine = await openEngine(tinyProgram(), { device });
    const first = await tinyData.batch(0);
    const warm = await engine.step(first, 0.01);
    expect(warm.finite).toBe(true);
    watch.take();
    for (let step = 1; step <= 3; step++) {
      const { feeds } = await tinyData.batch(step);
      await engine.step({ feeds, phrases: 12 }, 0.01);
      const [gradients, adam, ...more] = watch.take();
      expect(more).toEqual([]);
      const batchBytes = Object.entries(feeds).map(([name, { data }]) => [name, data.byteLength]);
      expect(gradients).toEqual({ up: Object.fromEntries(batchBytes), down: {} });
      expect(adam).toEqual({ up: { scalars: 12 }, down: { report: 8 } });
    }
    const copies = watch.copies();
    expect(copies.MemcpyToHost ?? 0).toBe(0);
    await engine.release();
  });
});
