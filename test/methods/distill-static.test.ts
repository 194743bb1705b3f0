/** Static models distilled from a transformer, whose token vectors are worked out again from what the transformer encodes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withEncoder } from "../../src/encoder/with-encoder.js";
import { type DistillReport, distillStatic } from "../../src/methods/distill-static.js";
import { toFloat32 } from "../../src/onnx/io/float16.js";
import { readSafetensors } from "../../src/onnx/io/safetensors.js";
import { readJsonFile } from "../encoder/fixture-models.js";
import { load } from "../encoder/load.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { newFolder } from "../setup/new-folder.js";

/** Words t0 to t499, 32 dimensions; t0, t101 and t102 are special, t3 is a token for later use, t100 the unknown one. */
const base = makeOracleModel("encoder.folded.onnx", {
  "README.md": "---\nlicense: mit\nmodel-index: []\n---\n",
});
const tokenizerFile = join(base, "tokenizer.json");
writeFileSync(tokenizerFile, readFileSync(tokenizerFile, "utf8").replace('"t3":', '"[unused3]":'));
const tokens = Array.from({ length: 500 }, (_, id) => id).filter((id) => ![0, 3, 101, 102].includes(id));

const parent = newFolder();
const distilled = async (dims: number, sif?: number) => {
  const path = join(parent, `static-${dims}-${sif}`);
  return { path, report: await distillStatic(base, path, { dims, sif, threads: 1 }) };
};
const rowsOf = (path: string): Float32Array[] => {
  const table = toFloat32(readSafetensors(join(path, "model.safetensors")).get("embeddings")!)!;
  const [rows, width] = table.dims;
  return Array.from({ length: rows }, (_, row) =>
    (table.data as Float32Array).subarray(row * width, (row + 1) * width),
  );
};
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, at) => sum + value * b[at], 0);
const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

let whole: { path: string; report: DistillReport };
/** By id: the base's vectors without their mean, weighed. */
let expected: Map<number, number[]>;
beforeAll(async () => {
  whole = await distilled(32, 1e-2);
  const words = tokens.map((id) => `t${id}`);
  const vectors = await withEncoder(undefined, { source: base, threads: 1 }, (encoder) =>
    encoder.encode(words, { normalize: false }),
  );
  const mean = Array.from({ length: 32 }, (_, at) => vectors.reduce((sum, row) => sum + row[at], 0) / 496);
  // Zipf: the k-th of n words has the probability 1 / (k + 1), over the sum of these.
  const harmonic = tokens.reduce((sum, _, place) => sum + 1 / (place + 2), 0);
  expected = new Map(
    tokens.map((id, place) => {
      const weight = 1e-2 / (1e-2 + 1 / ((place + 2) * harmonic));
      return [id, Array.from(vectors[place], (value, at) => weight * (value - mean[at]))];
    }),
  );
});

describe("a static model of all the base's dimensions", () => {
  it("has the base's token vectors, centred, weighed and turned", () => {
    const rows = rowsOf(whole.path);
    expect(rows).toHaveLength(500);
    for (const [first, second] of [
      [1, 2],
      [4, 499],
      [99, 250],
    ]) {
      const [a, b] = [expected.get(first)!, expected.get(second)!];
      expect(Math.abs(dot(rows[first], rows[second]) - dot(a, b))).toBeLessThan(
        2e-3 * Math.sqrt(dot(a, a) * dot(b, b)),
      );
    }
    expect(whole.report).toMatchObject({ tokens: 496, dimension: 32, kept: expect.closeTo(1, 4) });
  });

  it("has zeros for special tokens and tokens for later use", () => {
    const rows = rowsOf(whole.path);
    for (const id of [0, 3, 101, 102]) expect(dot(rows[id], rows[id])).toBe(0);
    for (const id of tokens) expect(dot(rows[id], rows[id])).toBeGreaterThan(0);
  });

  it("encodes a phrase as the mean of its tokens' vectors, in any order, without the unknown one", async () => {
    const phrases = ["t1 t400 t7", "t7 t1 t400", "t1 nowhere t400 t7", "t20 t30"];
    const [first, turned, unknown, other] = await (await load(whole.path, { threads: 1 })).encode(phrases);
    expect(cosine(first, turned)).toBeCloseTo(1, 5);
    expect(cosine(first, unknown)).toBeCloseTo(1, 5);
    const sum = (...ids: number[]) =>
      Array.from({ length: 32 }, (_, at) => ids.reduce((total, id) => total + expected.get(id)![at], 0));
    expect(cosine(first, other)).toBeCloseTo(cosine(sum(1, 400, 7), sum(20, 30)), 3);
  });
});

describe("a static model of fewer dimensions", () => {
  it("keeps those with most of the variance, in this order", async () => {
    const four = await distilled(4, 1e-2);
    const [short, long] = [rowsOf(four.path), rowsOf(whole.path)];
    const cosines = tokens.map((id) => Math.abs(cosine(short[id], long[id].subarray(0, 4))));
    expect(Math.min(...cosines)).toBeGreaterThan(0.999);
    const spread = Array.from({ length: 32 }, (_, at) =>
      tokens.reduce((sum, id) => sum + long[id][at] ** 2, 0),
    );
    expect(spread[0]).toBeGreaterThan(spread[3]);
    expect(spread[3]).toBeGreaterThan(spread[31]);
    expect(four.report.kept).toBeGreaterThan(4 / 32);
    expect(four.report.kept).toBeLessThan(1);
  });
});

describe("the folder", () => {
  it("has model2vec's files, and the base's licence without its scores", () => {
    expect(readJsonFile(join(whole.path, "config.json"))).toMatchObject({
      ...{ model_type: "model2vec", architectures: ["StaticModel"], hidden_dim: 32, normalize: true },
      ...{ apply_pca: 32, sif_coefficient: 1e-2, max_length: 512 },
    });
    expect(readJsonFile(join(whole.path, "tokenizer.json"))).toMatchObject({
      ...{ post_processor: null, padding: null, truncation: { max_length: 512, strategy: "LongestFirst" } },
    });
    expect(readJsonFile(join(whole.path, "modules.json"))).toMatchObject([
      { path: ".", type: "sentence_transformers.models.StaticEmbedding" },
      { path: "1_Normalize", type: "sentence_transformers.models.Normalize" },
    ]);
    const card = readFileSync(join(whole.path, "README.md"), "utf8");
    expect(card).toMatch(/^license: mit$/m);
    expect(card).not.toContain("model-index");
  });
});
