/** Inspects and rewrites a graph: which node makes a value, what is used, and how nodes are replaced. */
import { GraphBuilder } from "./builder.js";
import { copyModel, type Graph, type Model, type Node, subgraphs, type ValueInfo } from "./model.js";
import { type Tensor, tensor } from "./tensor.js";

export function producersOf(graph: Graph): Map<string, Node> {
  return new Map(graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
}

/** All values that a node reads, those read within its subgraphs included. */
export function readsOf(node: Node): Set<string> {
  const inner = subgraphs(node).flatMap((graph) => [
    ...graph.nodes.flatMap((child) => [...readsOf(child)]),
    ...graph.outputs.map((output) => output.name),
  ]);
  return new Set([...node.inputs, ...inner].filter((name) => name !== ""));
}

/**
 * Rebuilds a model node by node. For each node in order, `rewrite` either adds others in its place through
 * the builder and returns true (they must make the outputs that are still used), or returns false and the
 * node stays. Nodes and weights that become unused are removed. The given model is not changed.
 */
export function rewriteNodes(model: Model, rewrite: (node: Node, builder: GraphBuilder) => boolean): Model {
  const copy = copyModel(model);
  const builder = new GraphBuilder(copy);
  const { nodes } = copy.graph;
  copy.graph.nodes = [];
  for (const node of nodes) if (!rewrite(node, builder)) copy.graph.nodes.push(node);
  prune(copy.graph);
  return copy;
}

/** Removes nodes and initializers that do not lead to an output. */
export function prune(graph: Graph): void {
  const used = new Set(graph.outputs.map((output) => output.name));
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((output) => used.has(output))) continue;
    kept.push(node);
    for (const name of readsOf(node)) used.add(name);
  }
  graph.nodes = kept.reverse();
  const idle = new Set([...graph.initializers.keys()].filter((name) => !used.has(name)));
  for (const name of idle) graph.initializers.delete(name);
  graph.inputs = graph.inputs.filter((input) => !idle.has(input.name)); // old files list weights as inputs, too
  graph.values = graph.values.filter((value) => used.has(value.name));
}

/** The part of a graph that some values need, with these as its outputs. */
export function partOf(model: Model, outputs: readonly ValueInfo[]): Model {
  const copy = copyModel(model);
  const { graph } = copy;
  graph.outputs = [...outputs];
  prune(graph);
  const read = new Set([
    ...graph.nodes.flatMap((node) => [...readsOf(node)]),
    ...outputs.map(({ name }) => name),
  ]);
  graph.inputs = graph.inputs.filter(({ name }) => read.has(name));
  return copy;
}

/** Turns Constant nodes into initializers. Rewrites need this first: they look for constants only there. */
export function constantsToInitializers(model: Model): Model {
  return rewriteNodes(model, (node, { graph }) => {
    const value = node.op === "Constant" && node.domain === "" ? constantOf(node) : undefined;
    if (value) graph.initializers.set(node.outputs[0], value);
    return value !== undefined;
  });
}

/** The value of a Constant node, which may be a tensor, a number or a list of numbers. */
function constantOf(node: Node): Tensor | undefined {
  for (const { type, value } of Object.values(node.attributes)) {
    if (type === "tensor") return value;
    if (type === "float") return tensor("float32", [], [value]);
    if (type === "int") return tensor("int64", [], [value]);
    if (type === "floats") return tensor("float32", [value.length], value);
    if (type === "ints") return tensor("int64", [value.length], value);
  }
  return undefined;
}

/**
 * Gives every output of an Identity over an initializer its own initializer. Exporters merge parameters
 * of equal value (such as all LayerNorm weights of a fresh model) into one and share it by Identity; trained
 * as one, they would receive the sum of all their gradients.
 */
export function untieInitializers(model: Model): Model {
  return rewriteNodes(model, (node, { graph }) => {
    const shared = node.op === "Identity" && graph.initializers.get(node.inputs[0]);
    const isOutput = graph.outputs.some((output) => output.name === node.outputs[0]);
    if (!shared || isOutput) return false;
    const data = Array.isArray(shared.data) ? [...shared.data] : shared.data.slice();
    graph.initializers.set(node.outputs[0], { ...shared, data });
    return true;
  });
}
