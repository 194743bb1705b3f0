/** What crosses between main memory and WebGPU in a batch and in a step, on a GPU or on SwiftShader. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { encode, type OpenModel, openModel } from "../../../src/encoder/encode-model.js";
import type { EncodeRequest } from "../../../src/encoder/encode-protocol.js";
import { openEngine } from "../../../src/training/engine.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { pearlTask } from "../../training/gradients/pearl-task.js";
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

  /** A session whose only upload in each run is the packed batch. */
  const onlyPacked = (runs: number) => ({
    ...{ runs, inputs: { packed: runs }, toDevice: 0, toHost: 0 },
    kernels: expect.any(Number),
  });

  it("encodes a batch in one run and one upload; a prompt's ids go in once, and vectors equal the CPU's", async () => {
    const folder = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
    const phrases = somePairs(40).map(([text]) => text);
    const parts = [{ output: "embedding", dimension: 32, length: "unit" }] as const;
    const [gpu, cpu] = await Promise.all(
      ([device, "cpu"] as const).map((on) =>
        openModel({ folder, device: on, threads: 1, precision: "full" }),
      ),
    );
    const lengths = new Set<number>();
    let batches = 0;
    // ids that stay on the device: [CLS], and the prompt's
    for (const [prompt, kept] of [
      ["", 1],
      ["t200 t201 ", 3],
      ["t200 t201 ", 3],
    ] as const) {
      const request = { phrases, prompt, parts, batchSize: 16, state: new Int32Array(2) };
      const { vectors } = await encode(gpu, request);
      const runs = watch.take();
      const starts = runs.filter(({ up }) => "packed" in up);
      const downloads = runs.filter(({ down }) => "copy" in down);
      // all batches are started before the first one's outputs are waited for
      expect(starts.length).toBeGreaterThan(2);
      expect(runs.slice(-2 * starts.length)).toEqual([...starts, ...downloads]);
      let [rows, allTokens] = [0, 0];
      for (const [i, { up, down }] of starts.entries()) {
        expect(down).toEqual({});
        expect(downloads[i].up).toEqual({});
        const batch = downloads[i].down.copy / (4 * 32);
        const length = up.input_ids / (8 * batch);
        // ids without those on the device, token types, positions, and the mask in two shapes
        const inRows = batch * (length - kept) + length + 3 * batch * length;
        // where each token stands, and which token at each place
        const tokens = up.packed / 4 - inRows - batch * length;
        expect(tokens).toBeGreaterThan(batch);
        expect(tokens).toBeLessThanOrEqual(batch * length);
        allTokens += tokens;
        lengths.add(length);
        rows += batch;
      }
      expect(rows).toBe(40);
      expect(allTokens).toBe(await tokensIn(cpu, { ...request, state: new Int32Array(2) }));
      batches += starts.length;
      const expected = (await encode(cpu, request)).vectors;
      vectors.forEach((x, i) => {
        expect(Math.abs(x - expected[i])).toBeLessThan(1e-5);
      });
    }
    // a batch is as long as its longest phrase, and no length needs kernels of its own
    expect(lengths.size).toBeGreaterThan(3);
    const [batchSession, downloads, openings] = watch.copies();
    expect(batchSession).toEqual(onlyPacked(batches));
    expect(batchSession.kernels).toBeLessThan(40);
    expect(downloads).toMatchObject({ runs: batches, inputs: {}, toDevice: 0 });
    // one upload for both calls with the same prompt
    expect(openings).toMatchObject({ runs: 2, inputs: { ids: 2 }, toDevice: 0, toHost: 0 });
    await Promise.all([gpu.session.release(), cpu.session.release()]);
  });

  it("takes a step in two runs: one vector and three numbers go in, losses and the norm come back", async () => {
    const engine = await openEngine(tinyProgram(), { device });
    watch.take();
    for (let step = 0; step < 3; step++) {
      const { feeds } = await tinyData.batch(step);
      expect((await engine.step({ feeds, phrases: 12 }, 0.01)).finite).toBe(true);
      const [gradients, adam, ...more] = watch.take();
      expect(more).toEqual([]);
      // ids and mask, 12 rows of 4
      expect(gradients.up.packed).toBeGreaterThanOrEqual(4 * 2 * 12 * 4);
      expect(gradients.down).toEqual({});
      expect(adam).toEqual({ up: { scalars: 12 }, down: { report: 8 } });
    }
    // the state's upload and the weights cut from it come first
    const [, , gradients, adam] = watch.copies();
    expect(gradients).toEqual(onlyPacked(3));
    expect(adam).toMatchObject({ runs: 3, inputs: { scalars: 3 }, toDevice: 0, toHost: 0 });
    await engine.release();
  });

  it("uploads a batch of PEARL's loss with dropout once for each of its runs: whole, and in chunks", async () => {
    const { program, batch } = await pearlTask(device);
    const [engine, onCpu] = await Promise.all(
      [device, "cpu" as const].map((on) => openEngine(program, { device: on as "cpu" })),
    );
    const [whole, cut] = [batch({ cells: 1e9, overhead: 1e9 }), batch({ cells: 100 })];
    const chunks = cut.chunks?.length as number;
    expect(chunks).toBeGreaterThan(1);
    for (const feeds of [whole, cut]) {
      const [found, expected] = [await engine.step(feeds, 1e-3), await onCpu.step(feeds, 1e-3)];
      for (const [name, loss] of Object.entries(expected.losses))
        expect(Math.abs(found.losses[name] - loss), name).toBeLessThan(1e-4);
      expect(Math.abs(found.gradientNorm / expected.gradientNorm - 1)).toBeLessThan(1e-3);
    }
    const perRun = watch.copies().filter(({ inputs }) => "packed" in inputs);
    // whole, once; and chunks forward, the loss, and chunks backward
    expect(perRun).toEqual([onlyPacked(1), onlyPacked(chunks), onlyPacked(1), onlyPacked(chunks)]);
    await Promise.all([engine.release(), onCpu.release()]);
  });
});

/** The tokens of all phrases, without padding. */
async function tokensIn(open: OpenModel, request: EncodeRequest): Promise<number> {
  const parts = [{ output: "tokens", dimension: 1, length: "raw" }] as const;
  return (await encode(open, { ...request, parts })).vectors.reduce((sum, count) => sum + count, 0);
}
