/**
 * Dropout where BERT has it (Srivastava et al., 2014; Devlin et al., 2019), added to a graph that was exported for
 * inference: after the embeddings' norm, on the attention weights, and on what each layer adds to its input.
 *
 * The graph computes masks from the input `dropout_seed`, the number of the place and the position of the element, so
 * that they depend on the batch alone: a resumed run and both passes over a chunk draw the same ones. ONNX's own
 * Dropout draws from the state of its session, which a checkpoint cannot hold.
 */
import { madeFor } from "../../by-key.js";
import { ArgumentError } from "../../errors.js";
import { createRandom } from "../../random.js";
import { GraphBuilder } from "../builder.js";
import { partOf, producersOf } from "../graph.js";
import { copyModel, type Graph, type Model, type Node } from "../model.js";

/**
 * Adds dropout to a copy of a graph whose norms are LayerNormalization nodes (as `prepareForTraining` writes them).
 * @param ratio fraction of entries that become 0; the others are divided by 1 - ratio
 * @param end a value: only nodes that lead to it are changed
 * @returns the graph and the number of places; with 0 places the graph has no new input
 * @throws ArgumentError for a ratio below 0, or of 1 and more: nothing would be left
 */
export function addDropout(
  model: Model,
  { ratio, end }: { ratio: number; end: string },
): { model: Model; places: number } {
  if (!(ratio >= 0 && ratio < 1))
    throw new ArgumentError(`dropout must be at least 0 and below 1, not ${ratio}`);
  const copy = copyModel(model);
  const before = partOf(model, [{ name: end }]).graph;
  const values = new Set(before.nodes.map(({ outputs }) => outputs[0]));
  const makers = producersOf(copy.graph);
  const places = copy.graph.nodes.flatMap((node) =>
    values.has(node.outputs[0]) ? placesOf(copy, makers, node) : [],
  );
  if (places.length === 0 || ratio === 0) return { model: copy, places: 0 };
  const hasShapeOf = sameShape(copy.graph, makers);
  const firsts = places.map(({ value }) => places.findIndex((place) => hasShapeOf(place.value, value)));
  const g = new GraphBuilder(copy);
  const nodes = copy.graph.nodes;
  copy.graph.nodes = [];
  const masks = openMasks(g, ratio);
  const factors = new Map<number, MaskFactors>();
  const added = new Map<Node, { value: string; number: number }[]>();
  for (const [number, { after, value }] of places.entries())
    added.set(after, [...(added.get(after) ?? []), { value, number }]);
  const renamed = new Map<string, string>();
  for (const node of nodes) {
    node.inputs = node.inputs.map((input) => renamed.get(input) ?? input);
    copy.graph.nodes.push(node);
    for (const { value, number } of added.get(node) ?? []) {
      const shape = madeFor(factors, firsts[number], () => masks.factors(value));
      renamed.set(value, g.add("Mul", [value, masks.mask(shape, number)]));
    }
  }
  return { model: copy, places: places.length };
}

interface Place {
  readonly value: string;
  readonly after: Node;
}

function placesOf({ graph }: Model, makers: ReadonlyMap<string, Node>, node: Node): Place[] {
  if (node.op === "Softmax")
    return isAttention(graph.nodes, node.outputs[0]) ? [{ value: node.outputs[0], after: node }] : [];
  if (node.op !== "LayerNormalization") return [];
  const sum = makers.get(node.inputs[0]);
  const dense =
    sum?.op === "Add" ? sum.inputs.find((input) => isDense(graph.initializers, makers, input)) : undefined;
  if (dense !== undefined) return [{ value: dense, after: makers.get(dense) as Node }];
  // no product comes in: it is the embeddings' norm
  return [{ value: node.outputs[0], after: node }];
}

/** Operators that attention weights may pass on their way to the values. */
const moves = new Set(["Cast", "Identity", "Reshape", "Transpose", "Where"]);

/**
 * True for attention weights, which a MatMul applies to values. Gates and type probabilities are softmaxes too, but
 * a square root follows, and its slope at a dropped 0 is infinite.
 */
const isAttention = (nodes: readonly Node[], value: string): boolean =>
  nodes.some(
    ({ inputs, op, outputs }) =>
      inputs.includes(value) && (op === "MatMul" || (moves.has(op) && isAttention(nodes, outputs[0]))),
  );

/** True for x W + b, as one Gemm or as MatMul and Add. */
function isDense(
  stored: ReadonlyMap<string, unknown>,
  makers: ReadonlyMap<string, Node>,
  value: string,
): boolean {
  const node = makers.get(value);
  if (node?.op === "Reshape") return isDense(stored, makers, node.inputs[0]);
  if (node?.op === "Gemm" || node?.op === "MatMul") return true;
  return (
    node?.op === "Add" &&
    node.inputs.some((input) => stored.has(input)) &&
    node.inputs.some((input) => makers.get(input)?.op === "MatMul")
  );
}

// Masks of dropout, computed where the graph runs from two small numbers. An element is kept or dropped by the product
//
//     (row + a) (row + b) place column    modulo 2^32, as int32
//
// whose factors are odd: `row` and `column` are random constants for each row and column, `place` one for each mask, and
// a, b follow from the seed. Its high bits decide. Products of int32 wrap in the same way on each device, so that masks
// do not depend on it. A GPU gets a and b alone, and takes six operators for each mask.

/** Input of the graph, int64 [1], below 2^31: decides all masks. */
export const dropoutSeed = "dropout_seed";

/** Factors of rows that follow each other; a block of rows has one more. */
const blockRows = 1024;
/** Constants for blocks of rows, and for columns: their number must be lower. */
const tableSize = 16384;

const randomOdd = (count: number, seed: number): Int32Array => {
  const random = createRandom(seed);
  return Int32Array.from({ length: count }, () => Math.floor(random() * 2 ** 32) | 1);
};

/** The factors of a shape: rows int32 [..., 1], columns int32 [width]. */
interface MaskFactors {
  readonly rows: string;
  readonly columns: string;
}

/** Adds the seed to the inputs. The graph holds 135 kB of constants for all masks together. */
export function openMasks(g: GraphBuilder, ratio: number) {
  g.input(dropoutSeed, "int64", [1]);
  const [a, b] = seedTerms(g);
  const blocks = g.constant("int32", [tableSize, 1], randomOdd(tableSize, 1));
  const withinBlock = g.constant("int32", [blockRows], randomOdd(blockRows, 2));
  const columns = g.constant("int32", [tableSize], randomOdd(tableSize, 3));
  return {
    /** Factors for a value of at least two dimensions: below 16,384 columns, and below 16,384 × 1,024 rows. */
    factors(value: string): MaskFactors {
      const leading = g.add("Shape", [value], { start: 0, end: -1 });
      const rows = g.add("ReduceProd", [leading], { keepdims: 1 });
      const count = g.add("Add", [g.add("Div", [rows, g.ints(blockRows)]), g.ints(1)]);
      const all = g.add("Reshape", [
        g.add("Mul", [head(g, blocks, count, g.ints(tableSize)), withinBlock]),
        g.ints(-1),
      ]);
      const row = head(g, all, rows, g.add("Mul", [count, g.ints(blockRows)]));
      const seeded = g.add("Mul", [g.add("Add", [row, a]), g.add("Add", [row, b])]);
      return {
        rows: g.add("Reshape", [seeded, g.add("Concat", [leading, g.ints(1)], { axis: 0 })]),
        columns: head(g, columns, g.add("Shape", [value], { start: -1 }), g.ints(tableSize)),
      };
    },
    /** The mask of place `number`: 0 or 1 / (1 - ratio), float32. */
    mask({ rows, columns }: MaskFactors, number: number): string {
      const [place] = randomOdd(1, 4 + number);
      const hash = g.add("Mul", [g.add("Mul", [rows, g.scalar("int32", place)]), columns]);
      const kept = g.add("GreaterOrEqual", [hash, g.scalar("int32", Math.round((ratio - 0.5) * 2 ** 32))]);
      const mask = g.cast(kept, "float32");
      return g.add("Mul", [mask, g.scalar("float32", 1 / (1 - ratio))]);
    },
  };
}

/** Two even numbers below 2^24, int32 [1], as float32 holds them exactly on their way to a GPU. */
function seedTerms(g: GraphBuilder): [string, string] {
  // products of two residues modulo the prime 2^31 - 1 fit 64 bits
  const residue = (x: string) => g.add("Mod", [x, g.ints(2 ** 31 - 1)]);
  const even = (x: string) => g.add("Mul", [g.add("Mod", [x, g.ints(2 ** 23)]), g.ints(2)]);
  const first = residue(g.add("Mul", [g.add("Add", [dropoutSeed, g.ints(7919)]), g.ints(48271)]));
  const second = residue(g.add("Mul", [first, g.add("Add", [first, g.ints(16807)])]));
  const [a, b] = [first, second].map((x) => g.cast(even(x), "int32"));
  return [a, b];
}

/** The first elements along axis 0. For int32, ONNX Runtime's WebGPU has Split, but no Slice. */
const head = (g: GraphBuilder, values: string, count: string, length: string): string =>
  g.addMany("Split", [values, g.add("Concat", [count, g.add("Sub", [length, count])], { axis: 0 })], 2, {
    axis: 0,
  })[0];

/**
 * True if both values follow from the same value through the same operators, as in the layers of a transformer;
 * weights may differ. What a layer adds to its input is taken to have the input's shape.
 * @param makers from `producersOf`
 */
export function sameShape({ initializers }: Graph, makers: ReadonlyMap<string, Node>) {
  /** x for x + layers(x), for the norm of it, and so on. */
  function startOf(value: string): string {
    const node = makers.get(value);
    if (node?.op === "LayerNormalization") return startOf(node.inputs[0]);
    if (node?.op !== "Add") return value;
    const added = node.inputs.findIndex(isLinear);
    const input = node.inputs[1 - added];
    return added < 0 || initializers.has(input) ? value : startOf(input);
  }
  /** True for x W or x W + b. */
  function isLinear(value: string): boolean {
    const node = makers.get(value);
    if (node?.op === "Reshape") return isLinear(node.inputs[0]);
    if (node?.op === "Add")
      return node.inputs.some(isLinear) && node.inputs.some((name) => initializers.has(name));
    return (node?.op === "MatMul" || node?.op === "Gemm") && initializers.has(node.inputs[1]);
  }
  return function alike(left: string, right: string): boolean {
    const [a, b] = [startOf(left), startOf(right)];
    if (a === b) return true;
    const [x, y] = [initializers.get(a), initializers.get(b)];
    if (x && y) {
      const isSame = x.type === y.type && String(x.dims) === String(y.dims);
      // integers may be sizes
      return isSame && (x.type === "float32" || String(x.data) === String(y.data));
    }
    const [from, to] = [makers.get(a), makers.get(b)];
    if (!from || !to || from.inputs.length !== to.inputs.length) return false;
    return (
      operatorOf(from, a) === operatorOf(to, b) && from.inputs.every((input, i) => alike(input, to.inputs[i]))
    );
  };
}

/** Operator, attributes, and which of its outputs a value is. */
const operatorOf = ({ op, domain, attributes, outputs }: Node, value: string): string =>
  JSON.stringify([op, domain, outputs.indexOf(value), attributes], (_, x) =>
    typeof x === "bigint" ? Number(x) : x,
  );
