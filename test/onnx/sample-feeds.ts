/** Feeds with which tests observe the shapes of a graph. */
import type { Model } from "../../src/onnx/model.js";
import { elementCount, type Tensor, tensor } from "../../src/onnx/tensor.js";

/** Sizes for the symbols of a graph's inputs in the order of their appearance: small, different, the first even. */
const sampleSizes = [6, 5, 7, 9, 11, 13, 15, 17];

/**
 * Zeros for every input of the graph, for observeShapes.
 * @param sizes by the symbols of the inputs' shapes, such as `batch`; an axis without a name has the symbol `#`
 *   and its position
 */
export function sampleFeeds(model: Model, sizes: Record<string, number> = {}): Record<string, Tensor> {
  const known = { ...sizes };
  let next = 0;
  const free = model.graph.inputs.filter(({ name }) => !model.graph.initializers.has(name));
  return Object.fromEntries(
    free.map(({ name, type = "float32", shape = [] }) => {
      const dims = shape.map((dimension, axis) => {
        if (typeof dimension === "number") return dimension;
        const symbol = dimension ?? `#${axis}`;
        known[symbol] ??= sampleSizes[next++] ?? 2 * next + 3;
        return known[symbol];
      });
      return [name, tensor(type, dims, new Array(elementCount(dims)).fill(0))];
    }),
  );
}
