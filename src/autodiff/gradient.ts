/** Reverse-mode differentiation: one walk back from the loss, which adds the gradient graph to the forward graph. */
import { ArgumentError, ModelError } from "../errors.js";
import { GraphBuilder } from "../onnx/builder.js";
import { readsOf } from "../onnx/graph.js";
import { copyModel, type Graph, intAttribute, type Model, type Node } from "../onnx/model.js";
import type { Shapes } from "../onnx/observe-shapes.js";
import { type DataType, elementCount, type Tensor } from "../onnx/tensor.js";
import { operatorOf, rejectUntrainable, ruleFor, withoutRule } from "./rules.js";
import { type Backward, flat, Site } from "./site.js";

export interface DifferentiateOptions {
  /** The value to differentiate: a float of one element. It becomes a graph output. */
  loss: string;
  /** Types and shapes of the model's values, from {@link observeShapes}. */
  shapes: Shapes;
  /** Initializers or float inputs. Default: float initializers of more than one element. */
  weights?: readonly string[];
  /** "gpu" where the graph will run on webgpu or cuda; default "cpu". */
  device?: "cpu" | "gpu";
  /** "rows": gradients of gathered rows are outputs, for the caller to add up. Default "dense": one per weight. */
  tables?: "dense" | "rows";
}

/** Part of a table's gradient: `values` [..., width] belong to the rows `indices` [...], which may repeat. */
interface RowGradient {
  /** A graph output, or the graph input that the indices came in by. */
  readonly indices: string;
  /** A graph output. */
  readonly values: string;
}

/** A forward graph with gradients. */
export interface GradientGraph {
  /** The forward graph with its outputs, then the gradients. Weights are inputs of the same name and layout. */
  readonly model: Model;
  /** The weights it takes as inputs. */
  readonly weights: readonly string[];
  /** Weight to the graph output that holds its gradient, in the weight's layout: one output for each. */
  readonly gradients: ReadonlyMap<string, string>;
  /** Weight to further parts of its gradient; empty unless `tables` is "rows". */
  readonly rows: ReadonlyMap<string, readonly RowGradient[]>;
}

/**
 * Adds gradients of a loss to a copy of a model.
 * @throws ModelError naming node and operator where an operator between weights and loss has no rule, or
 *   where the model is quantised, of 16 bits, or fused by ONNX Runtime; ArgumentError for a bad loss or weight.
 */
export function differentiate(model: Model, options: DifferentiateOptions): GradientGraph {
  const { loss, shapes, device = "cpu", weights, tables = "dense" } = options;
  const opset = model.opsets[""] ?? 0;
  if (opset < 17) throw new ModelError(`the model has opset ${opset}: upgrade it to 17 before training`);
  if (weights === undefined) rejectUntrainable(model);
  const copy = copyModel(model);
  const { graph } = copy;
  const wanted = new Set(weights ?? candidates(graph));
  const builder = new GraphBuilder(copy);
  const constants = constantsOf(graph, wanted);
  const backward: Backward = { builder, shapes, opset, device, constants, emitted: new Map() };

  const reached = reachedFrom(wanted, graph.nodes, shapes);
  // what each value's readers contribute to its gradient
  const parts = new Map([[loss, [seedOf(builder, loss, shapes)]]]);
  const rows = new Map<string, RowGradient[]>();
  const gradientOf = (value: string) => parts.get(value)?.reduce((a, b) => builder.add("Add", [a, b]));
  for (const node of [...graph.nodes].reverse()) {
    const gradients = node.outputs.map((output) => (reached.has(output) ? gradientOf(output) : undefined));
    if (gradients.every((gradient) => gradient === undefined)) continue;
    const [weight, indices] = node.inputs;
    if (tables === "rows" && gathersRows(node) && wanted.has(weight)) {
      push(rows, weight, { indices, values: gradients[0] as string });
      continue;
    }
    const rule = ruleFor(node);
    if (!rule) throw withoutRule(node);
    const emitters = rule(new Site(backward, node, gradients), ...node.inputs);
    node.inputs.forEach((input, i) => {
      if (!reached.has(input)) return;
      const emit = emitters[i];
      if (emit === undefined) throw withoutRule(node, i);
      if (emit) push(parts, input, emit());
    });
  }

  const found = [...wanted].filter((weight) => parts.has(weight) || rows.has(weight));
  const lost = (weights ?? []).filter((weight) => !found.includes(weight));
  if (found.length === 0 || lost.length > 0)
    throw new ArgumentError(`the loss ${loss} does not depend on ${lost.join(", ") || "any weight"}`);
  const gradients = new Map(
    found.flatMap((weight) => (parts.has(weight) ? [[weight, gradientOf(weight) as string]] : [])),
  );
  return finish(copy, builder, loss, { gradients, rows, weights: found });
}

function finish(
  model: Model,
  builder: GraphBuilder,
  loss: string,
  { gradients, rows, weights }: Omit<GradientGraph, "model">,
): GradientGraph {
  const { graph } = model;
  const inputs = new Set(graph.inputs.map(({ name }) => name));
  for (const name of weights) {
    const value = graph.initializers.get(name);
    graph.initializers.delete(name);
    if (value && !inputs.has(name)) graph.inputs.push({ name, type: value.type, shape: [...value.dims] });
  }
  const made = new Set(graph.nodes.flatMap((node) => node.outputs));
  const declared = new Set(graph.outputs.map(({ name }) => name));
  const output = (value: string, isTaken = false): string => {
    // a constant that is a gradient or an index becomes a node's output
    const name = made.has(value) && !isTaken ? value : builder.add("Identity", [value]);
    if (!declared.has(name)) graph.outputs.push({ name });
    declared.add(name);
    return name;
  };
  output(loss);
  const declare = ({ indices, values }: RowGradient): RowGradient => ({
    indices: inputs.has(indices) ? indices : output(indices),
    values: output(values),
  });
  const taken = new Set<string>();
  const ownOutput = (value: string): string => {
    const name = output(value, taken.has(value));
    taken.add(value);
    return name;
  };
  return {
    model,
    weights: [...new Set([...gradients.keys(), ...rows.keys()])],
    // two weights may share a gradient, for example biases that are added
    gradients: new Map([...gradients].map(([weight, value]) => [weight, ownOutput(value)])),
    rows: new Map([...rows].map(([weight, parts]) => [weight, parts.map(declare)])),
  };
}

/** Every float weight of more than one element; single numbers are constants such as √d or a mask's -∞. */
const candidates = ({ initializers }: Graph): string[] =>
  [...initializers].flatMap(([name, { type, dims }]) =>
    isFloat(type) && elementCount(dims) > 1 ? [name] : [],
  );

const isFloat = (type: DataType | undefined): boolean => type === "float32" || type === "float64";

/** All values that depend smoothly on the weights: paths end at integers, booleans and step functions. */
function reachedFrom(weights: ReadonlySet<string>, nodes: readonly Node[], shapes: Shapes): Set<string> {
  const reached = new Set(weights);
  for (const node of nodes) {
    if (ruleFor(node) === flat || ![...readsOf(node)].some((input) => reached.has(input))) continue;
    for (const output of node.outputs) {
      const type = shapes.get(output)?.type;
      if (isFloat(type) || (type === undefined && output !== "")) reached.add(output);
    }
  }
  return reached;
}

const gathersRows = (node: Node): boolean =>
  operatorOf(node) === "Gather" && intAttribute(node, "axis", 0) === 0;

/** Tensors with known numbers: initializers that stay, and Constant nodes. */
function constantsOf(graph: Graph, weights: ReadonlySet<string>): Map<string, Tensor> {
  const constants = new Map([...graph.initializers].filter(([name]) => !weights.has(name)));
  for (const { op, attributes, outputs } of graph.nodes)
    if (op === "Constant" && attributes.value?.type === "tensor")
      constants.set(outputs[0], attributes.value.value);
  return constants;
}

function seedOf(builder: GraphBuilder, loss: string, shapes: Shapes): string {
  const observed = shapes.get(loss);
  if (!observed) throw new ArgumentError(`the model has no value ${loss} to be the loss`);
  const { type, dims } = observed;
  if (!isFloat(type) || elementCount(dims) !== 1)
    throw new ArgumentError(`the loss ${loss} is ${type} [${dims}], not one float`);
  return builder.constant(type, dims, [1]);
}

const push = <Item>(lists: Map<string, Item[]>, key: string, item: Item) =>
  lists.set(key, [...(lists.get(key) ?? []), item]);
