/** Looking at a graph and rewriting it: who makes a value, what is used, and the one way in which nodes change. */
import { GraphBuilder } from "./builder.js";
import { copyModel, type Graph, type Model, type Node, subgraphs } from "./model.js";
import type { Tensor } from "./tensor.js";

/** The node that makes each value. */
export function producersOf(graph: Graph): Map<string, Node> {
  return new Map(graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
}

/** The nodes that read each value, those with a subgraph that reads it included. */
export function consumersOf(graph: Graph): Map<string, Node[]> {
  const consumers = new Map<string, Node[]>();
  for (const node of graph.nodes)
    for (const input of readsOf(node)) {
      const known = consumers.get(input);
      if (known) known.push(node);
      else consumers.set(input, [node]);
    }
  return consumers;
}

/** All values that a node reads, also from within its subgraphs. */
function readsOf(node: Node): Set<string> {
  const inner = subgraphs(node).flatMap((graph) => [
    ...graph.nodes.flatMap((child) => [...readsOf(child)]),
    ...graph.outputs.map((output) => output.name),
  ]);
  return new Set([...node.inputs, ...inner].filter((name) => name !== ""));
}

/**
 * Rebuilds a model node by node. For each node in order, `rewrite` either adds others in its place through
 * the builder and returns true (they must make the outputs that are still used), or returns false and the
 * node stays. What nobody uses afterwards is left out. The model given is not changed.
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

/** Takes out nodes and initializers that do not lead to an output. */
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

/** Constant nodes become initializers. Rewrites need this first: they look for constants there alone. */
export function constantsToInitializers(model: Model): Model {
  return rewriteNodes(model, (node, { graph }) => {
    const value = node.op === "Constant" && node.domain === "" ? constantOf(node) : undefined;
    if (value) graph.initializers.set(node.outputs[0], value);
    return value !== undefined;
  });
}

/** The value of a Constant node, in any of the ways it may be written. */
function constantOf(node: Node): Tensor | undefined {
  for (const attribute of Object.values(node.attributes))
    switch (attribute.type) {
      case "tensor":
        return attribute.value;
      case "float":
        return { type: "float32", dims: [], data: Float32Array.of(attribute.value) };
      case "int":
        return { type: "int64", dims: [], data: BigInt64Array.of(BigInt(attribute.value)) };
      case "floats":
        return { type: "float32", dims: [attribute.value.length], data: Float32Array.from(attribute.value) };
      case "ints":
        return {
          type: "int64",
          dims: [attribute.value.length],
          data: BigInt64Array.from(attribute.value, BigInt),
        };
    }
  return undefined;
}

/**
 * Gives every value that Identity hands out from an initializer an initializer of its own.
 * Exporters merge parameters of equal value (all LayerNorm weights of a fresh model, say) into one and share
 * it so; trained as one, they would get the sum of all their gradients.
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
