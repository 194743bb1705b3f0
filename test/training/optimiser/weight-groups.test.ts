import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { float32, type Tensor } from "../../../src/runtime/tensor.js";
import { groupWeights, placesIn, tensorOf, weightsOf } from "../../../src/training/optimiser/adam-graph.js";

const none = { weightDecay: 0 };

describe("groupWeights", () => {
  const shapes = new Map([
    ["a", [4, 3]],
    ["b", [3]],
    ["c", [2, 3]],
    ["d", [3, 3]],
  ]);

  it("puts weights together that differ in their first dimension alone", () => {
    const groups = groupWeights(shapes, none);
    expect(groups.map(({ weights, dims }) => [weights.map(({ name }) => name).join(), ...dims])).toEqual([
      ["a,c,d", 9, 3],
      ["b", 3],
    ]);
    expect(placesIn(groups[0]).map(({ start, end }) => [start, end])).toEqual([
      [0, 12],
      [12, 18],
      [18, 27],
    ]);
  });

  it("keeps weights apart that decay or learn differently", () => {
    const groups = groupWeights(shapes, { weightDecay: 0.1, rateFactors: { d: 2 } });
    expect(groups.map(({ weights, decays, factor }) => [weights.length, decays, factor])).toEqual([
      [2, true, 1],
      [1, false, 1],
      [1, true, 2],
    ]);
  });

  it("starts a new group above 16 million numbers", () => {
    const large = new Map([1, 2, 3].map((i) => [`w${i}`, [2 ** 13, 2 ** 10]]));
    expect(groupWeights(large, none).map(({ weights }) => weights.length)).toEqual([2, 1]);
  });
});

it.each([1, 7, 8, 60])("a group of %i weights is cut into what it was made of", async (count) => {
  const shapes = new Map(Array.from({ length: count }, (_, i) => [`w${i}`, [1 + (i % 3), 2]]));
  const [group] = groupWeights(shapes, none);
  const g = new GraphBuilder();
  const values = new Map(group.weights.map(({ name, dims }) => [name, g.input(name, "float32", [...dims])]));
  // the last has no value: zeros
  const last = `w${count - 1}`;
  const tensor = tensorOf(g, group, (name) => (name === last ? undefined : values.get(name)));
  weightsOf(g, group, tensor).forEach((value, i) => {
    g.output(`out/w${i}`, g.add("Identity", [value]));
  });
  const session = await createOrtSession(encodeModel(g.model()), { optimization: "basic" });
  const feeds = Object.fromEntries(
    group.weights.map(({ name, dims }, i) => {
      const { data } = float32(Array.from({ length: 2 * dims[0] }, (_, k) => 100 * i + k));
      return [name, { type: "float32", dims, data } as Tensor];
    }),
  );
  const outputs = await session.run(feeds);
  for (const name of shapes.keys()) {
    expect(outputs[`out/${name}`].dims).toEqual(feeds[name].dims);
    const expected = [...feeds[name].data].map((x) => (name === last ? 0 : x));
    expect([...outputs[`out/${name}`].data]).toEqual(expected);
  }
  await session.release();
});
