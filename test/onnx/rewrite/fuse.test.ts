import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { prepareForInference } from "../../../src/onnx/rewrite/fuse.js";
import { fuseAttention, fuseBiases, splitGemms } from "../../../src/onnx/rewrite/fuse-attention.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { countOf, encoderFeeds, expectEqual, exportNames, exportPath, goldenFeeds, ort } from "../oracle.js";

const numbers = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(seed + 7 * i));

describe("the exported encoders", () => {
  it.each(exportNames)("%s: attention, biases and residuals are fused in both layers", async (name) => {
    const model = readModel(exportPath(name));
    const prepared = prepareForInference(model);
    const fused = fuseBiases(fuseAttention(prepared));
    const ops = ["Attention", "SkipLayerNormalization", "BiasGelu", "MatMul", "LayerNormalization", "Expand"];
    // of each layer's six products, three are in Attention; the first norm follows the embeddings
    expect(ops.map((op) => countOf(fused, op))).toEqual([2, 4, 2, 6, 1, 1]);
    for (const op of ["Gelu", "Softmax", "Transpose", "Reshape", "Flatten"])
      expect(countOf(fused, op)).toBe(0);
    expect(countOf(fused, "Add")).toBe(2);
    await expectEqual(model, fused, goldenFeeds(), 3e-6);
    const ids = [
      [5, 7, 9],
      [11, 13, 0],
      [15, 0, 0],
    ];
    const mask = ids.map((row) => row.map((id) => (id === 0 ? 0 : 1)));
    await expectEqual(model, fused, encoderFeeds(ids, mask), 3e-6);
  });
});

describe("fuseAttention", () => {
  const [batch, tokens, count, size] = [2, 3, 2, 4];
  const width = count * size;

  interface Form {
    /** How query, key and value are cut into heads, and the heads joined. */
    split?: "sizes" | "zeros" | "minus one" | "swapped sizes";
    keys?: "once" | "twice" | "not transposed back";
    scale?: "Div" | "Mul";
    /** Shape of the mask. */
    mask?: number[];
    /** Columns of the key's weight come from another input. */
    other?: boolean;
    bias?: "each column" | "one number";
  }

  /** Self-attention in one of the ways in which exporters write it. */
  function written({
    split = "sizes",
    keys = "once",
    scale = "Div",
    mask = [batch, 1, 1, tokens],
    other,
    bias,
  }: Form) {
    const g = new GraphBuilder();
    const x = g.input("x", "float32", ["batch", "tokens", width]);
    const second = other ? g.input("second", "float32", ["batch", "tokens", width]) : x;
    const shaped = (value: string, ...rest: number[]) => {
      if (split === "zeros") return g.add("Reshape", [value, g.ints(0, 0, ...rest)]);
      if (split === "minus one") return g.add("Reshape", [value, g.ints(0, -1, ...rest)]);
      const axes = split === "swapped sizes" ? [1, 0] : [0, 1];
      const sizes = axes.map((axis) => g.add("Gather", [g.add("Shape", [value]), g.scalar("int64", axis)]));
      const listed = sizes.map((axis) => g.add("Unsqueeze", [axis, g.ints(0)]));
      return g.add("Reshape", [
        value,
        g.add("Concat", [...listed, ...rest.map((n) => g.ints(n))], { axis: 0 }),
      ]);
    };
    const heads = (part: string, seed: number) => {
      const weight = g.weight(
        `${part}.weight`,
        tensor("float32", [width, width], numbers(width * width, seed)),
      );
      const length = bias === "one number" ? 1 : width;
      const shift = g.weight(`${part}.bias`, tensor("float32", [length], numbers(length, seed + 1)));
      const from = part === "key" ? second : x;
      return shaped(g.add("Add", [g.add("MatMul", [from, weight]), shift]), count, size);
    };
    const byHead = (value: string) => g.add("Transpose", [value], { perm: [0, 2, 1, 3] });
    const key = heads("key", 2);
    const turned =
      keys === "once"
        ? g.add("Transpose", [key], { perm: [0, 2, 3, 1] })
        : g.add("Transpose", [byHead(key)], { perm: keys === "twice" ? [0, 1, 3, 2] : [0, 1, 2, 3] });
    // with as many tokens as numbers in a head, keys that were not transposed can be multiplied, too
    const products = g.add("MatMul", [byHead(heads("query", 1)), turned]);
    const scores = g.add(scale, [products, g.scalar("float32", scale === "Div" ? 3 : 0.3)]);
    const all = mask.reduce((a, b) => a * b, 1);
    const hidden = g.weight(
      "mask",
      tensor(
        "float32",
        mask,
        Float32Array.from({ length: all }, (_, i) => (i % tokens === 2 ? -1e9 : 0.1 * i)),
      ),
    );
    const probabilities = g.add("Softmax", [g.add("Add", [hidden, scores])], { axis: -1 });
    const mixed = byHead(g.add("MatMul", [probabilities, byHead(heads("value", 3))]));
    g.output("y", shaped(mixed, width), "float32", ["batch", "tokens", width]);
    return g.model();
  }
  const input = (seed: number) =>
    new ort.Tensor("float32", numbers(batch * tokens * width, seed), [batch, tokens, width]);

  it.each<Form>([
    {},
    { split: "zeros" },
    { split: "minus one" },
    { keys: "twice" },
    { scale: "Mul" },
    { mask: [1, 1, tokens, tokens] },
    { mask: [batch, count, tokens, tokens] },
    { mask: [tokens] },
  ])("finds the form %o", async (form) => {
    const model = written(form);
    const fused = fuseAttention(model);
    expect([countOf(fused, "Attention"), countOf(fused, "MatMul")]).toEqual([1, 0]);
    await expectEqual(model, fused, { x: input(5) }, 3e-6);
  });

  it.each<Form>([
    { split: "swapped sizes" },
    { keys: "not transposed back" },
    { other: true },
    { bias: "one number" },
  ])("keeps what only resembles it: %o", (form) => {
    const model = written(form);
    expect(fuseAttention(model)).toEqual(model);
  });
});

describe("splitGemms", () => {
  const product = (attributes: Record<string, number>) => {
    const g = new GraphBuilder();
    const x = g.input("x", "float32", ["rows", 3]);
    const dims = attributes.transB ? [2, 3] : [3, 2];
    const weight = g.weight("weight", tensor("float32", dims, numbers(6, 1)));
    const bias = g.weight("bias", tensor("float32", [2], [0.5, -1]));
    g.output("y", g.add("Gemm", [x, weight, bias], attributes), "float32", ["rows", 2]);
    return g.model();
  };

  it.each<Record<string, number>>([{}, { transB: 1 }, { alpha: 1, beta: 1, transB: 1 }])(
    "makes MatMul and Add of %o",
    async (form) => {
      const split = splitGemms(product(form));
      expect(split.graph.nodes.map(({ op }) => op)).toEqual(["MatMul", "Add", "Identity"]);
      await expectEqual(product(form), split, { x: new ort.Tensor("float32", numbers(12, 2), [4, 3]) }, 3e-6);
    },
  );

  it.each<Record<string, number>>([{ alpha: 0.5 }, { beta: 2 }])("keeps a Gemm with factors: %o", (form) => {
    expect(countOf(splitGemms(product(form)), "Gemm")).toBe(1);
  });
});

describe("fuseBiases", () => {
  const width = 4;

  /** A feed-forward block with its residual connection, or something like it. */
  function block(
    form: "block" | "another residual" | "unnormed residual" | "bias of one number" | "first axis",
  ) {
    const g = new GraphBuilder();
    const x = g.input("x", "float32", ["rows", width]);
    const weight = (name: string, ...dims: number[]) =>
      g.weight(
        name,
        tensor(
          "float32",
          dims,
          numbers(
            dims.reduce((a, b) => a * b, 1),
            name.length,
          ),
        ),
      );
    const norm = (value: string, name: string) =>
      g.add("LayerNormalization", [value, weight(`${name}.scale`, width), weight(`${name}.bias`, width)], {
        axis: -1,
        epsilon: 1e-3,
      });
    const linear = (value: string, name: string, from: number, to: number) =>
      g.add("Add", [
        weight(`${name} bias`, form === "bias of one number" ? 1 : to),
        g.add("MatMul", [value, weight(`${name} weight`, from, to)]),
      ]);
    const first = norm(x, "first");
    const inner = g.add("Gelu", [linear(first, "inner", width, 6)], {}, { domain: "com.microsoft" });
    const outer = linear(form === "first axis" ? g.add("Transpose", [inner]) : inner, "outer", 6, width);
    const residual = { "another residual": norm(x, "other"), "unnormed residual": x } as Record<
      string,
      string
    >;
    g.output("y", norm(g.add("Add", [outer, residual[form] ?? first]), "last"), "float32", ["rows", width]);
    return g.model();
  }

  it("fuses a block's two biases and its residual connection", async () => {
    const model = block("block");
    const fused = fuseBiases(model);
    const ops = fused.graph.nodes.map(({ op }) => op);
    expect(ops).toEqual([
      "LayerNormalization",
      "MatMul",
      "BiasGelu",
      "MatMul",
      "SkipLayerNormalization",
      "Identity",
    ]);
    await expectEqual(
      model,
      fused,
      { x: new ort.Tensor("float32", numbers(3 * width, 1), [3, width]) },
      3e-6,
    );
  });

  it.each(["another residual", "unnormed residual", "bias of one number", "first axis"] as const)(
    "keeps a norm that may broadcast: %s",
    (form) => {
      expect(countOf(fuseBiases(block(form)), "SkipLayerNormalization")).toBe(0);
    },
  );
});
