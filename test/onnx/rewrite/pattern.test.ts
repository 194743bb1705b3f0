import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { producersOf } from "../../../src/onnx/graph.js";
import {
  any,
  either,
  find,
  initializer,
  made,
  scalar,
  scalarOf,
  viewOf,
} from "../../../src/onnx/rewrite/pattern.js";

/** (x + 2) · (x + 2) − y */
function example() {
  const g = new GraphBuilder();
  const [x, y] = ["x", "y"].map((name) => g.input(name, "float32"));
  const sum = g.add("Add", [x, g.scalar("float32", 2)]);
  const square = g.add("Mul", [sum, sum]);
  const difference = g.add("Sub", [square, y]);
  g.output("z", difference);
  return { graph: g.graph, view: viewOf(g.graph), sum, square, difference };
}

describe("find", () => {
  const { view, sum, difference } = example();

  it("binds the names of a formula to values", () => {
    const pattern = made("Sub", [made("Mul", [any("a"), any("a")]), any("y")]);
    expect(find(pattern, difference, view)).toEqual({ a: sum, y: "y" });
  });

  it("matches Add and Mul in either order, Sub only in its own", () => {
    expect(find(made("Add", [scalar(2), any("x")]), sum, view)).toEqual({ x: "x" });
    expect(
      find(made("Sub", [any("y"), made("Mul", [any("a"), any("b")])]), difference, view),
    ).toBeUndefined();
  });

  it("requires one value for one name, and tries every match before it gives up", () => {
    expect(find(made("Sub", [any("a"), any("a")]), difference, view)).toBeUndefined();
    const first = made("Mul", [any("x"), any("x")]);
    const second = made("Mul", [made("Add", [any("x"), initializer("two")]), any("s")]);
    const wanted = made("Sub", [either(first, second), any("y")], () => true);
    expect(find(wanted, difference, view)).toEqual({ x: sum, y: "y" });
    const inner = either(made("Mul", [any("y"), any("y")]), second);
    expect(find(made("Sub", [inner, any("y")]), difference, view)).toEqual({
      x: "x",
      two: "constant",
      s: sum,
      y: "y",
    });
  });

  it("matches constants by their value", () => {
    expect(find(made("Add", [any("x"), scalar(2.0000001)]), sum, view)).toBeDefined();
    expect(find(made("Add", [any("x"), scalar(2.1)]), sum, view)).toBeUndefined();
    expect(scalarOf("constant", view)).toBe(2);
    expect(scalarOf("x", view)).toBeUndefined();
  });
});

it("producersOf names the node that makes a value", () => {
  const { graph, square } = example();
  expect(producersOf(graph).get(square)?.op).toBe("Mul");
});
