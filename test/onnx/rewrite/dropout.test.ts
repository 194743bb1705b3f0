import { describe, expect, it } from "vitest";
import { encoderGraph } from "../../../src/architectures/transformer/bert.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { addDropout, dropoutSeed } from "../../../src/onnx/rewrite/dropout.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import { fromSeed } from "../../../src/train.js";

const columns = 50;

/** A graph that applies equal attention weights to the identity matrix, so its result shows dropout's mask. */
function evenAttention(): Model {
  const g = new GraphBuilder();
  const x = g.input("x", "float32", ["rows", columns]);
  const identity = Float32Array.from({ length: columns ** 2 }, (_, i) => (i % (columns + 1) === 0 ? 1 : 0));
  const values = g.constant("float32", [columns, columns], identity);
  g.output("y", g.add("MatMul", [g.add("Softmax", [x], { axis: -1 }), values]), "float32", ["rows", columns]);
  return g.model();
}

async function run(model: Model, feeds: Feeds): Promise<Float32Array> {
  const session = await createOrtSession(encodeModel(model));
  const outputs = await session.run(feeds);
  await session.release();
  return Object.values(outputs)[0].data as Float32Array;
}
const seeded = (seed: number, rows: number): Feeds => ({
  x: { type: "float32", dims: [rows, columns], data: new Float32Array(rows * columns) },
  [dropoutSeed]: { type: "int64", dims: [1], data: BigInt64Array.of(BigInt(seed)) },
});

describe("addDropout", () => {
  const { model, places } = addDropout(evenAttention(), { ratio: 0.2, end: "y" });

  it("sets the given share to 0, makes up for it in the rest, and decides each entry apart", async () => {
    expect(places).toBe(1);
    const rows = 300;
    const kept = (await run(model, seeded(7, rows))).map((x) => (x > 0 ? 1 : 0));
    const share = kept.reduce((sum, x) => sum + x, 0) / kept.length;
    // four standard deviations
    expect(Math.abs(share - 0.8)).toBeLessThan(4 * Math.sqrt((0.8 * 0.2) / kept.length));
    for (const lag of [1, 2, columns]) {
      let both = 0;
      for (let i = lag; i < kept.length; i++) both += kept[i] * kept[i - lag];
      expect(Math.abs(both / (kept.length - lag) - 0.64)).toBeLessThan(0.02);
    }
    const values = await run(model, seeded(7, rows));
    for (const x of values) if (x > 0) expect(x).toBeCloseTo(1 / columns / 0.8, 6);
  });

  it("draws the same masks from a seed, and others from another, far or near", async () => {
    const [a, b, c, d] = await Promise.all(
      [7, 7, 8, 2 ** 31 - 2].map((seed) => run(model, seeded(seed, 40))),
    );
    expect(b).toEqual(a);
    for (const other of [c, d]) {
      const agree = a.filter((x, i) => x > 0 === other[i] > 0).length / a.length;
      expect(Math.abs(agree - 0.68)).toBeLessThan(0.05);
    }
  });

  it("finds BERT's places: after the embeddings, on attention, and on both sums of a layer", () => {
    const config = {
      ...{ vocab_size: 20, hidden_size: 8, num_hidden_layers: 3, num_attention_heads: 2 },
      ...{ intermediate_size: 16, max_position_embeddings: 10, type_vocab_size: 2 },
    };
    const graph = encoderGraph(config, fromSeed(1));
    const added = addDropout(graph, { ratio: 0.1, end: "last_hidden_state" });
    expect(added.places).toBe(1 + 3 * 3);
    expect(added.model.graph.inputs.map(({ name }) => name)).toContain(dropoutSeed);
    expect(graph.graph.inputs.map(({ name }) => name)).not.toContain(dropoutSeed);
  });

  it("does not touch the softmax of gates, because the slope of their square root at 0 is infinite", () => {
    const g = new GraphBuilder();
    const x = g.input("x", "float32", ["rows", columns]);
    g.output("y", g.add("Sqrt", [g.add("Softmax", [x], { axis: -1 })]), "float32", ["rows", columns]);
    expect(addDropout(g.model(), { ratio: 0.2, end: "y" })).toMatchObject({ places: 0 });
  });

  it("does not change a graph with a ratio of 0", () => {
    expect(addDropout(evenAttention(), { ratio: 0, end: "y" })).toMatchObject({ places: 0 });
  });

  it.each([1, -0.1, Number.NaN])("refuses a ratio of %d, with which nothing would be left", (ratio) => {
    expect(() => addDropout(evenAttention(), { ratio, end: "y" })).toThrow(
      `dropout must be at least 0 and below 1, not ${ratio}`,
    );
  });
});
