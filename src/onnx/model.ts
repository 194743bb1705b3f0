/** A model as plain data: what an ONNX file holds, in the words that the rest of pearl uses. */
import type { DataType, Tensor } from "./tensor.js";

export interface Model {
  irVersion: number;
  /** Version of each operator set by domain; "" is ONNX's own. */
  opsets: Record<string, number>;
  producer: string;
  producerVersion: string;
  metadata: Record<string, string>;
  graph: Graph;
  rest?: Rest;
}

export interface Graph {
  name: string;
  inputs: ValueInfo[];
  outputs: ValueInfo[];
  /** In an order that can be run: every input is made before it is used. */
  nodes: Node[];
  /** Weights and constants by name. */
  initializers: Map<string, Tensor>;
  /** Types of inner values, where the exporter wrote them. */
  values: ValueInfo[];
  rest?: Rest;
}

/** One operator at work: reads the values named in `inputs`, makes those named in `outputs`. */
export interface Node {
  name: string;
  op: string;
  /** "" for ONNX's own operators, else for example "com.microsoft". */
  domain: string;
  /** "" stands for an optional input left out. */
  inputs: string[];
  outputs: string[];
  attributes: Record<string, Attribute>;
  rest?: Rest;
}

export type Attribute = { rest?: Rest } & (
  | { type: "float"; value: number }
  | { type: "int"; value: number }
  | { type: "string"; value: string }
  /** A string that is not text, such as a tokeniser's model. */
  | { type: "bytes"; value: Uint8Array }
  | { type: "tensor"; value: Tensor }
  | { type: "graph"; value: Graph }
  | { type: "floats"; value: number[] }
  | { type: "ints"; value: number[] }
  | { type: "strings"; value: string[] }
  | { type: "tensors"; value: Tensor[] }
  | { type: "graphs"; value: Graph[] }
  /** Kinds that pearl does not look into, by their number; all their content is in `rest`. */
  | { type: "other"; value: number }
);

/** A named value's type and shape. A dimension is a size, a symbol ("batch"), or null where unknown. */
export interface ValueInfo {
  name: string;
  /** Absent where unknown or not a tensor. */
  type?: DataType;
  shape?: Dimension[];
  rest?: Rest;
  /** What the type holds other than a tensor type (sequences, maps, ...). */
  typeRest?: Rest;
}

export type Dimension = number | string | null;

/** Protobuf fields that pearl does not look into (functions, doc strings, ...): carried along byte for byte. */
export type Rest = readonly Uint8Array[];

type ValueOf<T> = Extract<Attribute, { type: T }>["value"];

/** Reads an attribute of one type; the fallback stands for one that the node leaves out. */
const reader =
  <T extends Attribute["type"]>(type: T) =>
  <F>(node: Node, name: string, fallback: F): ValueOf<T> | F => {
    const attribute = node.attributes[name];
    return (attribute?.type === type ? attribute.value : fallback) as ValueOf<T> | F;
  };

export const intAttribute: (node: Node, name: string, fallback: number) => number = reader("int");
export const floatAttribute: (node: Node, name: string, fallback: number) => number = reader("float");
export const stringAttribute: (node: Node, name: string, fallback: string) => string = reader("string");
export const intsAttribute = (node: Node, name: string) => reader("ints")(node, name, undefined);

/** True for x W + b, where W may be transposed, without factors. */
export const isPlainGemm = (node: Node): boolean =>
  node.op === "Gemm" &&
  intAttribute(node, "transA", 0) === 0 &&
  floatAttribute(node, "alpha", 1) === 1 &&
  floatAttribute(node, "beta", 1) === 1;

/** The graphs inside a node (the branches of If, the body of Loop or Scan). */
export function subgraphs(node: Node): Graph[] {
  return Object.values(node.attributes).flatMap((attribute) =>
    attribute.type === "graph" ? [attribute.value] : attribute.type === "graphs" ? attribute.value : [],
  );
}

/** A copy that can be rewritten freely; tensors are shared, since nobody changes them in place. */
export function copyModel(model: Model): Model {
  const { graph } = model;
  return {
    ...model,
    opsets: { ...model.opsets },
    graph: {
      ...graph,
      inputs: [...graph.inputs],
      outputs: [...graph.outputs],
      nodes: graph.nodes.map((node) => ({ ...node, inputs: [...node.inputs], outputs: [...node.outputs] })),
      initializers: new Map(graph.initializers),
      values: [...graph.values],
    },
  };
}
