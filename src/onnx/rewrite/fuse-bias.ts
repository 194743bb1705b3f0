/**
 * Biases and residual connections as part of the operator that follows: com.microsoft's SkipLayerNormalization in place
 * of two Adds and a norm, and BiasGelu in place of an Add and GELU. ONNX Runtime's WebGPU provider has kernels for both.
 */
import type { GraphBuilder } from "../builder.js";
import { rewriteNodes } from "../graph.js";
import { floatAttribute, intAttribute, isPlainGemm, type Model, type Node } from "../model.js";
import { transposed } from "../tensor.js";
import { any, type Bindings, find, initializer, made, type View, viewOf } from "./pattern.js";

const linear = made("Add", [made("MatMul", [any("x"), initializer("weight")]), initializer("bias")]);
const gelu = made("Gelu", [linear]);
const norm = made(
  "LayerNormalization",
  [made("Add", [linear, any("residual")]), initializer("scale"), initializer("shift")],
  (node) => intAttribute(node, "axis", -1) === -1,
);

/**
 * MatMul and Add in place of each Gemm with a stored weight: ONNX Runtime's WebGPU provider takes three times as long for
 * Gemm (measured, NVIDIA H200), and the Add can become a part of the next operator.
 */
export function splitGemms(model: Model): Model {
  return rewriteNodes(model, (node, g) => {
    const [x, weight, bias] = node.inputs;
    const stored = g.graph.initializers.get(weight);
    const hasBias = g.graph.initializers.get(bias)?.dims.length === 1;
    if (!isPlainGemm(node) || stored?.type !== "float32" || !hasBias) return false;
    const isTurned = intAttribute(node, "transB", 0) === 1;
    const columns = isTurned ? g.freshWeight(`${weight}_columns`, transposed(stored)) : weight;
    g.add("Add", [g.add("MatMul", [x, columns]), bias], {}, { name: node.name, outputs: node.outputs });
    return true;
  });
}

/** @param model with fused norms, GELUs and attention */
export function fuseBiases(model: Model): Model {
  const view = viewOf(model.graph);
  return rewriteNodes(model, (node, g) => {
    if (node.op === "Gelu") return fuseGelu(node, g, view);
    return node.op === "LayerNormalization" && fuseNorm(node, g, view);
  });
}

function fuseGelu(node: Node, g: GraphBuilder, view: View): boolean {
  const found = find(gelu, node.outputs[0], view);
  if (!found || !isBias(found, view)) return false;
  g.add("BiasGelu", [g.add("MatMul", [found.x, found.weight]), found.bias], {}, optionsOf(node));
  return true;
}

function fuseNorm(node: Node, g: GraphBuilder, view: View): boolean {
  const found = find(norm, node.outputs[0], view);
  if (!found || !isBias(found, view) || !isResidual(found, view)) return false;
  const { x, weight, residual, scale, shift, bias } = found;
  const inputs = [g.add("MatMul", [x, weight]), residual, scale, shift, bias];
  const epsilon = floatAttribute(node, "epsilon", 1e-5);
  g.add("SkipLayerNormalization", inputs, { epsilon: { type: "float", value: epsilon } }, optionsOf(node));
  return true;
}

const optionsOf = ({ name, outputs }: Node) => ({ name, outputs, domain: "com.microsoft" });

/** One number for each column of the weight, so that the sum has the product's shape. */
function isBias({ weight, bias }: Bindings, { initializers }: View): boolean {
  const [columns, numbers] = [initializers.get(weight)?.dims, initializers.get(bias)?.dims];
  return columns?.length === 2 && numbers?.length === 1 && numbers[0] === columns[1];
}

/** Operators whose output has their first input's shape, but for the last axis. */
const byRow = new Set(["Attention", "BiasGelu", "Gelu", "MatMul", "Relu", "Tanh"]);

/** Whether the product is computed from the normed residual row by row: both then have the same shape. */
function isResidual({ x, residual, scale }: Bindings, { producers, initializers }: View): boolean {
  const source = producers.get(residual);
  if (source?.op !== "LayerNormalization") return false;
  const widths = [source.inputs[1], scale].map((name) => initializers.get(name)?.dims.join());
  for (let value = x; value !== residual; ) {
    const node = producers.get(value);
    if (!node) return false;
    const isSum = node.op === "Add" && node.inputs.some((name) => initializers.get(name)?.dims.length === 1);
    const attention = node.op === "Reshape" ? producers.get(node.inputs[0]) : undefined;
    if (attention?.op === "Attention") {
      // a list of all tokens becomes rows for attention, and then a list again
      const rows = producers.get(attention.inputs[0]);
      if (rows?.op !== "Reshape") return false;
      value = rows.inputs[0];
    } else if (isSum) value = node.inputs.find((name) => !initializers.has(name)) ?? "";
    else if (
      byRow.has(node.op) &&
      (node.op !== "MatMul" || initializers.get(node.inputs[1])?.dims.length === 2)
    )
      value = node.inputs[0];
    else return false;
  }
  return widths[0] !== undefined && widths[0] === widths[1];
}
