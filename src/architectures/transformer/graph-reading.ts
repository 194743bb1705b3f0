/** Reading a graph from its result inwards: who makes a value, and the layers that it may be the result of. */
import { ModelError } from "../../errors.js";
import { floatAttribute, type Graph, intAttribute, type Node } from "../../onnx/model.js";
import { type Tensor, transposed } from "../../onnx/tensor.js";

export interface Reading {
  readonly graph: Graph;
  readonly makers: ReadonlyMap<string, Node>;
  readonly label: string;
  readonly weights: Map<string, Tensor>;
}

/** A matrix product with a weight and a bias. */
export interface Linear {
  readonly input: string;
  /** [out, in] */
  readonly weight: Tensor;
  readonly bias: Tensor;
}

/** Operators that change where numbers lie, or their type, and not what they are. */
const views = new Set([
  ...["Reshape", "Flatten", "Identity", "Transpose", "Squeeze", "Unsqueeze"],
  ...["Cast", "Dropout", "Expand"],
]);

/** The error for a graph that is none of a BERT. */
export function unlike({ label }: Reading, node: Node | undefined, why: string): ModelError {
  const where = node ? `node ${node.name || node.outputs[0]} (${node.op}): ` : "";
  return new ModelError(
    `${label}: ${where}${why}; this is not the graph of a BERT or RoBERTa encoder, the only ones that can be ` +
      "written as safetensors.",
  );
}

/** The value itself, past operators that only move numbers. */
export function origin({ makers }: Reading, value: string): string {
  let at = value;
  for (let node = makers.get(at); node && views.has(node.op); node = makers.get(at)) at = node.inputs[0];
  return at;
}

/** The node that computes a value, past operators that only move numbers. */
export const maker = (reading: Reading, value: string): Node | undefined =>
  reading.makers.get(origin(reading, value));

export interface Norm {
  readonly node: Node;
  readonly input: string;
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly epsilon: number;
}

export function norming(reading: Reading, value: string): Norm {
  const node = maker(reading, value);
  const [weight, bias] = [1, 2].map((i) => reading.graph.initializers.get(node?.inputs[i] ?? ""));
  if (node?.op !== "LayerNormalization" || weight?.dims.length !== 1 || bias?.dims.length !== 1)
    throw unlike(reading, node, `${value} does not come from a LayerNormalization`);
  // Files keep floats in 32 bits: 1e-12 is written again as people write it.
  const epsilon = Number(floatAttribute(node, "epsilon", 1e-5).toPrecision(6));
  return { node, input: node.inputs[0], weight, bias, epsilon };
}

/** A product with a stored matrix plus a stored bias, in the ways in which exporters write it. */
export function linearAt(reading: Reading, value: string): Linear | undefined {
  const node = maker(reading, value);
  const stored = (name: string) => reading.graph.initializers.get(name);
  if (node?.op === "Gemm") {
    const [weight, bias] = [stored(node.inputs[1]), stored(node.inputs[2] ?? "")];
    if (!isMatrix(weight) || bias?.dims.length !== 1 || intAttribute(node, "transA", 0) === 1)
      return undefined;
    const isTurned = intAttribute(node, "transB", 0) === 1;
    return { input: node.inputs[0], weight: isTurned ? weight : transposed(weight), bias };
  }
  if (node?.op !== "Add") return undefined;
  for (const [a, b] of [node.inputs, node.inputs.toReversed()]) {
    const [product, bias] = [maker(reading, a), stored(b)];
    const weight = product?.op === "MatMul" ? stored(product.inputs[1]) : undefined;
    if (product && isMatrix(weight) && bias?.dims.length === 1)
      return { input: product.inputs[0], weight: transposed(weight), bias };
  }
  return undefined;
}

export const isMatrix = (tensor: Tensor | undefined): tensor is Tensor =>
  tensor?.dims.length === 2 && tensor.type === "float32";
