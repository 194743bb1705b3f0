/**
 * The part of onnx.proto that pearl reads, with ONNX's field numbers (onnx/onnx.proto, IR version 10) and pearl's
 * names. Fields that are not listed survive a round trip as unknown ones.
 */
import protobuf from "protobufjs/light.js";

/** Message → field → [number, type, "repeated" or "packed"]. */
const messages = {
  ModelProto: {
    irVersion: [1, "int64"],
    producer: [2, "string"],
    producerVersion: [3, "string"],
    graph: [7, "GraphProto"],
    opsets: [8, "OperatorSetIdProto", "repeated"],
    metadata: [14, "StringStringEntryProto", "repeated"],
  },
  OperatorSetIdProto: { domain: [1, "string"], version: [2, "int64"] },
  StringStringEntryProto: { key: [1, "string"], value: [2, "string"] },
  GraphProto: {
    nodes: [1, "NodeProto", "repeated"],
    name: [2, "string"],
    initializers: [5, "TensorProto", "repeated"],
    inputs: [11, "ValueInfoProto", "repeated"],
    outputs: [12, "ValueInfoProto", "repeated"],
    values: [13, "ValueInfoProto", "repeated"],
  },
  NodeProto: {
    inputs: [1, "string", "repeated"],
    outputs: [2, "string", "repeated"],
    name: [3, "string"],
    op: [4, "string"],
    attributes: [5, "AttributeProto", "repeated"],
    domain: [7, "string"],
  },
  AttributeProto: {
    name: [1, "string"],
    float: [2, "float"],
    int: [3, "int64"],
    string: [4, "bytes"],
    tensor: [5, "TensorProto"],
    graph: [6, "GraphProto"],
    floats: [7, "float", "repeated"],
    ints: [8, "int64", "repeated"],
    strings: [9, "bytes", "repeated"],
    tensors: [10, "TensorProto", "repeated"],
    graphs: [11, "GraphProto", "repeated"],
    type: [20, "int32"],
  },
  TensorProto: {
    dims: [1, "int64", "repeated"],
    dataType: [2, "int32"],
    floatData: [4, "float", "packed"],
    int32Data: [5, "int32", "packed"],
    stringData: [6, "bytes", "repeated"],
    int64Data: [7, "int64", "packed"],
    name: [8, "string"],
    rawData: [9, "bytes"],
    doubleData: [10, "double", "packed"],
    uint64Data: [11, "uint64", "packed"],
    externalData: [13, "StringStringEntryProto", "repeated"],
    dataLocation: [14, "int32"],
  },
  ValueInfoProto: { name: [1, "string"], type: [2, "TypeProto"] },
  TypeProto: { tensorType: [1, "TensorTypeProto"] },
  TensorTypeProto: { elemType: [1, "int32"], shape: [2, "TensorShapeProto"] },
  TensorShapeProto: { dim: [1, "DimensionProto", "repeated"] },
  DimensionProto: { dimValue: [1, "int64"], dimParam: [2, "string"] },
} as const;

type Messages = typeof messages;
type Scalars = {
  int32: number;
  int64: Int64;
  uint64: Int64;
  float: number;
  double: number;
  string: string;
  bytes: Uint8Array;
};
type Field<T> = T extends keyof Scalars ? Scalars[T] : T extends keyof Messages ? Message<T> : never;

/** 64-bit integers come as two halves, and may be given as numbers. */
export type Int64 = number | { low: number; high: number; toNumber(): number };

/** A message as protobufjs takes and gives it, its unknown fields included. */
export type Message<M extends keyof Messages> = {
  -readonly [F in keyof Messages[M]]?: Messages[M][F] extends readonly [number, infer T, unknown]
    ? Field<T>[]
    : Messages[M][F] extends readonly [number, infer T]
      ? Field<T>
      : never;
} & { $unknowns?: readonly Uint8Array[] };

type Row = readonly [id: number, type: string, rule?: "repeated" | "packed"];

const fieldOf = ([id, type, rule]: Row) =>
  rule ? { id, type, rule: "repeated", options: { packed: rule === "packed" } } : { id, type };

const modelProto = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(messages).map(([message, rows]) => [
      message,
      { fields: Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, fieldOf(row as Row)])) },
    ]),
  ),
}).lookupType("ModelProto");

export function decodeModelProto(bytes: Uint8Array): Message<"ModelProto"> {
  // A plain view, so that byte fields are Uint8Arrays and not Buffers, whatever the bytes came in.
  const reader = protobuf.Reader.create(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  reader.discardUnknown = false;
  return modelProto.decode(reader) as unknown as Message<"ModelProto">;
}

export function encodeModelProto(model: Message<"ModelProto">): Uint8Array {
  return modelProto.encode(model as Record<string, unknown>).finish();
}
