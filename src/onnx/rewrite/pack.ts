/**
 * One upload per batch. What a graph computes of a batch's integers alone (masks, positions, labels) runs on the host;
 * what the device reads of it comes in one float32 vector, which the graph cuts and casts there: a copy to a GPU has a
 * cost of its own, however small it is.
 */
import { madeFor } from "../../by-key.js";
import { GraphBuilder } from "../builder.js";
import { partOf } from "../graph.js";
import { copyModel, intAttribute, type Model, type Node } from "../model.js";
import { type DataType, numbersOf, typeCode, typeOfCode } from "../tensor.js";

interface PackedModel {
  /** From the batch to the packed values, as float32; the output of a value is `packed/VALUE`. */
  readonly host: Model;
  /** Reads {@link packed}, {@link placeOf} each value, and inputs of the batch that only shapes depend on. */
  readonly device: Model;
  /** The packed values in order, with their types. */
  readonly values: ReadonlyMap<string, DataType>;
}

/** Input of the device's graph: all packed values, float32 [numbers]. */
export const packed = "packed";

export const outputOf = (value: string): string => `packed/${value}`;

/** Inputs that only the host reads: first number, number after the last, int64 [1] each, and shape, int64 [rank]. */
export const placeOf = (value: string): readonly string[] =>
  ["from", "to", "shape"].map((what) => `packed_${what}/${value}`);

/** @param batch the inputs that lie in main memory and differ from run to run */
export function packInputs(model: Model, batch: ReadonlySet<string>): PackedModel {
  const host = hostValues(model, batch);
  const device = copyModel(model);
  const g = new GraphBuilder(device);
  const values = new Map<string, DataType>();
  const made = new Map<string, string>();
  const unpacked = (name: string, type: DataType): string => {
    const plain = madeFor(made, name, () => {
      if (values.size === 0) g.input(packed, "float32", ["numbers"]);
      values.set(name, host.get(name) as DataType);
      const [from, to, shape] = placeOf(name).map((input) => g.input(input, "int64", [null]));
      return g.add("Reshape", [g.add("Slice", [packed, from, to]), shape]);
    });
    return type === "float32" ? plain : madeFor(made, `${name} ${type}`, () => g.cast(plain, type));
  };
  const { nodes } = device.graph;
  device.graph.nodes = [];
  for (const node of nodes) {
    const [output] = node.outputs;
    const moved = host.get(node.inputs[0]);
    if (!host.has(output) && views.has(node.op) && moved && isInteger(moved)) {
      // by the shape of a value on the device: as float32, since ONNX Runtime moves integers on the CPU
      const [x, ...rest] = node.inputs;
      made.set(output, g.add(node.op, [unpacked(x, "float32"), ...rest], node.attributes));
      host.set(output, moved);
    } else if (!host.has(output)) {
      const types = typesRead(node, host, model);
      node.inputs = node.inputs.map((name, i) => {
        const type = types[i];
        if (type === undefined) return name;
        if (host.has(name)) return unpacked(name, type);
        const constant = model.graph.initializers.get(name);
        return constant ? g.constant(type, constant.dims, numbersOf(constant)) : name;
      });
    }
    device.graph.nodes.push(node);
  }
  return { host: hostModel(model, values), device: partOf(device, model.graph.outputs), values };
}

function hostModel(model: Model, values: ReadonlyMap<string, DataType>): Model {
  const copy = copyModel(model);
  const g = new GraphBuilder(copy);
  const outputs = [...values].map(([name]) => {
    g.add("Cast", [name], { to: typeCode("float32") }, { outputs: [outputOf(name)] });
    return { name: outputOf(name) };
  });
  return partOf(copy, outputs);
}

const views = new Set(["Expand", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"]);
const comparisons = new Set(["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"]);

/** Operators that make integers of integers, and what is computed with shapes. */
const integerOperators = new Set(
  (
    "Abs Add And Cast Concat CumSum Div Expand Flatten Gather GatherElements Identity Max Min Mod " +
    "Mul Neg Not Or Range ReduceMax ReduceMin ReduceProd ReduceSum Reshape Shape Size Slice Split " +
    "Squeeze Sub Tile TopK Transpose Unsqueeze Where"
  ).split(" "),
);

/** Inputs of the batch, and integers that follow from them alone, by name with their types. */
function hostValues({ graph }: Model, batch: ReadonlySet<string>): Map<string, DataType> {
  const constants = new Map(
    [...graph.initializers].flatMap(([name, { type }]) => (isInteger(type) ? [[name, type] as const] : [])),
  );
  const host = new Map<string, DataType>();
  for (const { name, type } of graph.inputs) if (batch.has(name) && type) host.set(name, type);
  for (const node of graph.nodes) {
    const read = node.inputs.filter((name) => name !== "");
    const isConstant = read.every((name) => constants.has(name));
    if (!isConstant && !read.every((name) => host.has(name) || constants.has(name))) continue;
    const type = integerType(node, (name) => host.get(name) ?? constants.get(name));
    if (type) for (const output of node.outputs) (isConstant ? constants : host).set(output, type);
  }
  return host;
}

/** The integer type of a node's outputs; undefined where it makes no integers. */
function integerType(node: Node, typeOf: (name: string) => DataType | undefined): DataType | undefined {
  const { op, domain, inputs, attributes } = node;
  if (op === "Constant" && attributes.value?.type === "tensor") {
    const { type } = attributes.value.value;
    return isInteger(type) ? type : undefined;
  }
  if (domain !== "" || !integerOperators.has(op)) return undefined;
  if (op === "Shape" || op === "Size") return "int64";
  const type =
    op === "Cast" ? typeOfCode(intAttribute(node, "to", 0)) : typeOf(inputs[op === "Where" ? 1 : 0]);
  return type && isInteger(type) ? type : undefined;
}

const isInteger = (type: DataType): boolean => /^u?int|^bool/.test(type);

/**
 * The types in which a node on the device reads values of the host, and constants beside them; undefined for an input
 * that stays. GPUs have few kernels for int64: what needs others is computed by ONNX Runtime on the CPU, as shapes are.
 */
function typesRead(
  { op, inputs }: Node,
  host: ReadonlyMap<string, DataType>,
  { graph }: Model,
): (DataType | undefined)[] {
  if (comparisons.has(op) && inputs.some((name) => host.get(name) === "int64")) {
    const isKnown = inputs.every((name) => host.has(name) || graph.initializers.has(name));
    return inputs.map(() => (isKnown ? "int32" : undefined));
  }
  return inputs.map((name, i) => {
    const type = host.get(name);
    if (type === undefined || type === "float32" || type === "int32" || type === "bool") return type;
    if (op === "Cast") return "int32";
    if (type === "int64" && i === 1 && /^Gather(Elements)?$/.test(op)) return "int32";
    return type === "int64" && i === 1 && /^(GatherND|ScatterND|ScatterElements)$/.test(op)
      ? type
      : undefined;
  });
}
