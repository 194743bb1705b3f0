/**
 * The training graph without padding: operators that concern each token alone get the tokens that count, as in unpad.ts,
 * and attention alone gets rows. The graph itself computes from the mask which tokens these are.
 *
 * `token_places` has one of few lengths, so that memory serves several batches: places that count, then some of padding, at
 * least one where rows have any. Places that are left out read the last one. Padding has no gradient, so that the gradient
 * of a Gather by one list is a Gather by the other.
 */
import { madeFor } from "../../by-key.js";
import { GraphBuilder } from "../builder.js";
import { prune } from "../graph.js";
import { copyModel, intAttribute, type Model, type Node } from "../model.js";
import type { Shapes } from "../observe-shapes.js";
import { typeCode } from "../tensor.js";
import { placeTokens, tokenPlaces } from "./unpad.js";

/** Lists of indices that undo each other: a Gather of rows by one has the gradient of a Gather by the other. */
export const inverseIndices: ReadonlyMap<string, string> = new Map([
  [tokenPlaces, placeTokens],
  [placeTokens, tokenPlaces],
]);

/** Possible numbers of tokens: multiples of 8, and from 64 on eight up to each doubling. */
const lengths = Array.from({ length: 128 }, (_, i) =>
  i < 8 ? 8 * (i + 1) : (9 + (i % 8)) * 2 ** (Math.floor(i / 8) + 2),
);

const maskInput = "attention_mask";

/** Operators whose output has at each place what they make of the numbers there. */
const elementwise = new Set(
  "Abs Add Cast Div Erf Exp Gelu GreaterOrEqual Identity Mul Neg Pow Reciprocal Relu Sigmoid Sqrt Sub Tanh".split(
    " ",
  ),
);
/** Operators that attention's probabilities, and their products with values, may pass. */
const moves = new Set(["Cast", "Einsum", "Identity", "MatMul", "Mul", "Reshape", "Transpose", "Where"]);
/** What masked scores may pass before their softmax. */
const views = new Set(["Cast", "Flatten", "Identity", "Reshape"]);

/**
 * @param shapes of the model's values, where rows and length are above 1 and differ
 * @returns the graph, whose inputs and outputs stay; undefined where it has no attention that masks padding
 */
export function unpadTraining(model: Model, shapes: Shapes): Model | undefined {
  const grid = shapes.get(maskInput)?.dims;
  if (grid?.length !== 2 || !model.graph.inputs.some(({ name }) => name === maskInput)) return undefined;
  const copy = copyModel(model);
  const { graph } = copy;
  const { nodes } = graph;
  const values = new Tokens(copy, shapes, grid);
  for (const node of nodes) if (!values.follow(node)) values.keep(node);
  if (!values.meetInAttention) return undefined;
  for (const { name } of graph.outputs) values.needRows(name);
  prune(graph);
  return copy;
}

/** A value by token, [tokens, width]; in rows it is [rows, length, width], or a list [rows · length, width]. */
interface Flat {
  readonly name: string;
  readonly width: number;
  readonly isList: boolean;
}

/** Of values in rows: scores with the mask, what is made of their softmax, or anything else that tokens lead to. */
type Kind = "masked" | "attended" | "other";

class Tokens {
  readonly #g: GraphBuilder;
  readonly #shapes: Shapes;
  readonly #grid: readonly number[];
  /** int64 [2]: rows and length. */
  readonly #gridShape: string;
  readonly #flat = new Map<string, Flat>();
  /** Values by token that exist in rows, too. */
  readonly #inRows = new Set<string>();
  readonly #kinds = new Map<string, Kind>();
  /** What follows from the mask alone. */
  readonly #masks = new Set([maskInput]);
  readonly #made = new Map<string, string>();
  #attentions = 0;
  #hasOther = false;

  constructor(model: Model, shapes: Shapes, grid: readonly number[]) {
    this.#g = new GraphBuilder(model);
    model.graph.nodes = [];
    this.#shapes = shapes;
    this.#grid = grid;
    addPlaces(this.#g);
    // a value of the device: what follows from integers of the batch alone is uploaded
    const mask = this.#g.add("Cast", [maskInput], { to: typeCode("float32") });
    this.#gridShape = this.#g.add("Shape", [mask]);
  }

  /** Whether tokens meet in attention that masks padding, and nowhere else. */
  get meetInAttention(): boolean {
    return this.#attentions > 0 && !this.#hasOther;
  }

  /** Adds a node by token if it can be computed so. */
  follow(node: Node): boolean {
    if (node.outputs.length > 1) return false;
    if (node.op === "Shape") return this.#shape(node);
    if (node.op === "Reshape") return this.#reshape(node);
    if (node.op === "Gather") return this.#lookUp(node);
    if (node.op === "MatMul" || node.op === "Gemm") return this.#product(node);
    if (node.op === "LayerNormalization") return this.#norm(node);
    return elementwise.has(node.op) && this.#byElement(node);
  }

  /** Adds a node as it is. */
  keep(node: Node): void {
    for (const name of node.inputs) this.needRows(name);
    this.#g.graph.nodes.push(node);
    if (node.op === "Shape") return;
    const kind = this.#kindOf(node);
    for (const output of node.outputs)
      if (kind) this.#kinds.set(output, kind);
      else if (node.inputs.some((name) => this.#masks.has(name))) this.#masks.add(output);
  }

  needRows(value: string): void {
    const own = this.#flat.get(value);
    if (own === undefined || this.#inRows.has(value)) return;
    this.#inRows.add(value);
    const list = own.isList ? { outputs: [value] } : {};
    const rows = this.#g.add("Gather", [own.name, placeTokens], { axis: 0 }, list);
    if (!own.isList) this.#g.add("Reshape", [rows, this.#shapeInRows(own)], {}, { outputs: [value] });
  }

  /** Undefined for what does not follow from tokens. */
  #kindOf({ op, inputs }: Node): Kind | undefined {
    const kinds = inputs.map((name) => this.#kinds.get(name) ?? (this.#flat.has(name) ? "other" : undefined));
    if (kinds.every((kind) => kind === undefined)) return undefined;
    if (op === "Softmax" && kinds[0] === "masked") return "attended";
    if (kinds.includes("attended") && moves.has(op)) return "attended";
    const adds = (op === "Add" || op === "Where") && inputs.some((name) => this.#masks.has(name));
    return adds || (kinds[0] === "masked" && views.has(op)) ? "masked" : "other";
  }

  #dims = (value: string): readonly number[] => this.#shapes.get(value)?.dims ?? [];

  /** How a value lies in rows, if it has numbers of each place. */
  #layout(value: string): Omit<Flat, "name"> | undefined {
    const dims = this.#dims(value);
    const [rows, length] = this.#grid;
    const isList = dims.length === 2 && dims[0] === rows * length;
    if (!isList && (dims.length !== 3 || dims[0] !== rows || dims[1] !== length)) return undefined;
    return { width: dims[dims.length - 1], isList };
  }

  /** The shape that a value by token has in rows, int64. */
  #shapeInRows({ width, isList }: Omit<Flat, "name">): string {
    const g = this.#g;
    return madeFor(this.#made, `shape ${width} ${isList}`, () => {
      const first = isList ? g.add("ReduceProd", [this.#gridShape], { keepdims: 1 }) : this.#gridShape;
      return g.add("Concat", [first, g.ints(width)], { axis: 0 });
    });
  }

  #shape({ inputs: [x], attributes, outputs }: Node): boolean {
    const source = this.#flat.get(x);
    if (!source) return false;
    const [start, end] = ["start", "end"].map((name) => Number(attributes[name]?.value ?? Number.NaN));
    const range = [start || 0, Number.isNaN(end) ? (source.isList ? 2 : 3) : end].map((at) =>
      this.#g.ints(at),
    );
    this.#g.add("Slice", [this.#shapeInRows(source), ...range], {}, { outputs });
    return true;
  }

  /** Between rows and their list; also what has one number for each place, as a column (dropout's factors). */
  #reshape({ inputs: [x], outputs: [output] }: Node): boolean {
    const source = this.#flat.get(x);
    const layout = this.#layout(output);
    if (layout === undefined) return false;
    const [rows, length] = this.#grid;
    if (source?.width === layout.width) this.#flat.set(output, { ...source, ...layout });
    else if (this.#dims(x).join() === String(rows * length) && layout.width === 1)
      this.#flat.set(output, { ...layout, name: this.#pick(x, layout) });
    else return false;
    return true;
  }

  /** Rows of a table by integers of each place. */
  #lookUp(node: Node): boolean {
    const [table, indices] = node.inputs;
    const layout = this.#layout(node.outputs[0]);
    const isByPlace = this.#dims(indices).join() === this.#grid.join();
    const isTable = this.#g.graph.initializers.has(table) && intAttribute(node, "axis", 0) === 0;
    if (!isTable || !isByPlace || !layout || this.#flat.has(indices)) return false;
    const g = this.#g;
    const own = madeFor(this.#made, `indices ${indices}`, () =>
      g.add("Gather", [g.add("Reshape", [indices, g.ints(-1)]), tokenPlaces], { axis: 0 }),
    );
    return this.#add(node, [table, own], layout);
  }

  /** x W of tokens; of attention's result, too, which is in rows. */
  #product(node: Node): boolean {
    const [x, weight, ...bias] = node.inputs;
    const layout = this.#layout(x);
    const kind = this.#kinds.get(x);
    const isOfToken = this.#isByToken(weight) || this.#dims(weight).length !== 2;
    if (!layout || isOfToken || bias.some((name) => this.#dims(name).length > 1)) return false;
    if (node.op === "Gemm" && intAttribute(node, "transA", 0) === 1) return false;
    if (!this.#flat.has(x)) {
      if (kind !== "attended") {
        this.#hasOther ||= kind !== undefined;
        return false;
      }
      this.#attentions++;
      this.#flat.set(x, { ...layout, name: this.#pick(x, layout) });
      this.#inRows.add(x);
    }
    const width = this.#dims(node.outputs[0]).at(-1) as number;
    return this.#add(node, [this.#flat.get(x)?.name as string, weight, ...bias], { ...layout, width });
  }

  #norm(node: Node): boolean {
    const axis = intAttribute(node, "axis", -1);
    if (axis !== -1 && axis !== this.#dims(node.inputs[0]).length - 1) return false;
    const attributes = { ...node.attributes, axis: { type: "int", value: -1 } as const };
    return this.#byElement({ ...node, attributes });
  }

  #byElement(node: Node): boolean {
    const layout = this.#layout(node.outputs[0]);
    if (!layout || !node.inputs.some((name) => this.#flat.has(name))) return false;
    const { length } = node.inputs.filter((name) => this.#isByToken(name) || this.#isForAll(name, layout));
    if (length < node.inputs.length) return false;
    const own = node.inputs.map((name) => this.#flat.get(name)?.name ?? this.#forTokens(name, layout));
    return this.#add(node, own, layout);
  }

  #isByToken = (value: string): boolean => this.#flat.has(value) || this.#kinds.has(value);

  /** Whether a value is the same for all rows: one for all places, or in rows one for each. */
  #isForAll(value: string, { isList }: Omit<Flat, "name">): boolean {
    const dims = this.#dims(value);
    return dims.length <= 1 || (!isList && this.#isByPlace(dims));
  }

  #isByPlace = (dims: readonly number[]): boolean =>
    dims.at(-2) === this.#grid[1] && (dims.length === 2 || (dims.length === 3 && dims[0] === 1));

  #forTokens(value: string, layout: Omit<Flat, "name">): string {
    const dims = this.#dims(value);
    if (dims.length <= 1) return value;
    const shape = { ...layout, width: dims[dims.length - 1] };
    return this.#pick(this.#g.add("Expand", [value, this.#shapeInRows(shape)]), shape);
  }

  /** The tokens of a value in rows. */
  #pick(value: string, { width }: Omit<Flat, "name">): string {
    const list = this.#g.add("Reshape", [value, this.#g.ints(-1, width)]);
    return this.#g.add("Gather", [list, tokenPlaces], { axis: 0 });
  }

  #add(node: Node, inputs: string[], layout: Omit<Flat, "name">): true {
    const [output] = node.outputs;
    const name = this.#g.fresh(`${output}_tokens`);
    this.#g.graph.nodes.push({ ...node, inputs, outputs: [name] });
    this.#flat.set(output, { ...layout, name });
    return true;
  }
}

/** Adds both lists of indices, int64 [tokens] and [rows · length], as integers that follow from the mask. */
function addPlaces(g: GraphBuilder): void {
  const kept = g.add("Cast", [maskInput], { to: typeCode("bool") });
  const ones = g.add("Reshape", [g.add("Cast", [kept], { to: typeCode("int64") }), g.ints(-1)]);
  const places = g.add("Shape", [ones]);
  const count = g.add("ReduceSum", [ones], { keepdims: 1 });
  // the least length above the count: division gives 0 for those alone
  const sizes = g.ints(...lengths);
  const excess = g.add("Mul", [g.add("Div", [count, sizes]), g.ints(2 ** 40)]);
  const least = g.add("ReduceMin", [g.add("Add", [sizes, excess])], { keepdims: 1 });
  const size = g.add("Min", [least, places]);
  // equal numbers are sorted by their place, and sorting a permutation gives its inverse
  const [, order] = g.addMany("TopK", [ones, places], 2, { axis: 0 });
  const [, ranks] = g.addMany("TopK", [order, places], 2, { axis: 0, largest: 0 });
  g.add("Slice", [order, g.ints(0), size], {}, { outputs: [tokenPlaces] });
  g.add("Min", [ranks, g.add("Sub", [size, g.ints(1)])], {}, { outputs: [placeTokens] });
}
