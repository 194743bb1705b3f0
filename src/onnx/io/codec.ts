/** Converts the protobuf messages of an ONNX file to pearl's plain model and back. */
import { isUtf8 } from "node:buffer";
import { ModelError } from "../../errors.js";
import type { Attribute, Graph, Model, Node, Rest, ValueInfo } from "../model.js";
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
} from "../tensor.js";
import type { Int64, Message } from "./schema.js";

/** The place of a tensor's bytes outside the model file; keys as in ONNX: location, offset, length. */
type ExternalPlace = Record<string, string>;
export type ReadExternal = (place: ExternalPlace, bytes: number) => Uint8Array;
/** Writes a tensor outside the model file and returns the place; undefined keeps the tensor inside. */
type WriteExternal = (tensor: Tensor) => ExternalPlace | undefined;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const textOf = (bytes: Uint8Array): string => utf8.decode(bytes);
const bytesOfText = (text: string): Uint8Array => Buffer.from(text);
const toNumber = (value: Int64 = 0): number => (typeof value === "object" ? value.toNumber() : value);

function longOf(value: number): Int64 {
  if (Number.isSafeInteger(value)) return value;
  const [low, high] = new Int32Array(BigInt64Array.of(toInt64(value)).buffer);
  return { low, high, toNumber: () => value };
}

const bigIntOf = (value: Int64): bigint =>
  typeof value === "number" ? BigInt(value) : (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);

/** "ai.onnx" is another name of "". */
const plainDomain = (domain = "") => (domain === "ai.onnx" ? "" : domain);
const recordOf = (entries: readonly Message<"StringStringEntryProto">[] = []): Record<string, string> =>
  Object.fromEntries(entries.map(({ key = "", value = "" }) => [key, value]));
const entriesOf = (record: Record<string, string>) =>
  Object.entries(record).map(([key, value]) => ({ key, value }));
const restOf = ({ $unknowns }: { $unknowns?: Rest }) => ($unknowns ? { rest: $unknowns } : {});
const unknownsOf = (rest?: Rest) => (rest ? { $unknowns: rest } : {});

/** @throws ModelError for an incomplete model */
export function modelOfProto(proto: Message<"ModelProto">, external: ReadExternal): Model {
  const { graph, opsets, metadata, producer = "", producerVersion = "" } = proto;
  if (!graph) throw new ModelError("it holds no graph");
  if (!opsets?.length) throw new ModelError("it names no operator set");
  return {
    irVersion: toNumber(proto.irVersion),
    opsets: Object.fromEntries(opsets.map(({ domain, version }) => [plainDomain(domain), toNumber(version)])),
    producer,
    producerVersion,
    metadata: recordOf(metadata),
    graph: graphOfProto(graph, external),
    ...restOf(proto),
  };
}

/** The message of a model; `external` may move the tensors of the main graph out of it. */
export function protoOfModel(model: Model, external: WriteExternal = () => undefined): Message<"ModelProto"> {
  return {
    ...model,
    graph: protoOfGraph(model.graph, external),
    opsets: Object.entries(model.opsets).map(([domain, version]) => ({ domain, version })),
    metadata: entriesOf(model.metadata),
    ...unknownsOf(model.rest),
  };
}

function graphOfProto(proto: Message<"GraphProto">, external: ReadExternal): Graph {
  const { name = "", inputs = [], outputs = [], nodes = [], initializers = [], values = [] } = proto;
  return {
    name,
    inputs: inputs.map(valueOfProto),
    outputs: outputs.map(valueOfProto),
    nodes: nodes.map((node) => nodeOfProto(node, external)),
    initializers: new Map(initializers.map((tensor) => [tensor.name ?? "", tensorOfProto(tensor, external)])),
    values: values.map(valueOfProto),
    ...restOf(proto),
  };
}

function protoOfGraph(graph: Graph, external?: WriteExternal): Message<"GraphProto"> {
  const { name, nodes, initializers, inputs, outputs, values, rest } = graph;
  return {
    name,
    nodes: nodes.map(protoOfNode),
    initializers: [...initializers].map(([name, tensor]) => ({ name, ...protoOfTensor(tensor, external) })),
    inputs: inputs.map(protoOfValue),
    outputs: outputs.map(protoOfValue),
    values: values.map(protoOfValue),
    ...unknownsOf(rest),
  };
}

function nodeOfProto(proto: Message<"NodeProto">, external: ReadExternal): Node {
  const { name = "", op = "", domain, inputs = [], outputs = [], attributes = [] } = proto;
  const entries = attributes.map((attribute) => {
    return [attribute.name, { ...attributeOfProto(attribute, external), ...restOf(attribute) }];
  });
  return {
    ...{ name, op, domain: plainDomain(domain), inputs: [...inputs], outputs: [...outputs] },
    attributes: Object.fromEntries(entries),
    ...restOf(proto),
  };
}

function protoOfNode({ attributes, rest, ...node }: Node): Message<"NodeProto"> {
  const entries = Object.entries(attributes).map(([name, attribute]) => {
    return { name, ...protoOfAttribute(attribute), ...unknownsOf(attribute.rest) };
  });
  return { ...node, attributes: entries, ...unknownsOf(rest) };
}

type AttributeProto = Message<"AttributeProto">;

/** A kind of attribute, and the conversions of each value from and to the field of the same name. */
interface AttributeRow {
  type: Exclude<Attribute["type"], "bytes" | "other">;
  read(held: unknown, external: ReadExternal): unknown;
  write(value: unknown): unknown;
}

const same = (value: unknown): unknown => value;

const singles: AttributeRow[] = [
  { type: "float", read: same, write: same },
  { type: "int", read: toNumber, write: longOf },
  { type: "string", read: textOf, write: bytesOfText },
  { type: "tensor", read: tensorOfProto, write: (tensor: Tensor) => protoOfTensor(tensor) },
  { type: "graph", read: graphOfProto, write: (graph: Graph) => protoOfGraph(graph) },
];
const lists = singles.map((row) => ({ ...row, type: `${row.type}s` as AttributeRow["type"] }));

/** In the order of their numbers in AttributeProto.AttributeType, from 1. */
const attributeRows = [...singles, ...lists];

function attributeOfProto(proto: AttributeProto, external: ReadExternal): Attribute {
  // IR version 1 had no type: the field shows it.
  const row = proto.type
    ? attributeRows[proto.type - 1]
    : attributeRows.find(({ type }) => Object.hasOwn(proto, type));
  if (!row) return { type: "other", value: proto.type ?? 0 };
  const { type, read } = row;
  if (type === "string" && proto.string && !isUtf8(proto.string))
    return { type: "bytes", value: proto.string };
  const held: unknown = proto[type];
  const value = Array.isArray(held) ? held.map((item) => read(item, external)) : read(held, external);
  return { type, value } as Attribute;
}

function protoOfAttribute({ type, value }: Attribute): AttributeProto {
  if (type === "other") return { type: value };
  if (type === "bytes") return { type: 3, string: value };
  const index = attributeRows.findIndex((row) => row.type === type);
  const { write } = attributeRows[index];
  const held = Array.isArray(value) ? value.map((item) => write(item)) : write(value);
  return { type: index + 1, [type]: held };
}

function tensorOfProto(proto: Message<"TensorProto">, external: ReadExternal): Tensor {
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
    const place = recordOf(proto.externalData);
    return { type, dims, data: arrayOver(type, check(external(place, expected))) };
  }
  if (proto.rawData?.length) return { type, dims, data: arrayOver(type, check(proto.rawData)) };
  const data = listedElements(proto, type);
  return { type, dims, data: check(data, Array.isArray(data) ? 1 : data.BYTES_PER_ELEMENT) };
}

/** The lists of numbers in which types are written; int32Data has all others, an entry for each packed byte. */
const numberLists: Partial<Record<DataType, "floatData" | "doubleData">> = {
  ...{ float32: "floatData", complex64: "floatData" },
  ...{ float64: "doubleData", complex128: "doubleData" },
};

function listedElements(proto: Message<"TensorProto">, type: DataType): TensorData {
  const { stringData = [], int64Data = [], uint64Data = [] } = proto;
  if (type === "string") return stringData.map(textOf);
  if (type === "int64") return BigInt64Array.from(int64Data, bigIntOf);
  if (type === "uint64") return BigUint64Array.from(uint64Data, bigIntOf);
  if (type === "uint32") return Uint32Array.from(uint64Data, toNumber);
  const values = proto[numberLists[type] ?? "int32Data"] ?? [];
  const unit = arrayOver(type, new Uint8Array()).BYTES_PER_ELEMENT;
  const array = arrayOver(type, new Uint8Array(values.length * unit));
  (array as Float64Array).set(values);
  return array;
}

function protoOfTensor(tensor: Tensor, external?: WriteExternal): Message<"TensorProto"> {
  const head = { dims: [...tensor.dims], dataType: typeCode(tensor.type) };
  if (Array.isArray(tensor.data)) return { ...head, stringData: tensor.data.map(bytesOfText) };
  const place = external?.(tensor);
  if (place) return { ...head, externalData: entriesOf(place), dataLocation: 1 };
  return { ...head, rawData: bytesOf(tensor) };
}

function valueOfProto({ name = "", type, ...proto }: Message<"ValueInfoProto">): ValueInfo {
  const { elemType, shape } = type?.tensorType ?? {};
  return {
    name,
    ...(elemType && { type: typeOfCode(elemType) }),
    ...(shape && {
      shape: (shape.dim ?? []).map((dim) =>
        Object.hasOwn(dim, "dimValue") ? toNumber(dim.dimValue) : dim.dimParam || null,
      ),
    }),
    ...restOf(proto),
    ...(type?.$unknowns && { typeRest: type.$unknowns }),
  };
}

function protoOfValue({ name, type, shape, rest, typeRest }: ValueInfo): Message<"ValueInfoProto"> {
  const dim = shape?.map((size) =>
    typeof size === "number" ? { dimValue: size } : size === null ? {} : { dimParam: size },
  );
  const tensorType = type && { elemType: typeCode(type), ...(dim && { shape: { dim } }) };
  return {
    name,
    ...((tensorType || typeRest) && { type: { ...(tensorType && { tensorType }), ...unknownsOf(typeRest) } }),
    ...unknownsOf(rest),
  };
}
