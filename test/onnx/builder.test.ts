import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/errors.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel, readModel } from "../../src/onnx/io/file.js";
import { subgraphs } from "../../src/onnx/model.js";
import { numbersOf, tensor, toInt64 } from "../../src/onnx/tensor.js";
import { ort, runModel } from "./oracle.js";

describe("GraphBuilder", () => {
  it("builds a model that ONNX Runtime runs", async () => {
    const g = new GraphBuilder();
    const x = g.input("x", "float32", ["batch", 3]);
    const w = g.weight("w", tensor("float32", [3, 2], [1, 2, 3, 4, 5, 6]));
    g.output("y", g.add("Add", [g.add("MatMul", [x, w]), g.scalar("float32", 0.5)]), "float32", ["batch", 2]);
    const { y } = await runModel(g.model(), { x: new ort.Tensor("float32", [1, 1, 1, 0, 0, 2], [2, 3]) });
    expect(Array.from(y.data as Float32Array)).toEqual([9.5, 12.5, 10.5, 12.5]);
  });

  it("gives each value a fresh name and shares equal small constants", () => {
    const g = new GraphBuilder();
    const x = g.input("Add", "float32");
    const names = [g.add("Add", [x, x]), g.add("Add", [x, x]), ...g.addMany("Split", [x], 3)];
    expect(new Set([x, ...names]).size).toBe(6);
    expect(g.scalar("float32", 2)).toBe(g.scalar("float32", 2));
    expect(g.scalar("float32", 2)).not.toBe(g.scalar("int64", 2));
    expect(g.scalar("float32", 0)).not.toBe(g.scalar("float32", -0));
    expect(g.ints(1)).not.toBe(g.scalar("int64", 1));
    expect(g.graph.initializers.size).toBe(6);
  });

  it("extends a model that was read", () => {
    const g = new GraphBuilder();
    g.output("y", g.add("Relu", [g.input("x", "float32")]));
    const read = readModel(encodeModel(g.model()));
    const more = new GraphBuilder(read);
    expect(more.add("Relu", ["y"])).toBe("Relu_1");
    expect(read.graph.nodes).toHaveLength(3);
  });

  it("writes attributes as ONNX expects them", () => {
    const g = new GraphBuilder();
    const branch = new GraphBuilder({ name: "branch" });
    branch.output("one", branch.constant("float32", [1], [1]));
    g.add("Any", [], {
      ...{ axis: -1, axes: [0, 1], epsilon: 1, alpha: 0.5, mode: "linear", names: ["a", "b"] },
      ...{ scales: [1, 2], value: tensor("int64", [], [5]), then_branch: branch.graph },
    });
    const [node] = readModel(encodeModel(g.model())).graph.nodes;
    const types = Object.fromEntries(Object.entries(node.attributes).map(([name, { type }]) => [name, type]));
    expect(types).toEqual({
      ...{ axis: "int", axes: "ints", epsilon: "float", alpha: "float", mode: "string", names: "strings" },
      ...{ scales: "floats", value: "tensor", then_branch: "graph" },
    });
    expect(subgraphs(node)).toEqual([branch.graph]);
  });

  it("keeps the branches of If through a file, and they run", async () => {
    const branch = (value: number) => {
      const b = new GraphBuilder({ name: `branch${value}` });
      b.output(`out${value}`, b.constant("float32", [1], [value]), "float32", [1]);
      return b.graph;
    };
    const g = new GraphBuilder();
    const test = g.input("test", "bool", []);
    g.output("y", g.add("If", [test], { then_branch: branch(1), else_branch: branch(2) }), "float32", [1]);
    const model = readModel(encodeModel(g.model()));
    const { y } = await runModel(model, { test: new ort.Tensor("bool", [false], []) });
    expect(Array.from(y.data as Float32Array)).toEqual([2]);
  });

  it("refuses a duplicate name and an output that does not exist", () => {
    const g = new GraphBuilder();
    g.input("x", "float32");
    expect(() => g.input("x", "float32")).toThrow(ArgumentError);
    expect(() => g.output("y", "nothing")).toThrow(ArgumentError);
  });
});

describe("tensor", () => {
  it("puts plain numbers into the type's array", () => {
    expect(tensor("int64", [2], [-1, 2 ** 63]).data).toEqual(BigInt64Array.of(-1n, 2n ** 63n - 1n));
    expect(numbersOf(tensor("int64", [2], [3, -4]))).toEqual([3, -4]);
    expect(toInt64(-(2 ** 63))).toBe(-(2n ** 63n));
  });
  it("refuses a wrong number of elements", () => {
    expect(() => tensor("float32", [2, 2], [1, 2, 3])).toThrow(ArgumentError);
  });
});
