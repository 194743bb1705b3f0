import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { constantsToInitializers, untieInitializers } from "../../src/onnx/graph.js";
import { encodeModel, readModel } from "../../src/onnx/io/file.js";
import type { Model } from "../../src/onnx/model.js";
import { fuseOperators, prepareForInference } from "../../src/onnx/rewrite/fuse.js";
import { quantizeDynamic } from "../../src/onnx/rewrite/quantize.js";
import { upgradeOpset } from "../../src/onnx/rewrite/upgrade.js";
import { tensor } from "../../src/onnx/tensor.js";
import {
  countOf,
  encoderFeeds,
  expectEqual,
  exportNames,
  exportPath,
  goldenFeeds,
  ort,
  runModel,
} from "./oracle.js";

describe("the exported encoders", () => {
  it.each(exportNames)("%s: Constant nodes become initializers", async (name) => {
    const model = readModel(exportPath(name));
    const plain = constantsToInitializers(model);
    expect(countOf(model, "Constant")).toBeGreaterThan(50);
    expect(countOf(plain, "Constant")).toBe(0);
    await expectEqual(model, plain, goldenFeeds(), 1e-9);
  });

  it.each(exportNames)("%s: reads as operator set 17 and computes the same", async (name) => {
    const model = readModel(exportPath(name));
    const upgraded = upgradeOpset(constantsToInitializers(model));
    expect(upgraded.opsets[""]).toBe(17);
    expect(upgraded.graph.nodes.every(({ op, attributes }) => op !== "Unsqueeze" || !attributes.axes)).toBe(
      true,
    );
    await expectEqual(model, upgraded, goldenFeeds(), 1e-9);
  });

  it.each(exportNames)("%s: all 5 LayerNorms and 2 GELUs are found, with equal results", async (name) => {
    const model = readModel(exportPath(name));
    const prepared = prepareForInference(model);
    expect(countOf(prepared, "LayerNormalization")).toBe(5);
    expect(countOf(prepared, "Gelu")).toBe(2);
    for (const op of ["Erf", "Sqrt", "Pow", "ReduceMean", "Constant", "Identity"])
      expect(countOf(prepared, op)).toBe(0);
    expect(countOf(prepared, "Transpose")).toBe(8); // the heads'; no weight is transposed any more
    await expectEqual(model, prepared);
    const ids = [
      [5, 7, 9],
      [11, 13, 0],
    ];
    await expectEqual(
      model,
      prepared,
      encoderFeeds(ids, [
        [1, 1, 1],
        [1, 1, 0],
      ]),
    );
  });

  it.each(exportNames)("%s: prepared, then quantised, all 12 products are int8", async (name) => {
    const quantized = quantizeDynamic(prepareForInference(readModel(exportPath(name))));
    expect(countOf(quantized, "MatMulInteger")).toBe(12);
    await expectEqual(readModel(exportPath(name)), quantized, goldenFeeds(), 0.1);
  });

  it("merged parameters get separate initializers", async () => {
    const model = readModel(exportPath("merged"));
    const untied = untieInitializers(model);
    expect(countOf(model, "Identity")).toBe(8);
    expect(countOf(untied, "Identity")).toBe(0);
    const weights = [...untied.graph.initializers].filter(([name]) => name.includes("LayerNorm"));
    expect(weights).toHaveLength(10);
    expect(new Set(weights.map(([, { data }]) => data)).size).toBe(10);
    await expectEqual(model, untied, goldenFeeds(), 1e-9);
  });

  it("a rewrite returns another model and keeps the given one", () => {
    const model = readModel(exportPath("folded.opset11"));
    const before = encodeModel(model);
    prepareForInference(model);
    expect(encodeModel(model)).toEqual(before);
  });
});

describe("fuseOperators on LayerNorm", () => {
  /** Ways in which LayerNorm is written; `x` is [2, 4]. */
  function written(
    form: "pow" | "product" | "twice" | "reciprocal" | "opset18" | "wrong axis" | "sum of two",
  ) {
    const g = new GraphBuilder({ opset: form === "opset18" ? 18 : 17 });
    const x = g.input("x", "float32", [2, 4]);
    const mean = (value: string) => {
      if (form === "opset18") return g.add("ReduceMean", [value, g.ints(-1)]);
      return g.add("ReduceMean", [value], { axes: [form === "wrong axis" ? 0 : -1] });
    };
    const centre = () => g.add("Sub", [form === "sum of two" ? g.add("Add", [x, x]) : x, mean(x)]);
    const centred = centre();
    const again = form === "twice" ? centre() : centred;
    const two = g.scalar("float32", 2);
    const square = form === "product" ? g.add("Mul", [again, again]) : g.add("Pow", [again, two]);
    const deviation = g.add("Sqrt", [g.add("Add", [g.scalar("float32", 1e-5), mean(square)])]);
    const scaled =
      form === "reciprocal"
        ? g.add("Mul", [centred, g.add("Reciprocal", [deviation])])
        : g.add("Div", [centred, deviation]);
    const scale = g.weight("scale", tensor("float32", [4], [1, 2, 3, 4]));
    const bias = g.weight("bias", tensor("float32", [4], [0.5, 0, -1, 2]));
    g.output("y", g.add("Add", [bias, g.add("Mul", [scale, scaled])]), "float32", [2, 4]);
    return g.model();
  }
  const feeds = { x: new ort.Tensor("float32", [1, 2, -3, 4, 0.1, 0.7, 0.2, -5], [2, 4]) };

  it.each(["pow", "product", "twice", "reciprocal", "opset18"] as const)(
    "finds the form: %s",
    async (form) => {
      const fused = fuseOperators(written(form));
      expect(fused.graph.nodes.map((node) => node.op)).toEqual(["LayerNormalization", "Identity"]);
      await expectEqual(written(form), fused, feeds);
    },
  );

  it.each(["wrong axis", "sum of two"] as const)("keeps what only resembles it: %s", (form) => {
    expect(fuseOperators(written(form))).toEqual(written(form));
  });
});

describe("fuseOperators on GELU", () => {
  const factors = (g: GraphBuilder, x: string, half = 0.5) => {
    const erf = g.add("Erf", [g.add("Mul", [x, g.scalar("float32", Math.SQRT1_2)])]);
    return [x, g.add("Add", [g.scalar("float32", 1), erf]), g.scalar("float32", half)];
  };
  it.each([
    [0, 1, 2],
    [0, 2, 1],
    [1, 2, 0],
  ])("finds factors multiplied in the order %i %i %i", async (...order) => {
    for (const opset of [17, 20]) {
      const g = new GraphBuilder({ opset });
      const parts = factors(g, g.input("x", "float32", [5]));
      const [a, b, c] = order.map((i) => parts[i]);
      g.output("y", g.add("Mul", [c, g.add("Mul", [a, b])]), "float32", [5]);
      const fused = fuseOperators(g.model());
      expect(fused.graph.nodes[0]).toMatchObject({ op: "Gelu", domain: opset === 20 ? "" : "com.microsoft" });
      const x = new ort.Tensor("float32", [-3, -0.5, 0, 0.7, 4], [5]);
      await expectEqual(g.model(), fused, { x });
    }
  });

  it("keeps another factor, and values that are used elsewhere", () => {
    const g = new GraphBuilder();
    const [x, sum, third] = factors(g, g.input("x", "float32", [5]), 0.25);
    g.output("y", g.add("Mul", [third, g.add("Mul", [x, sum])]), "float32", [5]);
    expect(countOf(fuseOperators(g.model()), "Erf")).toBe(1);

    const h = new GraphBuilder();
    const [u, v, half] = factors(h, h.input("x", "float32", [5]));
    h.output("y", h.add("Mul", [half, h.add("Mul", [u, v])]), "float32", [5]);
    h.output("inner", v, "float32", [5]);
    const fused = fuseOperators(h.model());
    expect([countOf(fused, "Gelu"), countOf(fused, "Erf")]).toEqual([1, 1]);
  });
});

describe("upgradeOpset", () => {
  const x = [...Array(24).keys()].map((i) => Math.sin(i));
  const feeds = { x: new ort.Tensor("float32", x, [2, 3, 4]) };
  function single(opset: number, op: string, attributes = {}, outputs = 1): Model {
    const g = new GraphBuilder({ opset });
    const input = g.input("x", "float32", [2, 3, 4]);
    g.addMany(op, [input], outputs, attributes).forEach((value, i) => g.output(`y${i}`, value, "float32"));
    g.model().irVersion = 4;
    return g.model();
  }

  it.each<[string, number, object, number?]>([
    ["Softmax", 11, {}],
    ["Softmax", 12, { axis: 2 }],
    ["Softmax", 12, { axis: -1 }],
    ["LogSoftmax", 11, { axis: 0 }],
    ["Unsqueeze", 11, { axes: [0, 2] }],
    ["ReduceSum", 12, { axes: [1], keepdims: 0 }],
    ["ReduceSum", 12, {}],
    ["Split", 11, { split: [1, 2], axis: 1 }, 2],
    ["Slice", 9, { starts: [0, -2], ends: [1, 2 ** 63], axes: [0, 2] }],
    ["Slice", 9, { starts: [0], ends: [-1] }],
    ["Clip", 9, { min: { type: "float", value: -0.5 }, max: { type: "float", value: 0.5 } }],
    ["Clip", 10, { max: { type: "float", value: 0.25 } }],
    ["Pad", 10, { pads: [0, 1, 0, 0, 0, 2], value: { type: "float", value: 3 } }],
    ["Dropout", 11, { ratio: 0.5 }],
    ["ReduceMean", 11, { axes: [-1] }],
  ])("%s of version %i with %o computes the same in 17", async (op, version, attributes, outputs) => {
    const model = single(version, op, attributes, outputs);
    const upgraded = upgradeOpset(model);
    expect(upgraded.opsets[""]).toBe(17);
    await expectEqual(model, upgraded, feeds, 1e-6);
  });

  it("keeps newer models as they are", () => {
    const model = single(18, "Relu");
    expect(upgradeOpset(model)).toBe(model);
  });

  it("refuses a change that it does not support, with the node's name", () => {
    expect(() => upgradeOpset(single(8, "Relu"))).toThrow(/operator set 8/);
    expect(() => upgradeOpset(single(10, "Resize"))).toThrow(/\(Resize\)/);
    const inner = new GraphBuilder();
    inner.add("Squeeze", ["x"], { axes: [0] }, { name: "inside" });
    const middle = new GraphBuilder();
    middle.add("If", ["y"], { then_branch: inner.graph, else_branch: inner.graph });
    for (const { graph } of [inner, middle]) {
      const outer = single(11, "If", { then_branch: graph, else_branch: graph });
      expect(() => upgradeOpset(outer)).toThrow(ModelError);
      expect(() => upgradeOpset(outer)).toThrow(/node inside \(Squeeze\)/);
      expect(prepareForInference(outer)).toBe(outer);
    }
  });
});

describe("prune", () => {
  it("keeps a value that only a branch of If reads, and removes unused ones", async () => {
    const branch = (op: string, name: string) => {
      const b = new GraphBuilder({ name });
      b.graph.nodes.push(b.node(op, ["shared"], {}, { outputs: [name] }));
      b.graph.outputs.push({ name, type: "float32" });
      return b.graph;
    };
    const g = new GraphBuilder();
    const x = g.input("x", "float32", [3]);
    g.add("Neg", [x], {}, { outputs: ["shared"] });
    g.add("Exp", [g.add("Abs", [x])]);
    g.weight("idle", tensor("float32", [1], [1]));
    const test = g.input("test", "bool", []);
    const branches = { then_branch: branch("Relu", "kept"), else_branch: branch("Abs", "other") };
    g.output("y", g.add("If", [test], branches), "float32", [3]);
    const rewritten = constantsToInitializers(g.model());
    expect(rewritten.graph.nodes.map((node) => node.op)).toEqual(["Neg", "If", "Identity"]);
    expect(rewritten.graph.initializers.size).toBe(0);
    const feeds = {
      x: new ort.Tensor("float32", [-1, 2, -3], [3]),
      test: new ort.Tensor("bool", [true], []),
    };
    expect(Array.from((await runModel(rewritten, feeds)).y.data as Float32Array)).toEqual([1, 0, 3]);
  });
});
