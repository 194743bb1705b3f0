/**
 * Computes what concerns each token alone (products, norms, GELU) for the tokens that count, without padding: attention
 * alone needs rows of one length. Batches of mixed lengths then cost little more than their tokens. As in
 * ByteTransformer (Zhai et al., 2023).
 */
import { GraphBuilder } from "../builder.js";
import { producersOf, prune } from "../graph.js";
import { copyModel, floatAttribute, type Graph, intAttribute, type Model, type Node } from "../model.js";
import { numbersOf, type Tensor } from "../tensor.js";

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

/** Of rows of any length: flash attention. */
function longAttention(
  g: GraphBuilder,
  { inputs, domain, attributes }: Node,
  parts: readonly string[],
): string {
  return g.add("MultiHeadAttention", [...parts, "", "", inputs[5]], attributes, { domain });
}

/** A value by token, [tokens, width]. */
interface Flat {
  readonly name: string;
  readonly width: number;
  /** Whether the value in rows is [rows · length, width], not [rows, length, width]. */
  readonly isList: boolean;
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
  const values = new Values(copy);
  for (const node of nodes) {
    if (node.op === "Attention") values.attend(node, rows === "short" ? shortAttention : longAttention);
    else if (!values.follow(node)) values.keep(node);
  }
  for (const { name } of graph.outputs) values.needRows(name);
  graph.values = [];
  prune(graph);
  return copy;
}

/** The values of a graph that exist by token, and the new nodes of the graph. */
class Values {
  readonly #g: GraphBuilder;
  readonly #graph: Graph;
  readonly #producers: ReadonlyMap<string, Node>;
  readonly #places: string;
  readonly #tokens: string;
  readonly #flat = new Map<string, Flat>();
  /** Values that exist in rows, too. */
  readonly #inRows = new Set<string>();

  constructor(model: Model) {
    this.#g = new GraphBuilder(model);
    this.#graph = model.graph;
    this.#producers = producersOf(model.graph);
    this.#graph.nodes = [];
    this.#places = this.#g.input(tokenPlaces, "int32", ["tokens"]);
    this.#tokens = this.#g.input(placeTokens, "int32", ["rows", "length"]);
  }

  /** Adds the products by token, and attention in rows. */
  attend(node: Node, attention: typeof shortAttention): void {
    const [x, weight, bias] = node.inputs;
    const [width, columns] = (this.#graph.initializers.get(weight) as Tensor).dims;
    const g = this.#g;
    const product = g.add("Add", [g.add("MatMul", [this.#byToken(x, width), weight]), bias]);
    const rows = g.add("Gather", [product, this.#tokens], { axis: 0 });
    const own = columns / 3;
    const parts = g.addMany("Split", [rows, g.ints(own, own, own)], 3, { axis: -1 });
    const mixed = attention(g, node, parts);
    this.#flat.set(node.outputs[0], { name: this.#flatten(mixed, own), width: own, isList: false });
  }

  /** Adds a node by token if it can be computed so. */
  follow(node: Node): boolean {
    const { initializers, nodes } = this.#graph;
    const [output, ...more] = node.outputs;
    const source = this.#flat.get(node.inputs[0]);
    if (!source || more.length > 0) return false;
    if (this.#lastSize(node) === source.width) {
      this.#flat.set(output, { ...source, isList: initializers.has(node.inputs[1]) });
      return true;
    }
    const weight = initializers.get(node.inputs[1]);
    const isProduct = node.op === "MatMul";
    const read = node.inputs.filter((name) => name !== "" && !initializers.has(name));
    if (!byToken.has(node.op) || !read.every((name) => this.#flat.has(name))) return false;
    if (isProduct && weight?.dims.length !== 2) return false;
    const name = this.#g.fresh(`${output}_tokens`);
    const inputs = node.inputs.map((value) => this.#flat.get(value)?.name ?? value);
    nodes.push({ ...node, inputs, outputs: [name] });
    this.#flat.set(output, { ...source, name, width: isProduct ? (weight as Tensor).dims[1] : source.width });
    return true;
  }

  /** Adds a node as it is. */
  keep(node: Node): void {
    node.inputs.forEach((name) => {
      this.needRows(name);
    });
    this.#graph.nodes.push(node);
  }

  needRows(value: string): void {
    const own = this.#flat.get(value);
    if (own === undefined || this.#inRows.has(value)) return;
    const indices = own.isList ? this.#g.add("Reshape", [this.#tokens, this.#g.ints(-1)]) : this.#tokens;
    this.#g.add("Gather", [own.name, indices], { axis: 0 }, { outputs: [value] });
    this.#inRows.add(value);
  }

  /** The tokens of a value; of the list of them, too, where the value is made of one. */
  #byToken(value: string, width: number): string {
    const known = this.#flat.get(value);
    if (known) return known.name;
    const node = this.#producers.get(value);
    const source = node && this.#lastSize(node) === width ? node.inputs[0] : value;
    const name = this.#flatten(source, width);
    for (const each of new Set([source, value])) {
      this.#flat.set(each, { name, width, isList: each !== value });
      this.#inRows.add(each);
    }
    return name;
  }

  #flatten(value: string, width: number): string {
    const list = this.#g.add("Reshape", [value, this.#g.ints(-1, width)]);
    return this.#g.add("Gather", [list, this.#places], { axis: 0 });
  }

  /** The last size of a Reshape to a list, or from one to the rows of the batch. */
  #lastSize({ op, inputs }: Node): number | undefined {
    if (op !== "Reshape") return undefined;
    const { initializers } = this.#graph;
    const constant = initializers.get(inputs[1]);
    if (constant) {
      const [tokens, width, ...more] = numbersOf(constant);
      return tokens === -1 && more.length === 0 ? width : undefined;
    }
    const parts = this.#producers.get(inputs[1]);
    if (parts?.op !== "Concat" || parts.inputs.length !== 2) return undefined;
    const shape = this.#producers.get(parts.inputs[0]);
    const width = initializers.get(parts.inputs[1]);
    const batch = this.#graph.inputs.find(({ name }) => shape?.op === "Shape" && name === shape.inputs[0]);
    return batch?.shape?.length === 2 && width?.data.length === 1 ? numbersOf(width)[0] : undefined;
  }
}
