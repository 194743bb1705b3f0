/**
 * Computes what concerns each token alone (products, norms, GELU) for the tokens that count, without padding: attention
 * alone needs rows of one length. Batches of mixed lengths then cost little more than their tokens. As in
 * ByteTransformer (Zhai et al., 2023).
 */
import { GraphBuilder } from "../builder.js";
import { copyModel, floatAttribute, type Graph, intAttribute, type Model, type Node } from "../model.js";
import type { Tensor } from "../tensor.js";

/** Input, int32 [tokens]: where each token that counts stands among all places, row by row. */
export const tokenPlaces = "token_places";
/** Input, int32 [rows, length]: which of these tokens stands at each place; any one at a place of padding. */
export const placeTokens = "place_tokens";

/** What both inputs are for a mask. @param mask 0 for padding, rows of one length */
export function tokensOf(mask: ArrayLike<number | bigint>): { places: Int32Array; tokens: Int32Array } {
  const tokens = new Int32Array(mask.length);
  let count = 0;
  for (let place = 0; place < mask.length; place++) if (Number(mask[place]) !== 0) tokens[place] = count++;
  const places = new Int32Array(count);
  for (let place = 0; place < mask.length; place++)
    if (Number(mask[place]) !== 0) places[tokens[place]] = place;
  return { places, tokens };
}

/** Operators that compute each token from its own numbers and from weights. */
const byToken = new Set(["BiasGelu", "Gelu", "MatMul", "SkipLayerNormalization"]);

/** Whether fuse-attention.ts may have made a node: other Attention nodes have more inputs, attributes or outputs. */
const isFused = ({ domain, inputs, outputs, attributes }: Node, { initializers }: Graph): boolean =>
  domain === "com.microsoft" &&
  inputs.length === 6 &&
  initializers.has(inputs[1]) &&
  [2, 5].every((i) => inputs[i] !== "") &&
  inputs[3] + inputs[4] === "" &&
  outputs.length === 1 &&
  Object.keys(attributes).every((name) => name === "num_heads" || name === "scale");

/** Tokens of a row up to which {@link shortAttention} is faster than flash attention (NVIDIA H200: 94 µs, not 320, at 8). */
export const mostShort = 32;

/**
 * softmax(scale · query · keyᵀ + mask) · value by Einsum, which reads heads where they lie: with products of matrices,
 * four transpositions take longer than the rest.
 */
function shortAttention(g: GraphBuilder, node: Node, parts: readonly string[]): string {
  const { inputs } = node;
  const { type, dims } = g.graph.initializers.get(inputs[1]) as Tensor;
  const heads = intAttribute(node, "num_heads", 1);
  const width = dims[1] / 3 / heads;
  const scale = floatAttribute(node, "scale", 1 / Math.sqrt(width));
  const [query, key, value] = parts.map((part) => g.add("Reshape", [part, g.ints(0, 0, heads, width)]));
  const scaled = g.add("Mul", [query, g.scalar(type, scale)]);
  const products = g.add("Einsum", [scaled, key], { equation: "bihd,bjhd->bhij" });
  const probabilities = g.add("Softmax", [g.add("Add", [products, inputs[5]])], { axis: -1 });
  return g.add("Einsum", [probabilities, value], { equation: "bhij,bjhd->bihd" });
}

/**
 * The graph with two more inputs; undefined where its attention is not that of fuse-attention.ts. Values keep their
 * names and shapes where others read them; there, padding holds the numbers of other tokens.
 * @param rows "short": of at most {@link mostShort} tokens
 */
export function unpad(model: Model, rows: "short" | "long"): Model | undefined {
  const copy = copyModel(model);
  const { graph } = copy;
  const { nodes } = graph;
  const attentions = nodes.filter(({ op }) => op === "Attention");
  if (attentions.length === 0 || !attentions.every((node) => isFused(node, graph))) return undefined;
  const g = new GraphBuilder(copy);
  graph.nodes = [];
  const places = g.input(tokenPlaces, "int32", ["tokens"]);
  const tokens = g.input(placeTokens, "int32", ["rows", "length"]);
  /** Values by token, [tokens, width], by the name of the value in rows. */
  const flat = new Map<string, string>();
  /** Values that exist in rows. */
  const inRows = new Set<string>();
  const flatten = (value: string, width: number) =>
    g.add("Gather", [g.add("Reshape", [value, g.ints(-1, width)]), places], { axis: 0 });
  const needRows = (value: string) => {
    const own = flat.get(value);
    if (own === undefined || inRows.has(value)) return;
    g.add("Gather", [own, tokens], { axis: 0 }, { outputs: [value] });
    inRows.add(value);
  };
  const attend = (node: Node): string => {
    const [x, weight, bias, , , mask] = node.inputs;
    const [width, columns] = (graph.initializers.get(weight) as Tensor).dims;
    const own = columns / 3;
    if (!flat.has(x)) {
      flat.set(x, flatten(x, width));
      inRows.add(x);
    }
    const product = g.add("Add", [g.add("MatMul", [flat.get(x) as string, weight]), bias]);
    const inRow = g.add("Gather", [product, tokens], { axis: 0 });
    const parts = g.addMany("Split", [inRow, g.ints(own, own, own)], 3, { axis: -1 });
    if (rows === "short") return flatten(shortAttention(g, node, parts), own);
    const { domain, attributes } = node;
    return flatten(g.add("MultiHeadAttention", [...parts, "", "", mask], attributes, { domain }), own);
  };
  for (const node of nodes) {
    const read = node.inputs.filter((name) => name !== "" && !graph.initializers.has(name));
    const isByToken =
      byToken.has(node.op) &&
      node.outputs.length === 1 &&
      read.every((name) => flat.has(name)) &&
      (node.op !== "MatMul" || graph.initializers.get(node.inputs[1])?.dims.length === 2);
    if (node.op === "Attention") flat.set(node.outputs[0], attend(node));
    else if (isByToken) {
      const output = g.fresh(`${node.outputs[0]}_tokens`);
      const inputs = node.inputs.map((name) => flat.get(name) ?? name);
      graph.nodes.push({ ...node, inputs, outputs: [output] });
      flat.set(node.outputs[0], output);
    } else {
      read.forEach(needRows);
      graph.nodes.push(node);
    }
  }
  for (const { name } of graph.outputs) needRows(name);
  graph.values = [];
  return copy;
}
