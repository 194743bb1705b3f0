/** Float16 graphs beside float32 ones; on the CPU ONNX Runtime computes most operators in float32 in between. */
import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { toHalf } from "../../../src/onnx/rewrite/half.js";
import { quantizeDynamic } from "../../../src/onnx/rewrite/quantize.js";
import { tensor, typeCode } from "../../../src/onnx/tensor.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";

const weight = Array.from({ length: 12 }, (_, i) => Math.sin(i));

/** Attention's mask, a weight, a constant made in the graph, and a small denominator. */
function graph(): Model {
  const g = new GraphBuilder();
  const x = g.input("x", "float32", ["rows", 4]);
  const mask = g.add("Cast", [g.input("mask", "int64", ["rows", 3])], { to: typeCode("float32") });
  const product = g.add("MatMul", [x, g.weight("w", tensor("float32", [4, 3], weight))]);
  const away = g.add("Mul", [
    g.add("Sub", [g.scalar("float32", 1), mask]),
    g.scalar("float32", -3.4028234663852886e38),
  ]);
  const attended = g.add("Softmax", [g.add("Add", [product, away])], { axis: -1 });
  const zeros = g.add("ConstantOfShape", [g.add("Shape", [attended])]);
  g.output("y", g.add("Add", [attended, zeros]), "float32", ["rows", 3]);
  g.output("z", g.add("Div", [zeros, g.add("Max", [zeros, g.scalar("float32", 1e-12)])]), "float32");
  return g.model();
}

const feeds = {
  x: { type: "float32", dims: [2, 4], data: Float32Array.from({ length: 8 }, (_, i) => Math.cos(3 * i)) },
  mask: { type: "int64", dims: [2, 3], data: BigInt64Array.of(1n, 1n, 0n, 1n, 1n, 1n) },
} as const;

async function run(model: Model) {
  const session = await createOrtSession(encodeModel(model));
  const { y, z } = await session.run(feeds);
  await session.release();
  return { y, z };
}

describe("toHalf", () => {
  it("gives numbers of float32 to 1e-3, a mask that excludes, and no division by zero", async () => {
    const model = graph();
    const [full, half] = [await run(model), await run(toHalf(model))];
    expect(half.y.type).toBe("float32");
    half.y.data.forEach((value, i) => {
      expect(Math.abs(Number(value) - Number(full.y.data[i]))).toBeLessThan(1e-3);
    });
    expect(half.y.data[2]).toBe(0);
    expect([...half.z.data]).toEqual([0, 0, 0, 0, 0, 0]);
    // numbers did go through float16
    expect([...half.y.data]).not.toEqual([...full.y.data]);
  });

  it("stores weights in half the bytes, and leaves the given model as it is", () => {
    const model = graph();
    expect(toHalf(model).graph.initializers.get("w")).toMatchObject({ type: "float16", dims: [4, 3] });
    expect(model).toEqual(graph());
  });

  it("refuses a quantised graph", () => {
    const wide = new GraphBuilder();
    const table = tensor("float32", [64, 32], new Float32Array(2048).fill(0.5));
    wide.output("y", wide.add("MatMul", [wide.input("x", "float32", ["rows", 64]), wide.weight("w", table)]));
    const refused = () => toHalf(quantizeDynamic(wide.model()));
    expect(refused).toThrow(ModelError);
    expect(refused).toThrow(/cannot compute in half precision/);
  });
});
