/**
 * Weights stored as small integers and computed in float32: a quarter or an eighth of the file, and vectors that depend on
 * batch and processor by rounding alone. A weight is stored as integers with a scale for each row of a table or each output
 * of a product. Nodes make the weight of them, and ONNX Runtime folds these into a constant when it opens the file.
 */
import { GraphBuilder } from "../builder.js";
import { prune } from "../graph.js";
import { copyModel, type Graph, intAttribute, type Model, type Node } from "../model.js";
import { type Tensor, tensor } from "../tensor.js";
import { quantizeMatrix } from "./quantize.js";

/** Elements at least: smaller weights are not worth more nodes. */
const smallest = 1024;

/** Integers of four bits are -7 to 7, stored with this added. */
const middle = 8;

interface StoreOptions {
  /** Bits of a number of a table. With 4, a byte holds the number of a column and of the one half the columns further. */
  readonly tables?: 4 | 8;
}

/**
 * A copy whose matrices, those of look-ups and products, are stored as integers. With eight bits a number changes by at most
 * 1/254 of the largest one of its scale. With four the scale is the one of nine with the smallest error in the mean square.
 */
export function storeIntegers(model: Model, { tables = 8 }: StoreOptions = {}): Model {
  const copy = copyModel(model);
  const { graph } = copy;
  const g = new GraphBuilder(copy);
  const others = graph.nodes.splice(0);
  for (const [name, { per, isTable }] of readers(others)) {
    const weight = graph.initializers.get(name);
    if (weight?.type !== "float32" || weight.dims.length !== 2 || weight.data.length < smallest) continue;
    const [rows, columns] = weight.dims;
    const isPacked = tables === 4 && isTable && columns % 2 === 0;
    graph.initializers.delete(name);
    graph.inputs = graph.inputs.filter((input) => input.name !== name);
    const { integers, scales } = isPacked
      ? packedRows(weight.data as Float32Array, columns)
      : quantizeMatrix(weight.data as Float32Array, columns, { per, largest: 127 });
    const stored = isPacked
      ? g.weight(`${name}_int4`, tensor("uint8", [rows, columns / 2], integers))
      : g.weight(`${name}_int8`, tensor("int8", [rows, columns], integers));
    const scale = g.weight(`${name}_scale`, tensor("float32", per === "row" ? [rows, 1] : [columns], scales));
    const wide = g.cast(stored, "float32");
    g.add("Mul", [isPacked ? unpackedColumns(g, wide) : wide, scale], {}, { name, outputs: [name] });
  }
  graph.nodes.push(...others);
  return copy;
}

/** Two numbers a byte, and the scale of each row. */
function packedRows(matrix: Float32Array, columns: number) {
  const half = columns / 2;
  const integers = new Uint8Array(matrix.length / 2);
  const scales = new Float32Array(matrix.length / columns);
  for (let row = 0; row < scales.length; row++) {
    const values = matrix.subarray(row * columns, (row + 1) * columns);
    scales[row] = bestScale(values);
    const rounded = (column: number) => fourBits(values[column], scales[row]) + middle;
    for (let i = 0; i < half; i++) integers[row * half + i] = rounded(i) + 16 * rounded(half + i);
  }
  return { integers, scales };
}

const fourBits = (value: number, scale: number): number =>
  Math.max(1 - middle, Math.min(middle - 1, Math.round(value / scale)));

/** Rounding to few steps errs less where the largest numbers are cut. */
function bestScale(values: Float32Array): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (let share = 1; share > 0.59; share -= 0.05) {
    const scale = Math.fround((share * largest) / (middle - 1)) || 1;
    const error = values.reduce((sum, value) => sum + (value - fourBits(value, scale) * scale) ** 2, 0);
    if (error < least) [best, least] = [scale, error];
  }
  return best;
}

/** Both numbers of each byte, without {@link middle}: the first halves of the rows, then the second ones. */
function unpackedColumns(g: GraphBuilder, bytes: string): string {
  const second = g.add("Floor", [g.add("Mul", [bytes, g.scalar("float32", 1 / 16)])]);
  const first = g.add("Sub", [bytes, g.add("Mul", [second, g.scalar("float32", 16)])]);
  return g.add("Sub", [g.add("Concat", [first, second], { axis: 1 }), g.scalar("float32", middle)]);
}

interface Reader {
  /** What has a scale: a row of a table or of a transposed weight, or a column, which is an output of a product. */
  readonly per: "row" | "column";
  readonly isTable: boolean;
}

/** Weights by name that nodes read as matrices. */
function readers(nodes: readonly Node[]): Map<string, Reader> {
  const found = new Map<string, Reader>();
  for (const node of nodes) {
    const isTable = node.op === "Gather" && intAttribute(node, "axis", 0) === 0;
    if (isTable) found.set(node.inputs[0], { per: "row", isTable });
    else if (node.op === "MatMul" || node.op === "Gemm")
      found.set(node.inputs[1], { per: intAttribute(node, "transB", 0) ? "row" : "column", isTable });
  }
  return found;
}

/** The model with weights stored as integers as float32 initializers of their own names; others are left as they are. */
export function unpackIntegers(model: Model): Model {
  const found = new Map(
    model.graph.nodes.flatMap((node) => {
      const weight = node.op === "Mul" ? storedWeight(model.graph, node) : undefined;
      return weight ? [[node, weight] as const] : [];
    }),
  );
  if (found.size === 0) return model;
  const copy = copyModel(model);
  const { graph } = copy;
  graph.nodes = graph.nodes.filter((_, i) => !found.has(model.graph.nodes[i]));
  for (const [{ outputs }, weight] of found) graph.initializers.set(outputs[0], weight);
  prune(graph);
  return copy;
}

/** What {@link storeIntegers} stored as the output of this node; another maker's names or shapes differ. */
function storedWeight(
  { initializers }: Graph,
  { inputs: [, scale], outputs: [name] }: Node,
): Tensor | undefined {
  const stored = initializers.get(`${name}_int8`) ?? initializers.get(`${name}_int4`);
  const scales = scale === `${name}_scale` ? initializers.get(scale) : undefined;
  if (stored?.dims.length !== 2 || scales?.type !== "float32") return undefined;
  const isPacked = stored.type === "uint8";
  const [rows, width] = stored.dims;
  const columns = isPacked ? 2 * width : width;
  const byRow = String(scales.dims) === `${rows},1`;
  if (!byRow && (isPacked || String(scales.dims) !== `${columns}`)) return undefined;
  const integers = stored.data as Int8Array | Uint8Array;
  const factors = scales.data as Float32Array;
  const values = new Float32Array(rows * columns);
  for (let row = 0, i = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, i++) {
      const byte = isPacked ? integers[row * width + (column % width)] : integers[i];
      const number = isPacked ? (column < width ? byte % 16 : byte >> 4) - middle : byte;
      values[i] = number * factors[byRow ? row : column];
    }
  return tensor("float32", [rows, columns], values);
}
