import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { observeShapes } from "../../src/onnx/observe-shapes.js";
import { tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import { sampleFeeds } from "./sample-feeds.js";

describe("observeShapes", () => {
  it("finds type and shape of inputs, weights and every inner value", async () => {
    const g = new GraphBuilder();
    const ids = g.input("ids", "int64", ["batch", "length"]);
    const table = g.weight("table", tensor("float32", [3, 2], [1, 2, 3, 4, 5, 6]));
    const rows = g.add("Gather", [table, ids]);
    const [value, position] = g.addMany("TopK", [rows, g.ints(1)], 2);
    g.output("y", g.add("Add", [value, g.add("Cast", [position], { to: 1 })]));
    const model = g.model();
    const feeds = sampleFeeds(model);
    const shapes = await observeShapes(model, feeds, (bytes) =>
      createOrtSession(bytes, { optimization: "disabled" }),
    );
    const seen = (name: string) => [shapes.get(name)?.type, shapes.get(name)?.dims];
    expect(seen("table")).toEqual(["float32", [3, 2]]);
    expect(seen("ids")).toEqual(["int64", [6, 5]]);
    expect(seen(rows)).toEqual(["float32", [6, 5, 2]]);
    expect(seen(position)).toEqual(["int64", [6, 5, 1]]);
    expect(seen("y")).toEqual(["float32", [6, 5, 1]]);
    expect(model.graph.outputs).toEqual([{ name: "y" }]);
  });
});

describe("sampleFeeds", () => {
  it("gives the same size to the same symbol, and different small ones to others", () => {
    const g = new GraphBuilder();
    g.input("a", "int64", ["batch", "length"]);
    g.input("b", "float32", ["length", 3, null]);
    g.weight("w", tensor("float32", [1], [0]));
    g.graph.inputs.push({ name: "w", type: "float32", shape: [1] });
    const sizes = (given?: Record<string, number>) =>
      Object.fromEntries(
        Object.entries(sampleFeeds(g.model(), given)).map(([name, { dims }]) => [name, dims]),
      );
    expect(sizes()).toEqual({ a: [6, 5], b: [5, 3, 7] });
    expect(sizes({ batch: 4, "#2": 2 })).toEqual({ a: [4, 6], b: [6, 3, 2] });
  });
});
