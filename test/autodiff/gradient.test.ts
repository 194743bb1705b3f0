import { describe, expect, it } from "vitest";
import { type DifferentiateOptions, differentiate } from "../../src/autodiff/gradient.js";
import { ArgumentError, ModelError } from "../../src/errors.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import type { Model } from "../../src/onnx/model.js";
import { observeShapes } from "../../src/onnx/observe-shapes.js";
import { type Tensor, tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import { sampleFeeds } from "../onnx/sample-feeds.js";

const floats = (dims: number[], values: number[]) => tensor("float32", dims, values);

/** Observes, differentiates and runs once; weights are fed as they are in the model. */
async function gradientsOf(
  model: Model,
  options: Partial<DifferentiateOptions> & { feeds?: Record<string, Tensor>; threads?: number } = {},
) {
  const { threads = 1, ...rest } = options;
  const feeds = { ...sampleFeeds(model), ...options.feeds };
  const shapes = await observeShapes(model, feeds, (bytes) =>
    createOrtSession(bytes, { optimization: "disabled" }),
  );
  const result = differentiate(model, { loss: "loss", shapes, ...rest });
  const session = await createOrtSession(encodeModel(result.model), { threads, optimization: "basic" });
  const weights = Object.fromEntries(
    [...model.graph.initializers].filter(([name]) => session.inputNames.includes(name)),
  );
  const run = (more: Record<string, Tensor> = {}) => session.run({ ...weights, ...feeds, ...more } as Feeds);
  const outputs = await run();
  const gradient = (weight: string) =>
    Array.from(outputs[result.gradients.get(weight) as string].data, Number);
  return { ...result, outputs, gradient, run };
}

/** loss = Σ f(w) for w = [1, 2, 3] */
function withLoss(f: (g: GraphBuilder, w: string) => string, opset = 17): Model {
  const g = new GraphBuilder({ opset });
  const w = g.weight("w", floats([3], [1, 2, 3]));
  g.output("loss", g.add("ReduceSum", [f(g, w)], { keepdims: 0 }));
  return g.model();
}

describe("differentiate", () => {
  it("lifts weights to inputs of the same name and layout and leaves the model as it was", async () => {
    const model = withLoss((g, w) => g.add("Mul", [w, w]));
    const { gradient, model: trained, gradients } = await gradientsOf(model);
    expect(gradient("w")).toEqual([2, 4, 6]);
    expect(trained.graph.inputs).toEqual([{ name: "w", type: "float32", shape: [3] }]);
    expect(trained.graph.outputs.map(({ name }) => name)).toEqual(["loss", gradients.get("w")]);
    expect(model.graph.initializers.has("w")).toBe(true);
    expect(model.graph.nodes).toHaveLength(3);
  });

  it("adds up the gradients of a value that is used more than once", async () => {
    const model = withLoss((g, w) => {
      const square = g.add("Mul", [w, w]);
      return g.add("Add", [g.add("Mul", [square, w]), g.add("Add", [square, w])]);
    });
    expect((await gradientsOf(model)).gradient("w")).toEqual([3 + 2 + 1, 12 + 4 + 1, 27 + 6 + 1]);
  });

  it("emits nothing for what is not on a path from trainable weights to the loss", async () => {
    const model = withLoss((g, w) => {
      const fixed = g.add("Mul", [g.input("x", "float32", [3]), g.scalar("float32", 2)]);
      g.output("aside", g.add("Exp", [w]));
      return g.add("Mul", [w, g.add("Tanh", [fixed])]);
    });
    const { model: trained } = await gradientsOf(model);
    const added = trained.graph.nodes.slice(model.graph.nodes.length).map(({ op }) => op);
    expect(added.sort()).toEqual(["Expand", "Mul", "Shape"]);
  });

  it("trains float weights of more than one element; names choose others, and inputs too", async () => {
    const model = withLoss((g, w) => {
      const scale = g.weight("scale", floats([1], [2]));
      const ids = g.weight("ids", tensor("int64", [3], [0, 1, 1]));
      const fixed = g.add("Constant", [], { value: floats([3], [1, 1, 1]) });
      const table = g.add("Mul", [g.add("Add", [w, fixed]), g.input("x", "float32", [3])]);
      return g.add("Mul", [g.add("Gather", [table, ids]), scale]);
    });
    const feeds = { x: floats([3], [1, 10, 100]) };
    expect([...(await gradientsOf(model, { feeds })).gradients.keys()]).toEqual(["w"]);
    const chosen = await gradientsOf(model, { feeds, weights: ["scale", "x"] });
    expect(chosen.gradient("scale")).toEqual([2 * 1 + 2 * 3 * 10]);
    expect(chosen.gradient("x")).toEqual([4, 12, 0]);
  });

  it("differentiates graphs of operator set 18 and newer in their own form", async () => {
    const model = withLoss((g, w) => g.add("ReduceL2", [w, g.ints(0)], { keepdims: 0 }), 20);
    const { gradient } = await gradientsOf(model);
    gradient("w").forEach((x, i) => {
      expect(x).toBeCloseTo((i + 1) / Math.sqrt(14), 6);
    });
  });

  it("holds for batches of other sizes than the one observed, 1 and 0 too", async () => {
    const g = new GraphBuilder();
    const x = g.input("x", "float32", ["batch", 2]);
    const w = g.weight("w", floats([2, 2], [1, 2, 3, 4]));
    const b = g.weight("b", floats([2], [0, 0]));
    const y = g.add("Add", [g.add("MatMul", [x, w]), b]);
    g.output("loss", g.add("ReduceSum", [g.add("Mul", [y, y])], { keepdims: 0 }));
    const { run, gradients } = await gradientsOf(g.model(), {
      feeds: { x: floats([3, 2], [1, 1, 1, 1, 1, 1]) },
    });
    const at = async (rows: number) => {
      const outputs = await run({ x: floats([rows, 2], new Array(2 * rows).fill(1)) });
      return ["w", "b"].map((name) => Array.from(outputs[gradients.get(name) as string].data, Number));
    };
    expect(await at(1)).toEqual([
      [8, 12, 8, 12],
      [8, 12],
    ]);
    expect(await at(5)).toEqual([
      [40, 60, 40, 60],
      [40, 60],
    ]);
    expect(await at(0)).toEqual([
      [0, 0, 0, 0],
      [0, 0],
    ]);
  });

  it("adds repeated rows of a table exactly, with several threads too", async () => {
    const [rows, width] = [20_000, 64];
    const g = new GraphBuilder();
    const w = g.weight("w", floats([3, width], new Array(3 * width).fill(0)));
    const ids = g.constant(
      "int64",
      [rows],
      Array.from({ length: rows }, (_, i) => i % 2),
    );
    const gathered = g.add("Gather", [w, ids]);
    g.output("loss", g.add("ReduceSum", [gathered], { keepdims: 0 }));
    const { run, gradients } = await gradientsOf(g.model(), { threads: 4 });
    for (let repeat = 0; repeat < 5; repeat++) {
      const { data } = (await run())[gradients.get("w") as string];
      const expected = Array.from({ length: 3 * width }, (_, i) => (i < 2 * width ? rows / 2 : 0));
      expect(Array.from(data, Number)).toEqual(expected);
    }
  });

  it("uses the dropout mask of the forward pass again", async () => {
    const g = new GraphBuilder();
    const w = g.weight("w", floats([1000], new Array(1000).fill(2)));
    const on = g.constant("bool", [], [1]);
    const y = g.add("Dropout", [w, g.scalar("float32", 0.25), on], {}, { outputs: ["y"] });
    g.output("y", y);
    g.output("loss", g.add("ReduceSum", [y], { keepdims: 0 }));
    const { outputs, gradient } = await gradientsOf(g.model());
    const masks = Array.from(outputs.y.data, Number).map((value) => value / 2);
    expect(gradient("w")).toEqual(masks);
    expect(new Set(masks)).toEqual(new Set([0, Math.fround(1 / 0.75)]));
  });
});

describe("differentiate refuses, naming node and operator, and says what to do", () => {
  const message = async (model: Model, options?: Partial<DifferentiateOptions>): Promise<string> => {
    const error = await gradientsOf(model, options).catch((reason: Error) => reason);
    if (!(error instanceof ModelError || error instanceof ArgumentError)) throw error;
    return error.message;
  };

  it("an operator without a rule", async () => {
    const model = withLoss((g, w) => g.add("Acosh", [w], {}, { name: "curve" }));
    expect(await message(model)).toMatch(/node curve: .* no derivative of Acosh.*Train only weights after/);
  });
  it("a branch that takes a trained value from outside", async () => {
    const branch = (op: string) => {
      const inner = new GraphBuilder({ name: op });
      inner.graph.nodes.push(inner.node(op, ["w"], {}, { outputs: [`${op}_of_w`] }));
      inner.graph.outputs.push({ name: `${op}_of_w`, type: "float32", shape: [3] });
      return inner.graph;
    };
    const model = withLoss((g) =>
      g.add("If", [g.constant("bool", [], [1])], { then_branch: branch("Neg"), else_branch: branch("Exp") }),
    );
    expect(await message(model)).toMatch(/no derivative of If/);
  });
  it("a gradient for an input that a rule leaves out", async () => {
    const model = withLoss((g, w) =>
      g.add("Clip", [g.scalar("float32", 5), "", g.add("ReduceSum", [w], { keepdims: 0 })]),
    );
    expect(await message(model)).toMatch(/no derivative of Clip in its input 2/);
  });
  it("forms of an operator that its rule does not cover", async () => {
    const grouped = new GraphBuilder();
    const w = grouped.weight("w", floats([2, 1, 2], [1, 2, 3, 4]));
    const x = grouped.constant("float32", [1, 2, 3], [1, 2, 3, 4, 5, 6]);
    grouped.output(
      "loss",
      grouped.add("ReduceSum", [grouped.add("Conv", [x, w], { group: 2 })], { keepdims: 0 }),
    );
    expect(await message(grouped.model())).toMatch(/node Conv \(Conv\): it has groups/);
  });
  it("a quantised model", async () => {
    const model = withLoss((g, w) => {
      const table = g.weight("q", tensor("int8", [3], [1, 2, 3]));
      return g.add("Mul", [
        w,
        g.add("DequantizeLinear", [table, g.scalar("float32", 0.1)], {}, { name: "dequantise" }),
      ]);
    });
    expect(await message(model)).toMatch(
      /node dequantise: .*DequantizeLinear.*quantised: train the float32 model/,
    );
  });
  it("a model of 16-bit floats", async () => {
    const model = withLoss((g, w) => {
      const half = g.weight("half", tensor("float16", [3], [0, 0, 0]));
      return g.add("Mul", [w, g.add("Cast", [half], { to: 1 }, { name: "widen" })]);
    });
    expect(() => differentiate(model, { loss: "loss", shapes: new Map() })).toThrow(
      /weight half, which node widen \(Cast\) reads, is float16: train the float32 model/,
    );
  });
  it("a model that ONNX Runtime optimised", async () => {
    const model = withLoss((g, w) =>
      g.add("SkipLayerNormalization", [w, w, w], {}, { domain: "com.microsoft", name: "skip" }),
    );
    expect(() => differentiate(model, { loss: "loss", shapes: new Map() })).toThrow(
      /node skip: .*com.microsoft::SkipLayerNormalization.*train the plain export/,
    );
  });
  it("an operator set before 17", async () => {
    const model = withLoss((g, w) => g.add("Neg", [w]), 14);
    expect(await message(model)).toMatch(/opset 14: upgrade it to 17 before training/);
  });
  it("a loss that is no single float, or not there", async () => {
    const model = withLoss((g, w) => g.add("Neg", [w], {}, { outputs: ["negative"] }));
    expect(await message(model, { loss: "negative" })).toMatch(/negative is float32 \[3\]/);
    expect(await message(model, { loss: "lost" })).toMatch(/no value lost/);
  });
  it("weights that the loss does not depend on", async () => {
    const model = withLoss((g, w) => {
      g.weight("idle", floats([2], [1, 2]));
      return g.add("Floor", [w]);
    });
    expect(await message(model, { weights: ["idle"] })).toMatch(/does not depend on idle/);
    expect(await message(model)).toMatch(/does not depend on any weight/);
  });
});
