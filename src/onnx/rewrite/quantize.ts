/**
 * Weights as int8: a quarter of the file, and faster products on processors.
 *
 * A product x · W becomes (scale of x) · (scale of each column of W) · (x in uint8) · (W in int8): weights are
 * rounded once, symmetrically, with a scale per column; activations while running, with one scale for the
 * whole batch (ONNX's DynamicQuantizeLinear). So, other than in float32, a phrase's vector moves by some
 * thousandths with the batch that it travels in. ONNX Runtime fuses the operators to one kernel.
 */

import type { GraphBuilder } from "../builder.js";
import { rewriteNodes } from "../graph.js";
import { floatAttribute, intAttribute, type Model, type Node } from "../model.js";
import { type Tensor, tensor, transposed, typeCode } from "../tensor.js";
import { upgradeOpset } from "./upgrade.js";

export interface QuantizeOptions {
  /**
   * Bits of a weight. With 7, two products of a weight and an activation always fit into 16 bits, which is
   * how processors without VNNI add them up; with 8 they clip now and then. Default 7.
   */
  bits?: 7 | 8;
  /** Weights with fewer elements stay as they are; default 1,024. */
  smallest?: number;
  /** What happens to products: "int8" (the default), or they are "kept" and only large tables are int8. */
  products?: "int8" | "kept";
}

/** Embedding tables below this size are not worth the two operators more. */
const smallestTable = 65_536;

/** A copy whose MatMul, Gemm and large embedding weights are int8; other nodes are left as they are. */
export function quantizeDynamic(model: Model, options: QuantizeOptions = {}): Model {
  const { bits = 7, smallest = 1024, products = "int8" } = options;
  const known = { weights: new Map<string, QuantizedWeight>(), activations: new Map<string, string[]>() };
  const { initializers } = model.graph;
  // DynamicQuantizeLinear is there from version 11 on.
  return rewriteNodes(model.opsets[""] < 11 ? upgradeOpset(model) : model, (node, g) => {
    const matrix = initializers.get(node.inputs[node.op === "Gather" ? 0 : 1] ?? "");
    if (node.domain !== "" || matrix?.type !== "float32" || matrix.dims.length !== 2) return false;
    if (node.op === "Gather" && intAttribute(node, "axis", 0) === 0 && matrix.data.length >= smallestTable) {
      addLookup(
        node,
        g,
        once(known.weights, `rows of ${node.inputs[0]}`, () => addTable(node, g, matrix)),
      );
      return true;
    }
    const product = node.op === "MatMul" || (node.op === "Gemm" && isPlainGemm(node));
    if (products === "kept" || !product || matrix.data.length < smallest) return false;
    const [x, name] = node.inputs;
    const weight = once(known.weights, `columns ${intAttribute(node, "transB", 0)} of ${name}`, () =>
      addWeight(node, g, matrix, bits === 7 ? 64 : 127),
    );
    const activation = once(known.activations, x, () => g.addMany("DynamicQuantizeLinear", [x], 3));
    addProduct(node, g, activation, weight);
    return true;
  });
}

/** What the map holds under a key, made on first use: values that several nodes read are quantised once. */
function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

const isPlainGemm = (node: Node): boolean =>
  intAttribute(node, "transA", 0) === 0 &&
  floatAttribute(node, "alpha", 1) === 1 &&
  floatAttribute(node, "beta", 1) === 1;

interface QuantizedWeight {
  /** int8 [in, out], or [rows, width] of a table. */
  matrix: string;
  /** float32 [out], or [rows, 1]. */
  scales: string;
}

function addWeight(node: Node, g: GraphBuilder, matrix: Tensor, largest: number): QuantizedWeight {
  const straight = intAttribute(node, "transB", 0) ? transposed(matrix) : matrix;
  const [rows, columns] = straight.dims;
  const { integers, scales } = quantizeColumns(straight.data as Float32Array, columns, largest);
  const stem = node.inputs[1];
  return {
    matrix: g.freshWeight(`${stem}_int8`, tensor("int8", [rows, columns], integers)),
    scales: g.freshWeight(`${stem}_scale`, tensor("float32", [columns], scales)),
  };
}

function addProduct(
  node: Node,
  g: GraphBuilder,
  [x, xScale, xZero]: string[],
  weight: QuantizedWeight,
): void {
  const bias = node.op === "Gemm" ? node.inputs[2] : undefined;
  const sums = g.add("MatMulInteger", [x, weight.matrix, xZero], {}, { name: node.name });
  const scale = g.add("Mul", [xScale, weight.scales]);
  const last = bias ? {} : { outputs: node.outputs };
  const product = g.add("Mul", [g.add("Cast", [sums], { to: typeCode("float32") }), scale], {}, last);
  if (bias) g.add("Add", [product, bias], {}, { outputs: node.outputs });
}

function addTable(node: Node, g: GraphBuilder, table: Tensor): QuantizedWeight {
  const [rows, columns] = table.dims;
  const { integers, scales } = quantizeRows(table.data as Float32Array, columns);
  return {
    matrix: g.freshWeight(`${node.inputs[0]}_int8`, tensor("int8", [rows, columns], integers)),
    scales: g.freshWeight(`${node.inputs[0]}_scale`, tensor("float32", [rows, 1], scales)),
  };
}

/** Rows are multiplied out after they are looked up. */
function addLookup(node: Node, g: GraphBuilder, { matrix, scales }: QuantizedWeight): void {
  const ids = node.inputs[1];
  const rows = g.add("Cast", [g.add("Gather", [matrix, ids])], { to: typeCode("float32") });
  g.add("Mul", [rows, g.add("Gather", [scales, ids])], {}, { name: node.name, outputs: node.outputs });
}

/** Tables that {@link quantizeDynamic} made int8, by their first names, as float32 [rows, width]. */
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

/** Integers in [-largest, largest] and a scale per column, for a row-major matrix. */
export function quantizeColumns(matrix: Float32Array, columns: number, largest: number) {
  const scales = new Float32Array(columns);
  for (let start = 0; start < matrix.length; start += columns)
    for (let column = 0; column < columns; column++)
      scales[column] = Math.max(scales[column], Math.abs(matrix[start + column]));
  for (let column = 0; column < columns; column++) scales[column] = scales[column] / largest || 1;
  const integers = new Int8Array(matrix.length);
  for (let start = 0; start < matrix.length; start += columns)
    for (let column = 0; column < columns; column++)
      integers[start + column] = Math.round(matrix[start + column] / scales[column]);
  return { integers, scales };
}

/** Integers in [-127, 127] and a scale per row, for a row-major matrix. */
export function quantizeRows(matrix: Float32Array, columns: number) {
  const scales = new Float32Array(matrix.length / columns);
  const integers = new Int8Array(matrix.length);
  scales.forEach((_, row) => {
    const values = matrix.subarray(row * columns, (row + 1) * columns);
    let peak = 0;
    for (const value of values) peak = Math.max(peak, Math.abs(value));
    const scale = Math.fround(peak / 127) || 1;
    scales[row] = scale;
    for (let i = 0; i < columns; i++) integers[row * columns + i] = Math.round(values[i] / scale);
  });
  return { integers, scales };
}
