/**
 * Quantises weights to int8: a quarter of the file, and faster products on processors.
 *
 * A product x · W becomes (scale of x) · (scale of each column of W) · (x in uint8) · (W in int8): weights are
 * rounded once, symmetrically, with a scale per column; activations at run time, with one scale for the
 * whole batch (ONNX's DynamicQuantizeLinear). Unlike in float32, a phrase's embedding changes by some
 * thousandths with its batch. ONNX Runtime fuses the operators to one kernel.
 */
import { madeFor } from "../../by-key.js";
import type { GraphBuilder } from "../builder.js";
import { rewriteNodes } from "../graph.js";
import { intAttribute, isPlainGemm, type Model, type Node } from "../model.js";
import { type Tensor, tensor, transposed } from "../tensor.js";
import { upgradeOpset } from "./upgrade.js";

/**
 * The largest integer of a product's weight. With 7 bits, the sum of two products of a weight and an activation
 * always fits into 16 bits, in which processors without VNNI add them; with 8 bits it sometimes overflows.
 */
const largestWeight = 64;

/** Elements of a product's weight and of an embedding table at least: smaller ones are not worth more operators. */
const [smallestWeight, smallestTable] = [1024, 65_536];

/**
 * A copy whose MatMul, Gemm and large embedding weights are int8; other nodes are left as they are.
 * @param options.products "kept": only large tables become int8; default "int8"
 */
export function quantizeDynamic(model: Model, options: { products?: "int8" | "kept" } = {}): Model {
  // what several nodes read is quantised once
  const known = new Map<string, string[]>();
  const { initializers } = model.graph;
  // DynamicQuantizeLinear exists from version 11 on.
  return rewriteNodes(model.opsets[""] < 11 ? upgradeOpset(model) : model, (node, g) => {
    const isLookup = node.op === "Gather" && intAttribute(node, "axis", 0) === 0;
    const [first, second] = node.inputs;
    const name = isLookup ? first : second;
    const matrix = initializers.get(name ?? "");
    if (node.domain !== "" || matrix?.type !== "float32" || matrix.dims.length !== 2) return false;
    if (isLookup) {
      if (matrix.data.length < smallestTable) return false;
      const table = madeFor(known, `rows of ${name}`, () => {
        return addWeight(g, name, matrix, { per: "row", largest: 127 });
      });
      addLookup(node, g, table);
      return true;
    }
    const isProduct = node.op === "MatMul" || isPlainGemm(node);
    if (options.products === "kept" || !isProduct || matrix.data.length < smallestWeight) return false;
    const isTransposed = intAttribute(node, "transB", 0);
    const weight = madeFor(known, `columns ${isTransposed} of ${name}`, () => {
      const straight = isTransposed ? transposed(matrix) : matrix;
      return addWeight(g, name, straight, { per: "column", largest: largestWeight });
    });
    const activation = madeFor(known, `activation ${first}`, () =>
      g.addMany("DynamicQuantizeLinear", [first], 3),
    );
    addProduct(node, g, activation, weight);
    return true;
  });
}

interface Rounding {
  readonly per: "row" | "column";
  readonly largest: number;
}

/** Adds the weights as int8, [rows, columns], and their scales as float32, [rows, 1] or [columns]; returns both names. */
function addWeight(g: GraphBuilder, stem: string, { dims, data }: Tensor, rounding: Rounding): string[] {
  const [rows, columns] = dims;
  const { integers, scales } = quantizeMatrix(data as Float32Array, columns, rounding);
  const shape = rounding.per === "row" ? [rows, 1] : [columns];
  return [
    g.freshWeight(`${stem}_int8`, tensor("int8", [rows, columns], integers)),
    g.freshWeight(`${stem}_scale`, tensor("float32", shape, scales)),
  ];
}

function addProduct(node: Node, g: GraphBuilder, activation: string[], weight: string[]): void {
  const [x, xScale, xZero] = activation;
  const [matrix, scales] = weight;
  const bias = node.op === "Gemm" ? node.inputs[2] : undefined;
  const sums = g.add("MatMulInteger", [x, matrix, xZero], {}, { name: node.name });
  const scale = g.add("Mul", [xScale, scales]);
  const last = bias ? {} : { outputs: node.outputs };
  const product = g.add("Mul", [g.cast(sums, "float32"), scale], {}, last);
  if (bias) g.add("Add", [product, bias], {}, { outputs: node.outputs });
}

/** Rows are scaled after they are looked up. */
function addLookup(node: Node, g: GraphBuilder, [matrix, scales]: string[]): void {
  const ids = node.inputs[1];
  const rows = g.cast(g.add("Gather", [matrix, ids]), "float32");
  g.add("Mul", [rows, g.add("Gather", [scales, ids])], {}, { name: node.name, outputs: node.outputs });
}

/** The float32 tables, [rows, width], that {@link quantizeDynamic} made int8, by their original names. */
export function dequantizedTables(initializers: ReadonlyMap<string, Tensor>): Map<string, Tensor> {
  const tables = new Map<string, Tensor>();
  for (const [name, { type, dims, data }] of initializers) {
    const stem = name.replace(/_int8$/, "");
    const scales = initializers.get(`${stem}_scale`);
    if (type !== "int8" || stem === name || scales?.dims[1] !== 1) continue;
    const values = Float32Array.from(data as Int8Array, (value, i) => {
      return value * (scales.data as Float32Array)[Math.floor(i / dims[1])];
    });
    tables.set(stem, tensor("float32", [...dims], values));
  }
  return tables;
}

/** Integers in [-largest, largest] and a scale per row or column, for a row-major matrix. */
export function quantizeMatrix(matrix: Float32Array, columns: number, { per, largest }: Rounding) {
  const byRow = per === "row";
  const scales = new Float32Array(byRow ? matrix.length / columns : columns);
  for (let start = 0, row = 0; start < matrix.length; start += columns, row++)
    for (let column = 0; column < columns; column++) {
      const index = byRow ? row : column;
      scales[index] = Math.max(scales[index], Math.abs(matrix[start + column]));
    }
  for (let index = 0; index < scales.length; index++)
    scales[index] = Math.fround(scales[index] / largest) || 1;
  const integers = new Int8Array(matrix.length);
  for (let start = 0, row = 0; start < matrix.length; start += columns, row++)
    for (let column = 0; column < columns; column++)
      integers[start + column] = Math.round(matrix[start + column] / scales[byRow ? row : column]);
  return { integers, scales };
}
