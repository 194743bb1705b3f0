import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModel } from "../../src/onnx/io/file.js";
import { prepareForInference } from "../../src/onnx/rewrite/fuse.js";
import { quantizeDynamic } from "../../src/onnx/rewrite/quantize.js";
import { encoderFeeds, largestDifference, runModel } from "./oracle.js";

describe("the model folder of E5's shape, made small", () => {
  const folder = mkdtempSync(join(tmpdir(), "pearl-e5-shape-"));
  const shape = { vocabulary: 2000, hidden: 48, layers: 2, heads: 4, feedForward: 96, positions: 32 };
  const path = join(folder, "one", "onnx", "model.onnx");
  let makeModelFolder: (folder: string, shape: Record<string, number>) => void;
  beforeAll(async () => {
    const script = new URL("../../scripts/make-e5-shape.mjs", import.meta.url).href;
    ({ makeModelFolder } = (await import(script)) as { makeModelFolder: typeof makeModelFolder });
    makeModelFolder(join(folder, "one"), shape);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const feeds = encoderFeeds(
    [
      [101, 7, 1999, 102],
      [101, 500, 102, 0],
    ],
    [
      [1, 1, 1, 1],
      [1, 1, 1, 0],
    ],
  );

  it("has the same bytes when written twice", () => {
    makeModelFolder(join(folder, "two"), shape);
    for (const file of ["config.json", "tokenizer.json", "onnx/model.onnx"])
      expect(readFileSync(join(folder, "two", file)).equals(readFileSync(join(folder, "one", file)))).toBe(
        true,
      );
  });

  it("runs, and padding changes nothing", async () => {
    const model = readModel(path);
    const both = (await runModel(model, feeds)).last_hidden_state;
    expect(both.dims).toEqual([2, 4, 48]);
    const alone = (await runModel(model, encoderFeeds([[101, 500, 102]], [[1, 1, 1]]))).last_hidden_state;
    const padded = (both.data as Float32Array).subarray(4 * 48, 7 * 48);
    expect(largestDifference(padded, alone.data as Float32Array)).toBeLessThan(1e-5);
  });

  it("is rewritten like a real export", async () => {
    const model = readModel(path);
    const prepared = prepareForInference(model);
    const ops = prepared.graph.nodes.map((node) => node.op);
    expect(ops.filter((op) => op === "LayerNormalization")).toHaveLength(5);
    expect(ops.filter((op) => op === "Gelu")).toHaveLength(2);
    const [before, after] = [await runModel(model, feeds), await runModel(prepared, feeds)];
    const states = [before, after].map((outputs) => outputs.last_hidden_state.data as Float32Array);
    expect(largestDifference(states[0], states[1])).toBeLessThan(1e-5);
    const integer = quantizeDynamic(model).graph.nodes.filter((node) => node.op === "MatMulInteger");
    expect(integer).toHaveLength(12);
  });

  it("tokenises as an uncased BERT does", () => {
    const json = (name: string) => JSON.parse(readFileSync(join(folder, "one", name), "utf8"));
    const tokenizer = new Tokenizer(json("tokenizer.json"), json("tokenizer_config.json"));
    const { tokens } = tokenizer.encode("Größe of the WATER, x9");
    expect(tokens[0]).toBe("[CLS]");
    expect(tokens.at(-1)).toBe("[SEP]");
    expect(tokens).toEqual(expect.arrayContaining(["of", "the", "water", ","]));
    expect(json("tokenizer.json").model.vocab["[PAD]"]).toBe(0);
    expect(Object.keys(json("tokenizer.json").model.vocab)).toHaveLength(2000);
  });
});
