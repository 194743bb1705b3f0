import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel, readModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { quantizeDynamic, quantizeMatrix } from "../../../src/onnx/rewrite/quantize.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { exportNames, exportPath, goldenFeeds, ort, runModel } from "../oracle.js";

/** Numbers that look random but are the same in every run. */
const waves = (count: number, step = 1) =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i * i * step));

function productModel(op: "MatMul" | "Gemm", weight: Tensor, attributes = {}, bias?: Tensor): Model {
  const g = new GraphBuilder();
  const inputs = [g.input("x", "float32", ["rows", "in"]), g.weight("w", weight)];
  if (bias) inputs.push(g.weight("b", bias));
  g.output("y", g.add(op, inputs, attributes), "float32", ["rows", "out"]);
  return g.model();
}

async function outputOf(model: Model, x: Float32Array, rows: number): Promise<Float32Array> {
  const { y } = await runModel(model, { x: new ort.Tensor("float32", x, [rows, x.length / rows]) });
  return y.data as Float32Array;
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (p: Float32Array, q: Float32Array) => p.reduce((sum, x, i) => sum + x * q[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe("quantizeMatrix", () => {
  it("rounds each column by its own scale, as computed by hand", () => {
    // columns (1, -0.5, 0.24) and (100, 50, -26): scales 1/4 and 25 for integers up to 4
    const { integers, scales } = quantizeMatrix(Float32Array.of(1, 100, -0.5, 50, 0.24, -26), 2, {
      ...{ per: "column", largest: 4 },
    });
    expect(Array.from(scales)).toEqual([0.25, 25]);
    expect(Array.from(integers)).toEqual([4, 4, -2, 2, 1, -1]);
  });

  it("leaves a column of zeros at zero", () => {
    const { integers, scales } = quantizeMatrix(Float32Array.of(0, 1, 0, -1), 2, {
      ...{ per: "column", largest: 127 },
    });
    expect(Array.from(integers)).toEqual([0, 127, 0, -127]);
    expect(scales[0]).toBe(1);
  });
});

describe("quantizeDynamic", () => {
  it("computes exactly the products of its integers, on an example computed by hand", async () => {
    // x in [-1, 1.55]: scale 0.01, zero point 100. w: scale 1 / 64.
    const weight = tensor("float32", [2, 512], Array(1024).fill(1).fill(-0.5, 512));
    const model = quantizeDynamic(productModel("MatMul", weight));
    const y = await outputOf(model, Float32Array.of(1.55, -1, 0.5, 0.25), 2);
    // (155 · 64 + 100 · 32) · 0.01 / 64 and (50 · 64 - 25 · 32) · 0.01 / 64
    expect(y[0]).toBeCloseTo(2.05, 5);
    expect(y[512]).toBeCloseTo(0.375, 5);
  });

  it("shares the quantised input between products, and the quantised weight between nodes", () => {
    const g = new GraphBuilder();
    const x = g.input("x", "float32");
    const [w, v] = ["w", "v"].map((name) => g.weight(name, tensor("float32", [32, 32], waves(1024))));
    const sum = g.add("Add", [g.add("MatMul", [x, w]), g.add("MatMul", [x, v])]);
    g.output("y", g.add("MatMul", [sum, w]));
    const { graph } = quantizeDynamic(g.model());
    const count = (op: string) => graph.nodes.filter((node) => node.op === op).length;
    expect(count("MatMulInteger")).toBe(3);
    expect(count("DynamicQuantizeLinear")).toBe(2);
    expect([...graph.initializers.keys()].sort()).toEqual(["v_int8", "v_scale", "w_int8", "w_scale"]);
  });

  it.each([{ transB: 0 }, { transB: 1 }])("rewrites Gemm with bias, %o", async (attributes) => {
    const dims = attributes.transB ? [24, 64] : [64, 24];
    const bias = tensor("float32", [24], waves(24, 3));
    const model = productModel("Gemm", tensor("float32", dims, waves(64 * 24)), attributes, bias);
    const x = waves(64 * 10, 2);
    const quantized = quantizeDynamic(model);
    expect(quantized.graph.nodes.map((node) => node.op)).not.toContain("Gemm");
    expect(cosine(await outputOf(model, x, 10), await outputOf(quantized, x, 10))).toBeGreaterThan(0.999);
  });

  it("keeps weights that it cannot improve: small, scaled, batched or computed ones", () => {
    const large = tensor("float32", [64, 64], waves(4096));
    expect(quantizeDynamic(productModel("Gemm", large, { alpha: 2 })).graph.nodes[0].op).toBe("Gemm");
    expect(quantizeDynamic(productModel("MatMul", tensor("float32", [1, 2], [1, 2]))).graph.nodes[0].op).toBe(
      "MatMul",
    );
    const stacked = tensor("float32", [2, 64, 64], waves(8192));
    expect(quantizeDynamic(productModel("MatMul", stacked)).graph.nodes[0].op).toBe("MatMul");
  });

  it("stores a large embedding table in a quarter of the bytes, each row to 1/254 of its largest entry", async () => {
    const g = new GraphBuilder();
    const table = tensor("float32", [1024, 64], waves(65_536));
    g.output("y", g.add("Gather", [g.weight("table", table), g.input("ids", "int64", ["n"])]), "float32");
    const quantized = quantizeDynamic(g.model());
    expect(encodeModel(quantized).length).toBeLessThan(0.28 * encodeModel(g.model()).length);
    const ids = new ort.Tensor("int64", BigInt64Array.of(0n, 1023n, 7n), [3]);
    const [{ y: exact }, { y }] = await Promise.all([g.model(), quantized].map((m) => runModel(m, { ids })));
    const rows = exact.data as Float32Array;
    for (let i = 0; i < rows.length; i++)
      expect(Math.abs(rows[i] - (y.data as Float32Array)[i])).toBeLessThanOrEqual(1 / 254 + 1e-6);
  });

  it("keeps two forms of a weight that is looked up and multiplied, and writes a table once", async () => {
    const g = new GraphBuilder();
    const table = g.weight("table", tensor("float32", [1024, 64], waves(65_536)));
    const ids = g.input("ids", "int64", ["n"]);
    const picked = g.add("Gather", [table, ids]);
    const scores = g.add("Gemm", [picked, table], { transB: 1 });
    g.output("y", g.add("Add", [scores, g.add("ReduceSum", [g.add("Gather", [table, ids])])]), "float32");
    const quantized = quantizeDynamic(g.model());
    const names = [...quantized.graph.initializers.keys()].filter((name) => name.includes("int8"));
    expect(names).toHaveLength(2);
    const feeds = { ids: new ort.Tensor("int64", BigInt64Array.of(3n, 500n), [2]) };
    const [a, b] = await Promise.all([g.model(), quantized].map((m) => runModel(m, feeds)));
    expect(cosine(a.y.data as Float32Array, b.y.data as Float32Array)).toBeGreaterThan(0.999);
  });

  it("upgrades a model that is too old for the operators, with weights listed as inputs", async () => {
    const model = productModel("MatMul", tensor("float32", [64, 24], waves(64 * 24)));
    const old = { ...model, irVersion: 3, opsets: { "": 9 } };
    old.graph.inputs.push({ name: "w", type: "float32", shape: [64, 24] });
    const quantized = quantizeDynamic(old);
    expect(quantized.graph.inputs.map(({ name }) => name)).toEqual(["x"]);
    const x = waves(64 * 10, 2);
    expect(cosine(await outputOf(old, x, 10), await outputOf(quantized, x, 10))).toBeGreaterThan(0.999);
  });

  it("does not change the given model", () => {
    const model = productModel("MatMul", tensor("float32", [64, 64], waves(4096)));
    const before = encodeModel(model);
    quantizeDynamic(model);
    expect(encodeModel(model)).toEqual(before);
  });

  it.each(exportNames)("%s: hidden states keep a cosine above 0.999", async (name) => {
    const model = readModel(exportPath(name));
    const quantized = quantizeDynamic(model);
    expect(quantized.graph.nodes.filter((node) => node.op === "MatMulInteger").length).toBe(
      name === "named" ? 0 : 12,
    );
    const [exact, rounded] = await Promise.all([model, quantized].map((m) => runModel(m, goldenFeeds())));
    const states = [exact, rounded].map((outputs) => outputs.last_hidden_state.data as Float32Array);
    expect(cosine(states[0], states[1])).toBeGreaterThan(0.999);
  });
});
