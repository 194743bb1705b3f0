/** Between the protobuf messages of an ONNX file and pearl's own plain model, in both directions. */
import { ModelError } from "../errors.js";
import type { Attribute, Graph, Model, Node, ValueInfo } from "./model.js";
import type {
  AttributeProto,
  Entry,
  GraphProto,
  Int64,
  ModelProto,
  NodeProto,
  TensorProto,
  ValueInfoProto,
} from "./schema.js";
import {
  arrayOver,
  byteLength,
  bytesOf,
  type DataType,
  elementCount,
  type Tensor,
  type TensorData,
  toInt64,
  typeCode,
  typeOfCode,
} from "./tensor.js";

/** Where a tensor's bytes lie outside the model file; keys as in ONNX: location, offset, length. */
export type ExternalPlace = Record<string, string>;

/** Fetches the bytes of a tensor kept beside the model. */
export type ReadExternal = (place: ExternalPlace, bytes: number) => Uint8Array;
/** Puts a tensor beside the model and says where; undefined keeps it inside. */
export type WriteExternal = (tensor: Tensor) => ExternalPlace | undefined;

const attributeKinds = [
  ...["other", "float", "int", "string", "tensor", "graph"],
  ...["floats", "ints", "strings", "tensors", "graphs"],
] as (Attribute["type"] | undefined)[];

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// --- reading -------------------------------------------------------------------------------------------

/** @throws ModelError where the message is not a whole model. */
export function modelOfProto(proto: ModelProto, readExternal: ReadExternal): Model {
  if (!proto.graph) throw new ModelError("it holds no graph");
  if (proto.opsetImport.length === 0) throw new ModelError("it names no operator set");
  return {
    irVersion: toNumber(proto.irVersion),
    opsets: Object.fromEntries(
      proto.opsetImport.map(({ domain, version }) => [
        domain === "ai.onnx" ? "" : (domain ?? ""),
        toNumber(version),
      ]),
    ),
    producer: proto.producerName ?? "",
    producerVersion: proto.producerVersion ?? "",
    metadata: recordOf(proto.metadataProps),
    graph: graphOfProto(proto.graph, readExternal),
    ...restOf(proto),
  };
}

function graphOfProto(proto: GraphProto, readExternal: ReadExternal): Graph {
  return {
    name: proto.name ?? "",
    inputs: proto.input.map(valueOfProto),
    outputs: proto.output.map(valueOfProto),
    nodes: proto.node.map((node) => nodeOfProto(node, readExternal)),
    initializers: new Map(
      proto.initializer.map((tensor) => [tensor.name ?? "", tensorOfProto(tensor, readExternal)]),
    ),
    values: proto.valueInfo.map(valueOfProto),
    ...restOf(proto),
  };
}

function nodeOfProto(proto: NodeProto, readExternal: ReadExternal): Node {
  return {
    name: proto.name ?? "",
    op: proto.opType ?? "",
    domain: proto.domain === "ai.onnx" ? "" : (proto.domain ?? ""),
    inputs: [...proto.input],
    outputs: [...proto.output],
    attributes: Object.fromEntries(
      proto.attribute.map((attribute) => [
        attribute.name,
        { ...attributeOfProto(attribute, readExternal), ...restOf(attribute) },
      ]),
    ),
    ...restOf(proto),
  };
}

function attributeOfProto(proto: AttributeProto, readExternal: ReadExternal): Attribute {
  const type = proto.type ? attributeKinds[proto.type] : kindByContent(proto);
  switch (type) {
    case "float":
      return { type, value: proto.f ?? 0 };
    case "int":
      return { type, value: toNumber(proto.i) };
    case "string":
      return textAttribute(proto.s ?? new Uint8Array());
    case "tensor":
      return { type, value: tensorOfProto(proto.t ?? {}, readExternal) };
    case "graph":
      if (!proto.g) throw new ModelError(`attribute ${proto.name} holds no graph`);
      return { type, value: graphOfProto(proto.g, readExternal) };
    case "floats":
      return { type, value: [...(proto.floats ?? [])] };
    case "ints":
      return { type, value: (proto.ints ?? []).map(toNumber) };
    case "strings":
      return { type, value: (proto.strings ?? []).map((bytes) => utf8.decode(bytes)) };
    case "tensors":
      return { type, value: (proto.tensors ?? []).map((tensor) => tensorOfProto(tensor, readExternal)) };
    case "graphs":
      return { type, value: (proto.graphs ?? []).map((graph) => graphOfProto(graph, readExternal)) };
    default:
      return { type: "other", value: proto.type ?? 0 };
  }
}

/** IR version 1 had no type field: the content tells. */
function kindByContent(proto: AttributeProto): Attribute["type"] {
  const present = (field: keyof AttributeProto) => Object.hasOwn(proto, field);
  if (present("f")) return "float";
  if (present("i")) return "int";
  if (present("s")) return "string";
  if (present("t")) return "tensor";
  if (present("g")) return "graph";
  return (["floats", "ints", "strings", "tensors", "graphs"] as const).find(present) ?? "other";
}

function textAttribute(bytes: Uint8Array): Attribute {
  try {
    return { type: "string", value: utf8.decode(bytes) };
  } catch {
    return { type: "bytes", value: bytes };
  }
}

function tensorOfProto(proto: TensorProto, readExternal: ReadExternal): Tensor {
  const label = `tensor "${proto.name ?? ""}"`;
  const type = typeOfCode(proto.dataType ?? 0);
  if (!type) throw new ModelError(`${label} has the unknown element type ${proto.dataType ?? 0}`);
  const dims = (proto.dims ?? []).map(toNumber);
  const expected = type === "string" ? elementCount(dims) : byteLength(type, dims);
  const check = <T extends ArrayLike<unknown>>(found: T, unit = 1): T => {
    if (found.length * unit === expected) return found;
    throw new ModelError(
      `${label} of ${type} [${dims}] should hold ${expected} bytes, not ${found.length * unit}`,
    );
  };
  if (proto.dataLocation) {
    const place = recordOf(proto.externalData ?? []);
    return { type, dims, data: arrayOver(type, check(readExternal(place, expected))) };
  }
  if (proto.rawData?.length) return { type, dims, data: arrayOver(type, check(proto.rawData)) };
  const data = listedElements(proto, type);
  return { type, dims, data: check(data, Array.isArray(data) ? 1 : data.BYTES_PER_ELEMENT) };
}

/** The elements of a tensor that is written as a typed list. */
function listedElements(proto: TensorProto, type: DataType): TensorData {
  if (type === "string") return (proto.stringData ?? []).map((bytes) => utf8.decode(bytes));
  switch (type) {
    case "float32":
    case "complex64":
      return Float32Array.from(proto.floatData ?? []);
    case "float64":
    case "complex128":
      return Float64Array.from(proto.doubleData ?? []);
    case "int64":
      return new BigInt64Array(words(proto.int64Data));
    case "uint64":
      return new BigUint64Array(words(proto.uint64Data));
    case "uint32":
      return Uint32Array.from(Array.from(new BigUint64Array(words(proto.uint64Data)), Number));
    default: {
      // int32_data holds every type of 32 bits or fewer, an element (or a packed byte) per entry
      const values = proto.int32Data ?? [];
      const unit = arrayOver(type, new Uint8Array()).BYTES_PER_ELEMENT;
      const array = arrayOver(type, new Uint8Array(values.length * unit));
      (array as Int32Array).set(values);
      return array;
    }
  }
}

/** 64-bit integers as their bytes, without a BigInt for each. */
function words(values: readonly Int64[] = []): ArrayBuffer {
  const halves = new Int32Array(2 * values.length);
  values.forEach((value, i) => {
    if (typeof value === "number") new BigInt64Array(halves.buffer)[i] = BigInt(value);
    else halves.set([value.low, value.high], 2 * i);
  });
  return halves.buffer;
}

function valueOfProto(proto: ValueInfoProto): ValueInfo {
  const tensorType = proto.type?.tensorType;
  return {
    name: proto.name,
    ...(tensorType?.elemType && { type: typeOfCode(tensorType.elemType) }),
    ...(tensorType?.shape && {
      shape: (tensorType.shape.dim ?? []).map((dim) =>
        Object.hasOwn(dim, "dimValue") ? toNumber(dim.dimValue) : dim.dimParam || null,
      ),
    }),
    ...restOf(proto),
    ...(proto.type?.$unknowns && { typeRest: proto.type.$unknowns }),
  };
}

const toNumber = (value: Int64 | undefined): number =>
  typeof value === "object" ? value.toNumber() : (value ?? 0);
const recordOf = (entries: readonly Entry[]): Record<string, string> =>
  Object.fromEntries(entries.map(({ key, value }) => [key, value]));
const restOf = ({ $unknowns }: { $unknowns?: readonly Uint8Array[] }) =>
  $unknowns ? { rest: $unknowns } : {};

// --- writing -------------------------------------------------------------------------------------------

/** The message of a model; `writeExternal` may move the tensors of the main graph out of it. */
export function protoOfModel(model: Model, writeExternal: WriteExternal = () => undefined): ModelProto {
  return {
    irVersion: model.irVersion,
    producerName: model.producer,
    producerVersion: model.producerVersion,
    graph: protoOfGraph(model.graph, writeExternal),
    opsetImport: Object.entries(model.opsets).map(([domain, version]) => ({ domain, version })),
    metadataProps: entriesOf(model.metadata),
    ...unknownsOf(model),
  };
}

function protoOfGraph(graph: Graph, writeExternal?: WriteExternal): GraphProto {
  return {
    node: graph.nodes.map(protoOfNode),
    name: graph.name,
    initializer: [...graph.initializers].map(([name, tensor]) => protoOfTensor(tensor, name, writeExternal)),
    input: graph.inputs.map(protoOfValue),
    output: graph.outputs.map(protoOfValue),
    valueInfo: graph.values.map(protoOfValue),
    ...unknownsOf(graph),
  };
}

function protoOfNode(node: Node): NodeProto {
  return {
    input: node.inputs,
    output: node.outputs,
    name: node.name,
    opType: node.op,
    attribute: Object.entries(node.attributes).map(([name, attribute]) => ({
      name,
      type: attribute.type === "other" ? attribute.value : codeOfKind(attribute.type),
      ...fieldsOf(attribute),
      ...unknownsOf(attribute),
    })),
    domain: node.domain,
    ...unknownsOf(node),
  };
}

const codeOfKind = (type: Attribute["type"]): number =>
  attributeKinds.indexOf(type === "bytes" ? "string" : type);

function fieldsOf(attribute: Attribute): Partial<AttributeProto> {
  switch (attribute.type) {
    case "float":
      return { f: attribute.value };
    case "int":
      return { i: longOf(attribute.value) };
    case "string":
      return { s: Buffer.from(attribute.value) };
    case "bytes":
      return { s: attribute.value };
    case "tensor":
      return { t: protoOfTensor(attribute.value) };
    case "graph":
      return { g: protoOfGraph(attribute.value) };
    case "floats":
      return { floats: attribute.value };
    case "ints":
      return { ints: attribute.value.map(longOf) };
    case "strings":
      return { strings: attribute.value.map((text) => Buffer.from(text)) };
    case "tensors":
      return { tensors: attribute.value.map((tensor) => protoOfTensor(tensor)) };
    case "graphs":
      return { graphs: attribute.value.map((graph) => protoOfGraph(graph)) };
    default:
      return {};
  }
}

function protoOfTensor(tensor: Tensor, name?: string, writeExternal?: WriteExternal): TensorProto {
  const head = { dims: [...tensor.dims], dataType: typeCode(tensor.type), name };
  if (Array.isArray(tensor.data))
    return { ...head, stringData: tensor.data.map((text) => Buffer.from(text)) };
  const place = writeExternal?.(tensor);
  if (place) return { ...head, externalData: entriesOf(place), dataLocation: 1 };
  return { ...head, rawData: bytesOf(tensor) };
}

function protoOfValue({ name, type, shape, rest, typeRest }: ValueInfo): ValueInfoProto {
  const dim = shape?.map((size) =>
    typeof size === "number" ? { dimValue: size } : size === null ? {} : { dimParam: size },
  );
  return {
    name,
    ...((type || typeRest) && {
      type: {
        ...(type && { tensorType: { elemType: typeCode(type), ...(dim && { shape: { dim } }) } }),
        ...unknownsOf({ rest: typeRest }),
      },
    }),
    ...unknownsOf({ rest }),
  };
}

const longOf = (value: number): Int64 => {
  if (Number.isSafeInteger(value)) return value;
  const bits = toInt64(value);
  const halves = new Int32Array(BigInt64Array.of(bits).buffer);
  return { low: halves[0], high: halves[1], toNumber: () => value };
};
const entriesOf = (record: Record<string, string>): Entry[] =>
  Object.entries(record).map(([key, value]) => ({ key, value }));
const unknownsOf = ({ rest }: { rest?: readonly Uint8Array[] }) => (rest ? { $unknowns: rest } : {});
