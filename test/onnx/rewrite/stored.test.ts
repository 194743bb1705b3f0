/** Weights stored as int8: what ONNX Runtime computes of them, and what pearl reads. */
import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel, readModel } from "../../../src/onnx/io/file.js";
import { storeIntegers, unpackIntegers } from "../../../src/onnx/rewrite/stored.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { exportNames, exportPath, goldenFeeds, ort, runModel } from "../oracle.js";

const waves = (count: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(i * i));

/** A look-up, a product, and a product with the weight transposed. */
function threeWays() {
  const g = new GraphBuilder();
  const ids = g.input("ids", "int64", ["rows"]);
  const rows = g.add("Gather", [g.weight("table", tensor("float32", [40, 32], waves(1280))), ids]);
  const up = g.add("MatMul", [rows, g.weight("up", tensor("float32", [32, 64], waves(2048)))]);
  const down = g.weight("down", tensor("float32", [48, 64], waves(3072)));
  g.output("y", g.add("Gemm", [up, down], { transB: 1 }), "float32", ["rows", 48]);
  return g.model();
}
const feeds = { ids: new ort.Tensor("int64", BigInt64Array.of(0n, 7n, 39n), [3]) };

/** What ONNX Runtime itself computes of a file. */
async function readBytes(bytes: Uint8Array): Promise<Float32Array> {
  const session = await ort.InferenceSession.create(bytes);
  return (await session.run(feeds)).y.data as Float32Array;
}

describe("storeIntegers", () => {
  it("keeps each number to half a step of its row's or column's scale", () => {
    const model = threeWays();
    const { initializers } = unpackIntegers(storeIntegers(model)).graph;
    expect([...initializers.keys()].sort()).toEqual(["down", "table", "up"]);
    const largest = (values: Float32Array) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    for (const [name, isByRow] of [
      ["table", true],
      ["up", false],
      ["down", true],
    ] as const) {
      const before = model.graph.initializers.get(name)!;
      const after = initializers.get(name)!;
      const [rows, columns] = before.dims;
      const own = before.data as Float32Array;
      const lines = Array.from({ length: isByRow ? rows : columns }, (_, line) =>
        own.filter((_, i) => (isByRow ? Math.floor(i / columns) : i % columns) === line),
      );
      for (const [i, value] of own.entries()) {
        const line = lines[isByRow ? Math.floor(i / columns) : i % columns];
        expect(Math.abs((after.data as Float32Array)[i] - value)).toBeLessThanOrEqual(largest(line) / 253);
      }
    }
  });

  it("is read as float32 weights that give what ONNX Runtime computes of the file", async () => {
    const bytes = encodeModel(storeIntegers(threeWays()));
    // 6,400 numbers in a byte each, 152 scales and the nodes
    expect(bytes.length).toBeLessThan(6400 + 4 * 152 + 800);
    const read = readModel(bytes);
    expect([...read.graph.initializers.values()].map(({ type }) => type)).toEqual(Array(3).fill("float32"));
    expect(read.graph.nodes.map(({ op }) => op)).toEqual(["Gather", "MatMul", "Gemm", "Identity"]);
    const [stored, unpacked] = await Promise.all(
      [storeIntegers(threeWays()), read].map((m) => runModel(m, feeds)),
    );
    for (const [i, value] of (unpacked.y.data as Float32Array).entries())
      expect((stored.y.data as Float32Array)[i]).toBeCloseTo(value, 5);
  });

  it("packs two numbers of a table in a byte, as ONNX Runtime and pearl read them", async () => {
    const model = threeWays();
    const bytes = encodeModel(storeIntegers(model, { tables: 4 }));
    expect(bytes.length).toBeLessThan(640 + 5120 + 4 * 152 + 1500);
    const read = readModel(bytes);
    expect([...read.graph.initializers.keys()].sort()).toEqual(["down", "table", "up"]);
    const [stored, unpacked] = await Promise.all([readBytes(bytes), runModel(read, feeds)]);
    for (const [i, value] of (unpacked.y.data as Float32Array).entries())
      expect(stored[i]).toBeCloseTo(value, 5);
    const before = model.graph.initializers.get("table")!.data as Float32Array;
    const after = read.graph.initializers.get("table")!.data as Float32Array;
    for (let row = 0; row < 40; row++) {
      const [own, rounded] = [before, after].map((values) => values.subarray(32 * row, 32 * row + 32));
      const largest = own.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      const error = (values: Float32Array) => own.reduce((sum, x, i) => sum + (x - values[i]) ** 2, 0);
      // never worse than fifteen even steps up to the largest number
      const even = own.map((x) => (Math.round((7 * x) / largest) * largest) / 7);
      expect(error(rounded)).toBeLessThanOrEqual(error(even) + 1e-6);
      expect(new Set(rounded).size).toBeLessThanOrEqual(15);
    }
  });

  it("leaves one scale for all to ONNX Runtime", async () => {
    const g = new GraphBuilder();
    const stored = g.weight("w_int8", tensor("int8", [2, 3], Int8Array.of(1, 2, 3, 4, 5, 6)));
    const wide = g.add("Cast", [stored], { to: 1 });
    const w = g.add("Mul", [wide, g.weight("scale", tensor("float32", [1], Float32Array.of(0.5)))]);
    g.output("y", g.add("MatMul", [g.input("x", "float32", ["rows", 2]), w]), "float32", ["rows", 3]);
    const read = readModel(encodeModel(g.model()));
    expect(read.graph.nodes.map(({ op }) => op).slice(0, 3)).toEqual(["Cast", "Mul", "MatMul"]);
    const { y } = await runModel(read, { x: new ort.Tensor("float32", Float32Array.of(2, 4), [1, 2]) });
    expect([...(y.data as Float32Array)]).toEqual([9, 12, 15]);
  });

  it("leaves other graphs as they are", () => {
    const model = readModel(exportPath(exportNames[0]));
    expect(unpackIntegers(model)).toBe(model);
  });

  it.each(exportNames)("leaves the vectors of %s nearly the same", async (name) => {
    const model = readModel(exportPath(name));
    const stored = storeIntegers(model);
    const [before, after] = await Promise.all(
      [model, stored].map(
        async (own) => Object.values(await runModel(own, goldenFeeds()))[0].data as Float32Array,
      ),
    );
    const dot = (p: Float32Array, q: Float32Array) => p.reduce((sum, x, i) => sum + x * q[i], 0);
    expect(dot(before, after) / Math.sqrt(dot(before, before) * dot(after, after))).toBeGreaterThan(0.9999);
  });
});
