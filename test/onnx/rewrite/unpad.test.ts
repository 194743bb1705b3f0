import { describe, expect, it } from "vitest";
import { encoderGraph } from "../../../src/architectures/transformer/bert.js";
import { fromSeed } from "../../../src/nn/net.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { readModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { prepareForInference } from "../../../src/onnx/rewrite/fuse.js";
import { fuseAttention, fuseBiases, splitGemms } from "../../../src/onnx/rewrite/fuse-attention.js";
import { placeTokens, tokenPlaces, tokensOf, unpad } from "../../../src/onnx/rewrite/unpad.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { encoderFeeds, exportNames, exportPath, largestDifference, ort, runModel } from "../oracle.js";

const fused = (name: string) => fuseBiases(fuseAttention(prepareForInference(readModel(exportPath(name)))));

/** Inputs of rows that end in padding. */
function feedsOf(ids: number[][], padding: number) {
  const mask = ids.map((row) => row.map((id) => (id === padding ? 0 : 1)));
  const { places, tokens } = tokensOf(mask.flat());
  const feeds = {
    ...encoderFeeds(ids, mask),
    [tokenPlaces]: new ort.Tensor("int32", places, [places.length]),
    [placeTokens]: new ort.Tensor("int32", tokens, [ids.length, ids[0].length]),
  };
  return { mask, feeds };
}

type Outputs = Awaited<ReturnType<typeof runModel>>;

/** Equal states of tokens; those of padding may differ. */
function expectStates(found: Outputs, expected: Outputs, mask: number[][], width: number): void {
  expect(found.last_hidden_state.dims).toEqual([mask.length, mask[0].length, width]);
  const [a, b] = [found, expected].map((outputs) => outputs.last_hidden_state.data as Float32Array);
  mask.flat().forEach((counts, place) => {
    const tokens = [a, b].map((states) => states.subarray(width * place, width * (place + 1)));
    if (counts) expect(largestDifference(tokens[0], tokens[1])).toBeLessThan(3e-6);
  });
}

describe("tokensOf", () => {
  it("numbers the places that count, row by row", () => {
    const { places, tokens } = tokensOf([1, 1, 0, 1, 0, 0, 1, 1, 1]);
    expect([...places]).toEqual([0, 1, 3, 6, 7, 8]);
    // padding reads any token
    expect([...tokens]).toEqual([0, 1, 0, 2, 0, 0, 3, 4, 5]);
  });

  it("takes a mask of ONNX Runtime's", () => {
    expect([...tokensOf(BigInt64Array.from([1n, 0n, 1n])).places]).toEqual([0, 2]);
  });
});

describe("unpad", () => {
  it.each(["bert", "roberta"])(
    "gives pearl's own graph of %s, where tokens are one list, the same states",
    async (family) => {
      const sizes = { hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 24 };
      const model = encoderGraph(
        { ...sizes, model_type: family, vocab_size: 50, max_position_embeddings: 20, type_vocab_size: 2 },
        fromSeed(1),
      );
      const plain = prepareForInference(model);
      const unpadded = unpad(fuseBiases(fuseAttention(splitGemms(plain))), "long") as Model;
      const counts = (op: string) => unpadded.graph.nodes.filter((node) => node.op === op).length;
      expect(["MultiHeadAttention", "SkipLayerNormalization", "BiasGelu", "Gemm"].map(counts)).toEqual([
        2, 4, 2, 0,
      ]);
      // to each attention and back, the embeddings, and the result
      expect(counts("Gather") - plain.graph.nodes.filter(({ op }) => op === "Gather").length).toBe(6);
      const ids = [
        [5, 7, 9, 21],
        [11, 13, 1, 1],
        [15, 1, 1, 1],
      ];
      const { mask, feeds } = feedsOf(ids, 1);
      expectStates(await runModel(unpadded, feeds), await runModel(model, feeds), mask, 16);
    },
  );

  const cases = exportNames.flatMap((name) => [[name, "short"] as const, [name, "long"] as const]);
  it.each(cases)(
    "%s, %s rows: gives tokens their states, in products over them alone",
    async (name, rows) => {
      const model = fused(name);
      const unpadded = unpad(model, rows) as Model;
      const attention = rows === "short" ? "Einsum" : "MultiHeadAttention";
      expect(unpadded.graph.nodes.some(({ op }) => op === attention)).toBe(true);
      const ids = [
        [5, 7, 9, 21],
        [11, 13, 0, 0],
        [15, 0, 0, 0],
        [17, 18, 19, 0],
      ];
      const { mask, feeds } = feedsOf(ids, 0);
      const inner = unpadded.graph.nodes.filter(({ op }) => op === "SkipLayerNormalization");
      unpadded.graph.outputs.push(...inner.map(({ outputs: [output] }) => ({ name: output })));
      const found = await runModel(unpadded, feeds);
      expectStates(found, await runModel(readModel(exportPath(name)), feeds), mask, 32);
      expect(inner).toHaveLength(4);
      for (const { outputs } of inner) expect(found[outputs[0]].dims).toEqual([10, 32]);
    },
  );

  it("is not for graphs without attention, or with attention that masks in another way", () => {
    const g = new GraphBuilder();
    g.output("y", g.add("Exp", [g.input("x", "float32", ["n"])]));
    expect(unpad(g.model(), "short")).toBeUndefined();
    const [weight, bias] = [
      tensor("float32", [2, 6], Array(12).fill(1)),
      tensor("float32", [6], Array(6).fill(1)),
    ];
    const h = new GraphBuilder();
    const x = h.input("x", "float32", ["rows", "length", 2]);
    const mask = h.input("mask", "int32", ["rows", "length"]);
    const inputs = [x, h.weight("w", weight), h.weight("b", bias), mask];
    h.output("y", h.add("Attention", inputs, { num_heads: 1 }, { domain: "com.microsoft" }));
    expect(unpad(h.model(), "short")).toBeUndefined();
  });
});
