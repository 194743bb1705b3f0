import { beforeAll, describe, expect, it } from "vitest";
import { encoderGraph } from "../../../src/architectures/transformer/bert.js";
import { fromSeed } from "../../../src/nn/net.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { readModel } from "../../../src/onnx/io/file.js";
import type { Model, Node } from "../../../src/onnx/model.js";
import { observeShapes } from "../../../src/onnx/observe-shapes.js";
import { addDropout } from "../../../src/onnx/rewrite/dropout.js";
import { dropoutSeed } from "../../../src/onnx/rewrite/dropout-mask.js";
import { forGpuTraining } from "../../../src/onnx/rewrite/gpu-training.js";
import { placeTokens, tokenPlaces } from "../../../src/onnx/rewrite/unpad.js";
import { unpadTraining } from "../../../src/onnx/rewrite/unpad-training.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { prepareForTraining } from "../../../src/pearl/loss/program.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { countOf, encoderFeeds, exportNames, exportPath, ort, runModel } from "../oracle.js";
import { sampleFeeds } from "../sample-feeds.js";

async function unpadded(model: Model): Promise<Model | undefined> {
  const feeds = sampleFeeds(model, { batch_size: 6, sequence_length: 5 });
  const open = (bytes: Uint8Array) => createOrtSession(bytes, { optimization: "disabled" });
  return unpadTraining(model, await observeShapes(model, feeds, open));
}

/** Rows of these lengths. */
const masksOf = (lengths: readonly number[], length: number): number[][] =>
  lengths.map((own) => Array.from({ length }, (_, place) => (place < own ? 1 : 0)));
const idsOf = (mask: number[][]): number[][] =>
  mask.map((row, i) => row.map((kept, place) => kept * (5 + ((7 * i + 3 * place) % 40))));

const exported = (name: string) => prepareForTraining(readModel(exportPath(name)));
const own = (family: "bert" | "roberta") => {
  const sizes = { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 48 };
  const tables = { vocab_size: 60, max_position_embeddings: 20, type_vocab_size: 2 };
  return prepareForTraining(encoderGraph({ ...sizes, ...tables, model_type: family }, fromSeed(1)));
};
const models: [string, () => Model][] = [
  ...exportNames.map((name): [string, () => Model] => [name, () => exported(name)]),
  ["pearl's own graph", () => own("bert")],
  ["pearl's own graph of RoBERTa", () => own("roberta")],
];

describe("the lists of tokens", () => {
  let lists: Model;
  beforeAll(async () => {
    lists = (await unpadded(own("bert"))) as Model;
    lists.graph.outputs = [{ name: tokenPlaces }, { name: placeTokens }];
  });

  const listsFor = async (mask: number[][]) => {
    const found = await runModel(lists, encoderFeeds(idsOf(mask), mask));
    const [places, tokens] = [tokenPlaces, placeTokens].map((name) => Array.from(found[name].data, Number));
    return { places, tokens };
  };

  it("holds the places that count, then some of padding; places that are left out read the last one", async () => {
    const { places, tokens } = await listsFor(masksOf([2, 1, 5, 1], 5));
    expect(places).toEqual([0, 1, 5, 10, 11, 12, 13, 14, 15, 2, 3, 4, 6, 7, 8, 9]);
    expect(tokens).toEqual([0, 1, 9, 10, 11, 2, 12, 13, 14, 15, 3, 4, 5, 6, 7, 8, 15, 15, 15, 15]);
  });

  it("holds all places where rows have no padding", async () => {
    const all = Array.from({ length: 12 }, (_, i) => i);
    expect(await listsFor(masksOf([4, 4, 4], 4))).toEqual({ places: all, tokens: all });
  });

  it("has one of few lengths, at least one above the tokens, and each list undoes the other", async () => {
    const seen = new Set<number>();
    for (let longest = 1; longest <= 16; longest++) {
      const lengths = Array.from({ length: 32 }, (_, row) => 1 + ((5 * row) % longest));
      const mask = masksOf(lengths, 16).flat();
      const { places, tokens } = await listsFor(masksOf(lengths, 16));
      seen.add(places.length);
      const count = lengths.reduce((a, b) => a + b);
      expect(places.length).toBeGreaterThan(count);
      expect(places.length).toBeLessThanOrEqual(Math.max(count + 8, 1.125 * count));
      expect(new Set(places).size).toBe(places.length);
      mask.forEach((kept, place) => {
        if (kept) expect(places[tokens[place]]).toBe(place);
        else expect(mask[places[tokens[place]]]).toBe(0);
      });
    }
    expect(seen.size).toBeLessThan(16);
  });
});

describe("unpadTraining", () => {
  it.each(models)(
    "%s: gives tokens their states, in products and norms of them alone",
    async (name, open) => {
      const model = open();
      for (const graph of [model, forGpuTraining(model)]) {
        const rewritten = (await unpadded(graph)) as Model;
        const mask = masksOf([2, 1, 5, 1], 5);
        const feeds = encoderFeeds(idsOf(mask), mask);
        const expected = (await runModel(model, feeds)).last_hidden_state;
        const reads = ({ inputs }: Node) => rewritten.graph.initializers.has(inputs[1]);
        const byToken = rewritten.graph.nodes.filter(
          (node) => ["LayerNormalization", "Gelu"].includes(node.op) || (node.op === "Gemm" && reads(node)),
        );
        rewritten.graph.outputs.push(...byToken.map(({ outputs: [output] }) => ({ name: output })));
        const found = await runModel(rewritten, feeds);
        // 5 norms, 2 GELUs, and pearl's graph has products as Gemm
        expect(byToken).toHaveLength(name.startsWith("pearl") ? 19 : 7);
        for (const { outputs } of byToken) expect(found[outputs[0]].dims[0]).toBe(16);
        expect(found.last_hidden_state.dims).toEqual([4, 5, 32]);
        mask.flat().forEach((kept, place) => {
          for (let i = 32 * place; i < 32 * (place + 1); i++) {
            const off = Number(found.last_hidden_state.data[i]) - Number(expected.data[i]);
            if (kept) expect(Math.abs(off)).toBeLessThan(3e-6);
          }
        });
      }
    },
  );

  it("drops the elements of the padded graph", async () => {
    const plain = exported("folded");
    const { model } = addDropout(plain, { ratio: 0.3, end: "last_hidden_state" });
    const first = model.graph.nodes.find(({ op }) => op === "LayerNormalization");
    const dropped = model.graph.nodes.find(
      ({ op, inputs }) => op === "Mul" && inputs[0] === first?.outputs[0],
    )?.outputs[0] as string;
    model.graph.outputs.push({ name: dropped });
    const rewritten = (await unpadded(model)) as Model;
    const mask = masksOf([2, 1, 5, 1], 5);
    const seed = new ort.Tensor("int64", BigInt64Array.of(5n), [1]);
    const feeds = { ...encoderFeeds(idsOf(mask), mask), [dropoutSeed]: seed };
    const [expected, found] = [
      (await runModel(model, feeds))[dropped],
      (await runModel(rewritten, feeds))[dropped],
    ];
    let zeros = 0;
    mask.flat().forEach((kept, place) => {
      for (let i = 32 * place; kept && i < 32 * (place + 1); i++) {
        expect(found.data[i] === 0).toBe(expected.data[i] === 0);
        zeros += Number(found.data[i] === 0);
      }
    });
    expect(zeros).toBeGreaterThan(50);
  });

  it("needs two Gathers in each layer", async () => {
    const model = forGpuTraining(exported("folded"));
    const more = countOf((await unpadded(model)) as Model, "Gather") - countOf(model, "Gather");
    // ids, types and positions of the tokens, and the result in rows
    expect(more).toBe(2 * 2 + 3 + 1);
  });
});

describe("graphs that stay padded", () => {
  /** Tokens' vectors, what mixes them, and a product. */
  function mixing(mix: (g: GraphBuilder, x: string, mask: string) => string): Model {
    const g = new GraphBuilder();
    const [ids, mask] = ["input_ids", "attention_mask"].map((name) =>
      g.input(name, "int64", ["batch_size", "sequence_length"]),
    );
    const values = (dims: number[]): Tensor =>
      tensor(
        "float32",
        dims,
        Array.from({ length: dims[0] * dims[1] }, (_, i) => Math.sin(i)),
      );
    const x = g.add("Gather", [g.weight("table", values([9, 4])), ids]);
    g.output("last_hidden_state", g.add("MatMul", [mix(g, x, mask), g.weight("w", values([4, 4]))]));
    return g.model();
  }
  const attention = (g: GraphBuilder, x: string, mask?: string): string => {
    const scores = g.add("MatMul", [x, g.add("Transpose", [x], { perm: [0, 2, 1] })]);
    const added = mask
      ? g.add("Add", [scores, g.add("Unsqueeze", [g.add("Cast", [mask], { to: 1 }), g.ints(1)])])
      : scores;
    return g.add("MatMul", [g.add("Softmax", [added], { axis: -1 }), x]);
  };

  it("are those whose attention reads padding", async () => {
    expect(await unpadded(mixing((g, x, mask) => attention(g, x, mask)))).toBeDefined();
    expect(await unpadded(mixing((g, x) => attention(g, x)))).toBeUndefined();
  });

  it("are those that mix tokens otherwise, or not at all", async () => {
    const shifted = (g: GraphBuilder, x: string) => {
      const last = g.add("Slice", [x, g.ints(1), g.ints(9), g.ints(1)]);
      return g.add("Concat", [last, g.add("Slice", [x, g.ints(0), g.ints(1), g.ints(1)])], { axis: 1 });
    };
    const both = (g: GraphBuilder, x: string, mask: string) =>
      g.add("MatMul", [
        shifted(g, attention(g, x, mask)),
        g.weight("v", tensor("float32", [4, 4], Array(16).fill(1))),
      ]);
    expect(await unpadded(mixing(shifted))).toBeUndefined();
    expect(await unpadded(mixing(both))).toBeUndefined();
    expect(await unpadded(mixing((_, x) => x))).toBeUndefined();
    const g = new GraphBuilder();
    g.output("y", g.add("Exp", [g.input("x", "float32", ["n"])]));
    expect(await unpadded(g.model())).toBeUndefined();
  });
});
