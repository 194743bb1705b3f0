/**
 * Self-attention as one operator, com.microsoft's Attention, in place of the dozen that exporters write for it. ONNX
 * Runtime's WebGPU provider computes it in four kernels: one product for queries, keys and values with their biases,
 * two copies, and flash attention.
 */
import type { GraphBuilder } from "../builder.js";
import { rewriteNodes } from "../graph.js";
import { floatAttribute, intAttribute, isPlainGemm, type Model, type Node } from "../model.js";
import { elementCount, numbersOf, type Tensor, tensor, transposed } from "../tensor.js";
import {
  any,
  type Bindings,
  byHead,
  either,
  find,
  initializer,
  made,
  named,
  type Pattern,
  scalarOf,
  scoresOf,
  type View,
  viewOf,
} from "./pattern.js";

const parts = ["query", "key", "value"] as const;

/** x · weight + bias, cut into heads: [batch, tokens, heads, width of a head] */
const heads = (part: string): Pattern =>
  made("Reshape", [
    named(
      `${part} rows`,
      made("Add", [made("MatMul", [any("x"), initializer(`${part} weight`)]), initializer(`${part} bias`)]),
    ),
    any(`${part} shape`),
  ]);

const products = scoresOf(heads("query"), heads("key"));
const scores = made("Add", [
  either(made("Div", [products, initializer("divisor")]), made("Mul", [products, initializer("factor")])),
  any("mask"),
]);
const overLastAxis = (node: Node): boolean => [-1, 3].includes(intAttribute(node, "axis", -1));
const probabilities = either(
  made("Softmax", [scores], overLastAxis),
  // how upgradeOpset writes Softmax of operator set 12 and older
  made("Reshape", [
    made("Softmax", [
      made("Flatten", [named("scores", scores)], (node) => intAttribute(node, "axis", 1) === 3),
    ]),
    made("Shape", [any("scores")]),
  ]),
);
/** softmax(query · keyᵀ · scale + mask) · value, the heads side by side again: [batch, tokens, width] */
const attention = made("Reshape", [
  named("mixed", byHead(made("MatMul", [probabilities, byHead(heads("value"))]))),
  any("shape"),
]);

/** Attention nodes in place of their decompositions. @param model with constants as initializers */
export function fuseAttention(model: Model): Model {
  const view = viewOf(model.graph);
  const masks = new Map<string, string>();
  return rewriteNodes(model, (node, g) => {
    const found = node.op === "Reshape" ? find(attention, node.outputs[0], view) : undefined;
    const sizes = found && sizesOf(found, view);
    if (!sizes) return false;
    const options = { name: node.name, outputs: node.outputs };
    // tokens as one list of all rows, as pearl's own graphs have them
    const listed = sizes.batchAndTokens;
    const x = listed ? asRows(g, found.x, listed, sizes.inner) : found.x;
    masks.set(found.mask, masks.get(found.mask) ?? squareMask(g, x, found.mask));
    const mixed = g.add(
      "Attention",
      [x, weights(found, view, g), biases(found, view, g), "", "", masks.get(found.mask) as string],
      { num_heads: { type: "int", value: sizes.heads }, scale: { type: "float", value: sizes.scale } },
      { ...(!listed && options), domain: "com.microsoft" },
    );
    if (listed) g.add("Reshape", [mixed, found.shape], {}, options);
    return true;
  });
}

interface Sizes {
  readonly heads: number;
  /** The factor of the scores. */
  readonly scale: number;
  /** Width of x. */
  readonly inner: number;
  /** Where x is a list of all tokens: their shape in rows, int64 [2]. */
  readonly batchAndTokens: string | undefined;
}

/** Undefined where the shapes are not those of self-attention. */
function sizesOf(found: Bindings, view: View): Sizes | undefined {
  const [matrices, vectors] = ["weight", "bias"].map((what) =>
    parts.map((part) => view.initializers.get(found[`${part} ${what}`]) as Tensor),
  );
  const [inner, width] = matrices[0].dims;
  const sameSizes =
    [...matrices, ...vectors].every(({ type }) => type === "float32") &&
    matrices.every(({ dims }) => dims.join() === [inner, width].join()) &&
    vectors.every(({ dims }) => dims.join() === String(width));
  const listShapes = parts.map((part) => listShape(found[`${part} shape`], view));
  const [batchAndTokens] = new Set(listShapes).size === 1 ? listShapes : [undefined];
  const split = parts.map((part) =>
    batchAndTokens === undefined
      ? lastSizes(found[`${part} shape`], [found[`${part} rows`], found.x], width, view)
      : numbersOf(view.initializers.get(lastInput(found[`${part} shape`], view)) as Tensor),
  );
  const joined =
    batchAndTokens === undefined
      ? lastSizes(found.shape, [found.mixed, found.x], width, view)?.join() === String(width)
      : constantSizes(found.shape, view)?.join() === [-1, width].join();
  const number = scalarOf(found.divisor ?? found.factor, view);
  if (!sameSizes || !joined || number === undefined) return undefined;
  if (split.some((sizes) => sizes?.length !== 2 || sizes.join() !== split[0]?.join())) return undefined;
  const [heads, size] = split[0] as number[];
  if (heads * size !== width) return undefined;
  const scale = found.divisor === undefined ? number : 1 / number;
  return { heads, scale, inner, batchAndTokens };
}

const constantSizes = (shape: string, { initializers }: View): number[] | undefined => {
  const constant = initializers.get(shape);
  return constant && numbersOf(constant);
};

const lastInput = (shape: string, { producers }: View): string => producers.get(shape)?.inputs.at(-1) ?? "";

/** The shape of a [batch, tokens] value that a Reshape's shape begins with, before two constants. */
function listShape(shape: string, view: View): string | undefined {
  const node = view.producers.get(shape);
  if (node?.op !== "Concat" || node.inputs.length !== 2) return undefined;
  const [first, last] = node.inputs;
  const isShape = view.producers.get(first)?.op === "Shape";
  return isShape && constantSizes(last, view)?.length === 2 ? first : undefined;
}

const asRows = (g: GraphBuilder, x: string, shape: string, width: number): string =>
  g.add("Reshape", [x, g.add("Concat", [shape, g.ints(width)], { axis: 0 })]);

/**
 * The sizes that follow batch and tokens in a Reshape's shape, with a -1 among them worked out from their product;
 * undefined where the shape does not begin with the first two sizes of one of `sources`.
 */
function lastSizes(
  shape: string,
  sources: readonly string[],
  product: number,
  view: View,
): number[] | undefined {
  const constant = view.initializers.get(shape);
  const node = view.producers.get(shape);
  let sizes: (number | undefined)[];
  if (constant) {
    const [batch, tokens, ...rest] = numbersOf(constant);
    if (batch !== 0 || !(tokens === 0 || (tokens === -1 && !rest.includes(-1)))) return undefined;
    sizes = rest;
  } else {
    if (node?.op !== "Concat") return undefined;
    const [batch, tokens, ...rest] = node.inputs;
    if (!isSize(batch, 0, sources, view) || !isSize(tokens, 1, sources, view)) return undefined;
    sizes = rest.map((name) => {
      const listed = view.producers.get(name);
      return scalarOf(listed?.op === "Unsqueeze" ? listed.inputs[0] : name, view);
    });
  }
  const known = sizes.filter((size) => size !== -1).reduce<number>((a, b) => a * (b ?? Number.NaN), 1);
  const full = sizes.map((size) => (size === -1 ? product / known : (size as number)));
  return elementCount(full) === product && full.every((size) => Number.isInteger(size) && size > 0)
    ? full
    : undefined;
}

/** Whether a value is the size of an axis of one of `sources`, as a list of one number. */
function isSize(value: string, axis: number, sources: readonly string[], view: View): boolean {
  const size = made("Unsqueeze", [made("Gather", [made("Shape", [any("source")]), any("axis")])]);
  const found = find(size, value, view);
  return found !== undefined && sources.includes(found.source) && scalarOf(found.axis, view) === axis;
}

/** The three weights side by side, [width of x, 3 · width]. */
function weights(found: Bindings, { initializers }: View, g: GraphBuilder): string {
  const matrices = parts.map((part) => initializers.get(found[`${part} weight`]) as Tensor);
  const [rows, columns] = matrices[0].dims;
  const data = new Float32Array(3 * rows * columns);
  matrices.forEach((matrix, part) => {
    for (let row = 0; row < rows; row++)
      data.set(
        (matrix.data as Float32Array).subarray(row * columns, (row + 1) * columns),
        (3 * row + part) * columns,
      );
  });
  return g.freshWeight("attention_weight", tensor("float32", [rows, 3 * columns], data));
}

function biases(found: Bindings, { initializers }: View, g: GraphBuilder): string {
  const vectors = parts.map((part) => numbersOf(initializers.get(found[`${part} bias`]) as Tensor));
  const all = vectors.flat();
  return g.freshWeight("attention_bias", tensor("float32", [all.length], all));
}

/** The mask with a row for each query, as the operator wants it: [batch or 1, heads or 1, tokens, tokens]. */
function squareMask(g: GraphBuilder, x: string, mask: string): string {
  const tokens = g.add("Slice", [g.add("Shape", [x]), g.ints(1), g.ints(2)]);
  return g.add("Expand", [mask, g.add("Concat", [g.ints(1, 1), tokens, tokens], { axis: 0 })]);
}

/**
 * Biases and residual connections as part of the operator that follows: com.microsoft's SkipLayerNormalization in place
 * of two Adds and a norm, and BiasGelu in place of an Add and GELU. ONNX Runtime's WebGPU provider has kernels for both.
 */
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
