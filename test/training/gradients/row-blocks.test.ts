import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { createRandom } from "../../../src/random.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { inRowBlocks } from "../../../src/training/gradients/row-blocks.js";

const random = createRandom(5);
const numbers = (count: number) => Float32Array.from({ length: count }, () => 2 * random() - 1);
const [width, columns] = [24, 40];

/** x W, x Wᵀ, x Wᵀ + b of rows, x W of [rows, 1, width], and xᵀ x, which has no weight. */
function products(): Model {
  const g = new GraphBuilder();
  g.input("x", "float32", ["rows", width]);
  const weight = (name: string, ...dims: number[]) =>
    g.weight(name, tensor("float32", dims, numbers(dims.reduce((a, b) => a * b))));
  const [w, turned, bias] = [weight("w", width, columns), weight("t", columns, width), weight("b", columns)];
  g.output("plain", g.add("MatMul", ["x", w]));
  g.output("turned", g.add("Gemm", ["x", turned], { transB: 1 }));
  g.output("biased", g.add("Gemm", ["x", turned, bias], { transB: 1 }));
  g.output("cube", g.add("MatMul", [g.add("Unsqueeze", ["x", g.ints(1)]), w]));
  g.output("doubled", g.add("Gemm", ["x", w], { alpha: 2 }));
  g.output("gram", g.add("Gemm", ["x", "x"], { transA: 1 }));
  return g.model();
}

const run = async (model: Model, rows: number, data: Float32Array) => {
  const session = await createOrtSession(encodeModel(model), { threads: 2, optimization: "basic" });
  return session.run({ x: { type: "float32", dims: [rows, width], data } }).finally(() => session.release());
};

const bitsOf = ({ data }: Tensor) => {
  const { buffer, byteOffset, byteLength } = data as Float32Array;
  return Buffer.from(buffer, byteOffset, byteLength);
};

describe("inRowBlocks", () => {
  const model = products();
  const blocked = inRowBlocks(model);

  it("cuts products with weights, and leaves others alone", () => {
    const ops = (op: string) => blocked.graph.nodes.filter((node) => node.op === op);
    expect(ops("FusedMatMul")).toHaveLength(2);
    expect(ops("MatMul").every(({ inputs }) => !inputs.includes("x"))).toBe(true);
    expect(ops("Gemm").map(({ outputs }) => outputs[0])).toEqual(
      model.graph.nodes
        .filter(({ op }) => op === "Gemm")
        .slice(2)
        .map(({ outputs }) => outputs[0]),
    );
  });

  // eight blocks, a prime number of rows, fewer rows than a block, no rows
  it.each([2048, 2051, 3, 0])("gives the same numbers, bit for bit, for %i rows", async (rows) => {
    const data = numbers(rows * width);
    const [whole, inBlocks] = [await run(model, rows, data), await run(blocked, rows, data)];
    for (const name of ["plain", "turned", "cube", "doubled", "gram"]) {
      expect(inBlocks[name].dims).toEqual(whole[name].dims);
      expect(bitsOf(inBlocks[name]).equals(bitsOf(whole[name]))).toBe(true);
    }
    expect(inBlocks.biased.dims).toEqual(whole.biased.dims);
    const [a, b] = [inBlocks.biased.data, whole.biased.data];
    let worst = 0;
    for (let i = 0; i < b.length; i++) worst = Math.max(worst, Math.abs(Number(a[i]) - Number(b[i])));
    expect(worst).toBeLessThan(1e-5);
  });
});
