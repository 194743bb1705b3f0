/**
 * Float16 in place of float32: half the memory of weights and activations, and faster products on a GPU. Inputs and
 * outputs of the graph keep their types. Devices without a kernel for float16 compute an operator in float32.
 */
import { ModelError } from "../../errors.js";
import { GraphBuilder } from "../builder.js";
import { toFloat16 } from "../io/float16.js";
import { copyModel, type Model, type Node, subgraphs } from "../model.js";
import { type Tensor, tensor, typeCode } from "../tensor.js";

/** The largest number of float16, and the smallest above 0: masks near -∞ and small denominators stay such. */
const [largest, smallest] = [65_504, 2 ** -24];

const [single, half] = [typeCode("float32"), typeCode("float16")];

/**
 * A copy that computes in float16. @param model with constants as initializers
 * @throws ModelError for quantised graphs and graphs with branches or loops
 */
export function toHalf(model: Model): Model {
  const copy = copyModel(model);
  const { graph } = copy;
  const obstacle = graph.nodes.find((node) => /Quantize|Integer/.test(node.op) || subgraphs(node).length > 0);
  if (obstacle)
    throw new ModelError(
      `the graph has ${obstacle.op} nodes and cannot compute in half precision. Use "full".`,
    );
  for (const [name, weight] of graph.initializers) graph.initializers.set(name, narrowed(weight));
  graph.values = [];
  const g = new GraphBuilder(copy);
  const nodes = graph.nodes;
  graph.nodes = [];
  const renamed = new Map<string, string>();
  for (const { name, type } of graph.inputs)
    if (type === "float32" && !graph.initializers.has(name))
      renamed.set(name, g.add("Cast", [name], { to: half }));
  for (const { name, type } of graph.outputs)
    if (type === undefined || type === "float32") renamed.set(name, g.fresh(`${name}_half`));
  const read = (name: string) => renamed.get(name) ?? name;
  for (const node of nodes)
    graph.nodes.push({ ...inHalf(node), inputs: node.inputs.map(read), outputs: node.outputs.map(read) });
  for (const { name } of graph.outputs)
    if (renamed.has(name)) g.add("Cast", [read(name)], { to: single }, { outputs: [name] });
  return copy;
}

/** A node whose attributes name float32 as its type, with float16. */
function inHalf(node: Node): Node {
  const { op, attributes } = node;
  const { to, value } = attributes;
  if (op === "Cast" && to?.type === "int" && to.value === single)
    return { ...node, attributes: { ...attributes, to: { ...to, value: half } } };
  if (op !== "ConstantOfShape") return node;
  const filling = value?.type === "tensor" ? value.value : tensor("float32", [1], [0]);
  return { ...node, attributes: { ...attributes, value: { type: "tensor", value: narrowed(filling) } } };
}

function narrowed(weight: Tensor): Tensor {
  if (weight.type !== "float32") return weight;
  const fitting = Float32Array.from(weight.data as Float32Array, (x) => {
    if (x === 0 || Number.isNaN(x)) return x;
    return Math.sign(x) * Math.min(largest, Math.max(smallest, Math.abs(x)));
  });
  return { type: "float16", dims: weight.dims, data: toFloat16(fitting) };
}
