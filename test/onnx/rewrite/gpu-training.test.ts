/** Rewrites of the graph that a GPU trains: the same values, in fewer operators. */
import { describe, expect, it } from "vitest";
import { readModel } from "../../../src/onnx/io/file.js";
import { einsumAttention, mergeProducts } from "../../../src/onnx/rewrite/gpu-training.js";
import { prepareForTraining } from "../../../src/pearl/loss/program.js";
import { countOf, encoderFeeds, exportNames, exportPath, runModel } from "../oracle.js";

const ids = [
  [5, 7, 9, 21],
  [11, 13, 0, 0],
  [17, 18, 19, 0],
];
const mask = ids.map((row) => row.map((id) => (id === 0 ? 0 : 1)));

describe.each(exportNames)("%s", (name) => {
  const plain = prepareForTraining(readModel(exportPath(name)));

  const expectSame = async (rewritten: typeof plain) => {
    const feeds = encoderFeeds(ids, mask);
    const [expected, found] = [await runModel(plain, feeds), await runModel(rewritten, feeds)];
    const values = (outputs: typeof found) => Array.from(outputs.last_hidden_state.data, Number);
    values(found).forEach((x, i) => {
      expect(Math.abs(x - values(expected)[i])).toBeLessThan(3e-6);
    });
    const weights = (model: typeof plain) =>
      [...model.graph.initializers.keys()].filter((key) => /weight|bias/.test(key));
    expect(weights(rewritten)).toEqual(weights(plain));
  };

  it("has attention's products as Einsum, without transpositions", async () => {
    const rewritten = einsumAttention(plain);
    expect(countOf(rewritten, "Einsum")).toBe(4);
    expect(countOf(rewritten, "MatMul")).toBe(countOf(plain, "MatMul") - 4);
    // those of weights stay
    expect(countOf(rewritten, "Transpose")).toBe(name === "named" ? 12 : 0);
    await expectSame(rewritten);
  });

  it("has queries, keys and values in one product, unless weights are stored the other way round", async () => {
    const rewritten = mergeProducts(plain);
    const fewer = name === "named" ? 0 : 4;
    expect(countOf(rewritten, "MatMul")).toBe(countOf(plain, "MatMul") - fewer);
    expect(countOf(rewritten, "Add")).toBe(countOf(plain, "Add") - fewer);
    await expectSame(rewritten);
  });
});
