/**
 * The part of onnx.proto that pearl reads, with ONNX's field numbers (onnx/onnx.proto, IR version 10).
 * What is not listed here survives a round trip as unknown fields.
 */
import protobuf from "protobufjs/light.js";

type Row = [id: number, type: string, rule?: "repeated" | "packed"];

const messages: Record<string, Record<string, Row>> = {
  ModelProto: {
    irVersion: [1, "int64"],
    producerName: [2, "string"],
    producerVersion: [3, "string"],
    graph: [7, "GraphProto"],
    opsetImport: [8, "OperatorSetIdProto", "repeated"],
    metadataProps: [14, "StringStringEntryProto", "repeated"],
  },
  OperatorSetIdProto: { domain: [1, "string"], version: [2, "int64"] },
  StringStringEntryProto: { key: [1, "string"], value: [2, "string"] },
  GraphProto: {
    node: [1, "NodeProto", "repeated"],
    name: [2, "string"],
    initializer: [5, "TensorProto", "repeated"],
    input: [11, "ValueInfoProto", "repeated"],
    output: [12, "ValueInfoProto", "repeated"],
    valueInfo: [13, "ValueInfoProto", "repeated"],
  },
  NodeProto: {
    input: [1, "string", "repeated"],
    output: [2, "string", "repeated"],
    name: [3, "string"],
    opType: [4, "string"],
    attribute: [5, "AttributeProto", "repeated"],
    domain: [7, "string"],
  },
  AttributeProto: {
    name: [1, "string"],
    f: [2, "float"],
    i: [3, "int64"],
    s: [4, "bytes"],
    t: [5, "TensorProto"],
    g: [6, "GraphProto"],
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
};

/** A decoded message's unknown fields, as protobufjs keeps them. */
interface Kept {
  $unknowns?: readonly Uint8Array[];
}

export type Int64 = number | { low: number; high: number; toNumber(): number };
export type Entry = { key: string; value: string };

export interface ModelProto extends Kept {
  irVersion?: Int64;
  producerName?: string;
  producerVersion?: string;
  graph?: GraphProto;
  opsetImport: { domain?: string; version?: Int64 }[];
  metadataProps: Entry[];
}
export interface GraphProto extends Kept {
  node: NodeProto[];
  name?: string;
  initializer: TensorProto[];
  input: ValueInfoProto[];
  output: ValueInfoProto[];
  valueInfo: ValueInfoProto[];
}
export interface NodeProto extends Kept {
  input: string[];
  output: string[];
  name?: string;
  opType?: string;
  attribute: AttributeProto[];
  domain?: string;
}
export interface AttributeProto extends Kept {
  name: string;
  type?: number;
  f?: number;
  i?: Int64;
  s?: Uint8Array;
  t?: TensorProto;
  g?: GraphProto;
  floats?: number[];
  ints?: Int64[];
  strings?: Uint8Array[];
  tensors?: TensorProto[];
  graphs?: GraphProto[];
}
export interface TensorProto extends Kept {
  dims?: Int64[];
  dataType?: number;
  name?: string;
  rawData?: Uint8Array;
  floatData?: number[];
  doubleData?: number[];
  int32Data?: number[];
  int64Data?: Int64[];
  uint64Data?: Int64[];
  stringData?: Uint8Array[];
  externalData?: Entry[];
  dataLocation?: number;
}
export interface ValueInfoProto extends Kept {
  name: string;
  type?: Kept & {
    tensorType?: { elemType?: number; shape?: { dim?: { dimValue?: Int64; dimParam?: string }[] } };
  };
}

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(messages).map(([message, rows]) => [
      message,
      {
        fields: Object.fromEntries(
          Object.entries(rows).map(([field, [id, type, rule]]) => [
            field,
            { id, type, ...(rule && { rule: "repeated", options: { packed: rule === "packed" } }) },
          ]),
        ),
      },
    ]),
  ),
});

const modelProto = root.lookupType("ModelProto");

/** @throws whatever protobufjs throws for bytes that are not this message. */
export function decodeModelProto(bytes: Uint8Array): ModelProto {
  // A plain view, so that byte fields are Uint8Arrays and not Buffers, whatever the bytes came in.
  const reader = protobuf.Reader.create(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  reader.discardUnknown = false;
  return modelProto.decode(reader) as unknown as ModelProto;
}

export function encodeModelProto(model: ModelProto): Uint8Array {
  return modelProto.encode(model).finish();
}
