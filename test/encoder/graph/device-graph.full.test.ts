/** The graph for a GPU, computed on the CPU: pooled inside, and in half precision; test/slow/webgpu runs it there. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { pool } from "../../../src/encoder/batching.js";
import { deviceGraph, poolTokens } from "../../../src/encoder/graph/device-graph.js";
import { finetuneOnCorpus } from "../../../src/methods/corpus/corpus-finetune.js";
import { encodeModel, readModel } from "../../../src/onnx/io/file.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import { newFolder } from "../../setup/new-folder.js";
import { corpusPhrases, smallCorpus, smallSettings } from "../../training/small-corpus.js";
import { load } from "../load.js";
import { makeOracleModel, oracleBatch, oracleExports } from "../oracle-model.js";

/** Four rows of up to five tokens. */
const lengths = [5, 2, 4, 1];
function someFeeds(names: readonly string[]): Feeds {
  const at = (value: (row: number, token: number) => number) =>
    BigInt64Array.from({ length: 20 }, (_, i) => BigInt(value(Math.floor(i / 5), i % 5)));
  const data: Record<string, BigInt64Array> = {
    input_ids: at((row, token) => (token < lengths[row] ? 101 + 7 * row + token : 0)),
    attention_mask: at((row, token) => (token < lengths[row] ? 1 : 0)),
    token_type_ids: at(() => 0),
  };
  return Object.fromEntries(names.map((name) => [name, { type: "int64", dims: [4, 5], data: data[name] }]));
}

describe("the graph for a GPU", () => {
  it.each(["mean", "max", "cls"] as const)("pools as the host does: %s", async (pooling) => {
    const folder = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
    const model = await readModel(folder.graph);
    const plain = await createOrtSession(encodeModel(model));
    const pooled = await createOrtSession(encodeModel(poolTokens(model, { pooling })));
    expect(pooled.outputNames).toEqual(["embedding"]);
    const feeds = someFeeds(plain.inputNames);
    const expected = pool(Object.values(await plain.run(feeds))[0], lengths, pooling);
    const { embedding } = await pooled.run(feeds);
    expect(embedding.dims).toEqual([4, 32]);
    expected.forEach((value, i) => {
      expect(Math.abs(Number(embedding.data[i]) - value)).toBeLessThan(1e-5);
    });
    await Promise.all([plain.release(), pooled.release()]);
  });

  it("returns a graph that pools itself as it is", async () => {
    const model = await readModel((await readModelFolder(makeOracleModel("encoder.folded.onnx"))).graph);
    expect(poolTokens(model, { pooling: "none" })).toBe(model);
    const pooled = poolTokens(model, { pooling: "mean" });
    expect(poolTokens(pooled, { pooling: "mean" })).toBe(pooled);
  });

  it.each(oracleExports)(
    "gives PyTorch's vectors to 1e-3 in half precision, in fewer bytes: %s",
    async (graph) => {
      const path = makeOracleModel(graph);
      const encoder = await load(path, { precision: "half", threads: 1 });
      const full = await load(path, { threads: 1 });
      const { phrases, embeddings } = oracleBatch();
      const [vectors, exact] = [await encoder.encode(phrases), await full.encode(phrases)];
      vectors.forEach((vector, row) => {
        const length = Math.hypot(...embeddings[row]);
        for (let i = 0; i < vector.length; i++)
          expect(Math.abs(vector[i] - embeddings[row][i] / length)).toBeLessThan(1e-3);
      });
      expect(vectors).not.toEqual(exact);
      expect(await encoder.fingerprint()).not.toBe(await full.fingerprint());
      const [half, whole] = await Promise.all(
        (["half", "full"] as const).map(async (precision) =>
          encodeModel(await deviceGraph(encoder.model, precision, "cpu")),
        ),
      );
      expect(half.byteLength).toBeLessThan(0.6 * whole.byteLength);
    },
  );

  it("keeps characters and types of a whole model in half precision", async () => {
    const output = join(newFolder(), "model");
    await finetuneOnCorpus({ settings: smallSettings, corpus: await smallCorpus(), output, steps: 30 });
    const [half, full] = await Promise.all(
      (["half", "full"] as const).map((precision) => load(output, { precision, threads: 1 })),
    );
    const phrases = corpusPhrases.map(({ phrase }) => phrase);
    const [found, expected] = [await half.encodeWithTypes(phrases), await full.encodeWithTypes(phrases)];
    const largest = (a: Float32Array, b: Float32Array) =>
      a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
    expect(largest(found.data, expected.data)).toBeLessThan(1e-3);
    expect(largest(found.types, expected.types)).toBeLessThan(1e-2);
    expect(largest(found.data, expected.data)).toBeGreaterThan(0);
  });
});
