/**
 * Weights stored as int8 and computed in float32: a quarter of the file, and vectors that depend on batch and processor by
 * rounding alone. A weight is stored as integers with a scale for each row of a table or each output of a product. The nodes
 * Cast and Mul make the weight of them, and ONNX Runtime folds both into a constant when it opens the file.
 */
import { prune } from "../graph.js";
import { copyModel, intAttribute, type Model, type Node } from "../model.js";
import { type Tensor, tensor, typeCode } from "../tensor.js";
import { quantizeMatrix } from "./quantize.js";

/** Elements at least: smaller weights are not worth two nodes. */
const smallest = 1024;

/**
 * A copy whose matrices, those of look-ups and products, are stored as int8. A number changes by at most 1/254 of the largest
 * one of its scale.
 */
export function storeInt8(model: Model): Model {
  const copy = copyModel(model);
  const { graph } = copy;
  const made: Node[] = [];
  for (const [name, per] of readers(graph.nodes)) {
    const weight = graph.initializers.get(name);
    if (weight?.type !== "float32" || weight.dims.length !== 2 || weight.data.length < smallest) continue;
    const [rows, columns] = weight.dims;
    const rounding = { per, largest: 127 } as const;
    const { integers, scales } = quantizeMatrix(weight.data as Float32Array, columns, rounding);
    const [int8, scale, cast] = [`${name}_int8`, `${name}_scale`, `${name}_cast`];
    graph.initializers.delete(name);
    graph.initializers.set(int8, tensor("int8", [rows, columns], integers));
    graph.initializers.set(scale, tensor("float32", per === "row" ? [rows, 1] : [columns], scales));
    const to = { type: "int", value: typeCode("float32") } as const;
    made.push({ name: cast, op: "Cast", domain: "", inputs: [int8], outputs: [cast], attributes: { to } });
    made.push({ name, op: "Mul", domain: "", inputs: [cast, scale], outputs: [name], attributes: {} });
  }
  graph.nodes.unshift(...made);
  graph.inputs = graph.inputs.filter(({ name }) => !made.some((node) => node.name === name));
  return copy;
}

/** Weights by name that nodes read as matrices, with what has a scale: a row of a table, an output of a product. */
function readers(nodes: readonly Node[]): Map<string, "row" | "column"> {
  const found = new Map<string, "row" | "column">();
  for (const node of nodes) {
    const isLookup = node.op === "Gather" && intAttribute(node, "axis", 0) === 0;
    if (isLookup) found.set(node.inputs[0], "row");
    else if (node.op === "MatMul" || node.op === "Gemm")
      found.set(node.inputs[1], intAttribute(node, "transB", 0) ? "row" : "column");
  }
  return found;
}

/** The model with weights stored as int8 as float32 initializers of their own names; others are left as they are. */
export function unpackInt8(model: Model): Model {
  const { initializers, nodes } = model.graph;
  const casts = new Map(
    nodes.flatMap(({ op, inputs, outputs }) => {
      const stored = initializers.get(inputs[0] ?? "");
      return op === "Cast" && stored?.type === "int8" && stored.dims.length === 2
        ? [[outputs[0], stored] as const]
        : [];
    }),
  );
  if (casts.size === 0) return model;
  const copy = copyModel(model);
  const { graph } = copy;
  graph.nodes = graph.nodes.filter(({ op, inputs, outputs }) => {
    const stored = op === "Mul" ? casts.get(inputs[0]) : undefined;
    const scales = stored && initializers.get(inputs[1]);
    if (!stored || !scales || !isOwnScale(scales, stored)) return true;
    graph.initializers.set(outputs[0], scaled(stored, scales));
    return false;
  });
  prune(graph);
  return copy;
}

/** False for another maker's graph with one scale for all, or scales of another type. */
const isOwnScale = ({ type, dims }: Tensor, { dims: [rows, columns] }: Tensor): boolean =>
  type === "float32" && [`${rows},1`, `${columns}`].includes(String(dims));

function scaled({ dims, data }: Tensor, scales: Tensor): Tensor {
  const [, columns] = dims;
  const byRow = scales.dims.length === 2;
  const factors = scales.data as Float32Array;
  const values = Float32Array.from(data as Int8Array, (value, i) => {
    return value * factors[byRow ? Math.floor(i / columns) : i % columns];
  });
  return tensor("float32", [...dims], values);
}
