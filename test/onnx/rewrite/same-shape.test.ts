import { expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { producersOf } from "../../../src/onnx/graph.js";
import { sameShape } from "../../../src/onnx/rewrite/dropout.js";

it("finds values of the same shape in layers that are alike, and not where a weight or a size differs", () => {
  const g = new GraphBuilder();
  const x = g.input("x", "float32", ["rows", 6]);
  const weight = (columns: number, rows = 6) =>
    g.freshWeight("w", { type: "float32", dims: [rows, columns], data: new Float32Array(rows * columns) });
  const heads = (value: string, width: number) =>
    g.add("Reshape", [g.add("MatMul", [value, weight(6)]), g.ints(-1, width)]);
  const layer = (value: string) => {
    const bias = g.constant("float32", [6], [1, 2, 3, 4, 5, 6]);
    const added = g.add("Add", [g.add("MatMul", [value, weight(6)]), bias]);
    const sum = g.add("Add", [added, value]);
    return { added, norm: g.add("LayerNormalization", [sum, bias, bias]) };
  };
  const first = layer(x);
  const second = layer(first.norm);
  const alike = sameShape(g.graph, producersOf(g.graph));
  expect(alike(first.added, second.added)).toBe(true);
  expect(alike(x, second.norm)).toBe(true);
  const [three, four, two] = [heads(x, 3), heads(second.norm, 3), heads(second.norm, 2)];
  const narrow = g.add("MatMul", [x, weight(5)]);
  const later = sameShape(g.graph, producersOf(g.graph));
  expect(later(three, four)).toBe(true);
  expect(later(three, two)).toBe(false);
  expect(later(first.added, narrow)).toBe(false);
  expect(later(narrow, three)).toBe(false);
});
