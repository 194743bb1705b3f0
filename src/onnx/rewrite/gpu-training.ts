/** Rewrites the graph that a GPU trains, where each operator has a price of its own: 10 µs on an NVIDIA H200. */
import { producersOf, rewriteNodes } from "../graph.js";
import type { Model, Node } from "../model.js";
import type { Tensor } from "../tensor.js";
import { any, byHead, find, made, scoresOf, viewOf } from "./pattern.js";

/** The same values in fewer operators, each of which can be differentiated. */
export const forGpuTraining = (model: Model): Model => mergeProducts(einsumAttention(model));

const scores = scoresOf(any("query"), any("key"));
/** probabilities · value, tokens before heads */
const mixed = byHead(made("MatMul", [any("probabilities"), byHead(any("value"))]));

/**
 * Attention's two products as Einsum, which reads the heads of short rows where they lie. With products of matrices a GPU
 * takes longer for the four transpositions than for the rest: 202 µs, not 94, for 512 rows of 8 tokens (NVIDIA H200). Above
 * some 30 tokens to a row Einsum is the slower one.
 */
export function einsumAttention(model: Model): Model {
  const view = viewOf(model.graph);
  return rewriteNodes(model, ({ op, name, outputs }, g) => {
    const einsum = (equation: string, inputs: string[]) => {
      g.add("Einsum", inputs, { equation }, { name, outputs });
      return true;
    };
    const products = op === "MatMul" ? find(scores, outputs[0], view) : undefined;
    if (products) return einsum("bihd,bjhd->bhij", [products.query, products.key]);
    const sums = op === "Transpose" ? find(mixed, outputs[0], view) : undefined;
    return sums ? einsum("bhij,bjhd->bihd", [sums.probabilities, sums.value]) : false;
  });
}

interface Layer {
  readonly product: Node;
  readonly sum: Node;
  readonly weight: Tensor;
}

/**
 * Linear layers x W + b of one x and of equal shapes, such as attention's queries, keys and values, as a single one that
 * is cut apart behind the sum: a larger product takes less time than several. Weights and biases keep their names.
 */
export function mergeProducts(model: Model): Model {
  const groups = [...layersByInput(model).values()].filter((layers) => layers.length > 1);
  const places = new Map(groups.flatMap((layers) => layers.map((layer) => [layer.sum, layers] as const)));
  const done = new Set<readonly Layer[]>();
  const sums = new Map(model.graph.nodes.map((node) => [node.outputs[0], node]));
  return rewriteNodes(model, (copied, g) => {
    const layers = places.get(sums.get(copied.outputs[0]) as Node);
    if (layers === undefined) return false;
    if (done.has(layers)) return true;
    done.add(layers);
    const [first] = layers;
    const side = (names: string[], axis: number) => g.add("Concat", names, { axis });
    const names = layers.map((layer) => layer.product.inputs[1]);
    const product = g.add("MatMul", [first.product.inputs[0], side(names, 1)]);
    const all = g.add("Add", [product, side(layers.map(biasOf), 0)]);
    const sizes = g.ints(...layers.map(() => first.weight.dims[1]));
    const outputs = layers.map(({ sum }) => sum.outputs[0]);
    g.addMany("Split", [all, sizes], layers.length, { axis: -1 }, { outputs });
    return true;
  });
}

const biasOf = ({ product, sum }: Layer): string =>
  sum.inputs.find((name) => name !== product.outputs[0]) as string;

/** Layers by input and shape. */
function layersByInput({ graph }: Model): Map<string, Layer[]> {
  const { initializers } = graph;
  const makers = producersOf(graph);
  const layers = new Map<string, Layer[]>();
  for (const sum of graph.nodes) {
    if (sum.op !== "Add") continue;
    const product = sum.inputs.map((name) => makers.get(name)).find((node) => node?.op === "MatMul");
    const weight = product && initializers.get(product.inputs[1]);
    if (!product || !sum.inputs.includes(product.outputs[0]) || weight?.dims.length !== 2) continue;
    const bias = initializers.get(biasOf({ product, sum, weight }));
    if (bias?.dims.length !== 1 || bias.dims[0] !== weight.dims[1]) continue;
    const key = `${product.inputs[0]} [${weight.dims}]`;
    layers.set(key, [...(layers.get(key) ?? []), { product, sum, weight }]);
  }
  return layers;
}
