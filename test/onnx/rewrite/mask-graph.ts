/** A graph whose outputs are dropout's masks for its input. */
import { GraphBuilder } from "../../../src/onnx/builder.js";
import type { Model } from "../../../src/onnx/model.js";
import { dropoutSeed, openMasks } from "../../../src/onnx/rewrite/dropout.js";
import { type Feeds, int64 } from "../../../src/runtime/tensor.js";

export function maskGraph(places: number, ratio: number): Model {
  const g = new GraphBuilder();
  // an operator between, so that the value is where the graph runs
  const value = g.add("Exp", [g.input("x", "float32")]);
  const masks = openMasks(g, ratio);
  const factors = masks.factors(value);
  for (let place = 0; place < places; place++) g.output(`mask ${place}`, masks.mask(factors, place));
  return g.model();
}

export const maskFeeds = (seed: number, dims: readonly number[]): Feeds => ({
  x: { type: "float32", dims, data: new Float32Array(dims.reduce((product, size) => product * size)) },
  [dropoutSeed]: int64([seed]),
});
