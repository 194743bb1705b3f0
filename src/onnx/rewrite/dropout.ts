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
import { GraphBuilder } from "../builder.js";
import { partOf, producersOf } from "../graph.js";
import { copyModel, type Model, type Node } from "../model.js";
import { type MaskFactors, openMasks } from "./dropout-mask.js";
import { sameShape } from "./same-shape.js";

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
