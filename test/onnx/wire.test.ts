/** Files are read and written as the protocol buffers library does it. */
import protobuf from "protobufjs/light.js";
import { describe, expect, it } from "vitest";
import { encodeModel, GraphBuilder, tensor } from "../../src/onnx/index.js";
import { decodeModelProto, encodeModelProto, messages } from "../../src/onnx/schema.js";
import { type FieldRow, type PlainMessage, wiring } from "../../src/onnx/wire.js";
import { createRandom } from "../../src/random.js";

const library = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(messages).map(([message, rows]) => [
      message,
      {
        fields: Object.fromEntries(
          Object.entries(rows as Record<string, FieldRow>).map(([name, [id, type, rule]]) => [
            name,
            { id, type, ...(rule && { rule: "repeated", options: { packed: rule === "packed" } }) },
          ]),
        ),
      },
    ]),
  ),
});
const onnx = wiring(messages);

/** The library's idea of a message, as plain as ours. */
function byLibrary(message: string, bytes: Uint8Array): PlainMessage {
  const reader = protobuf.Reader.create(bytes);
  reader.discardUnknown = false;
  return library.lookupType(message).decode(reader) as unknown as PlainMessage;
}

/** Own fields alone, without empty lists; 64-bit integers as numbers. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if ("toNumber" in value) return (value as { toNumber(): number }).toNumber();
  const filled = Object.entries(value).filter(([, item]) => !(Array.isArray(item) && item.length === 0));
  return Object.fromEntries(filled.map(([name, item]) => [name, plain(item)]));
}

const random = createRandom(11);
const below = (limit: number) => Math.floor(random() * limit);
const few = <T>(make: () => T): T[] => Array.from({ length: below(4) }, make);

/** Numbers of all sizes, 0 and negative ones too. */
const integer = (bits: number) =>
  random() < 0.2 ? 0 : Math.trunc((random() - 0.5) * 2 ** (1 + below(bits)));

function drawn(type: string, depth: number): unknown {
  if (type === "int32") return integer(31);
  if (type === "int64") return integer(53);
  if (type === "uint64") return Math.abs(integer(53));
  if (type === "float") return random() < 0.2 ? [0, -0, Number.NaN][below(3)] : Math.fround(random() - 0.5);
  if (type === "double") return random() - 0.5;
  if (type === "string") return ["", "a", "straße 山👍", "x".repeat(300)][below(4)];
  if (type === "bytes") return Uint8Array.from(few(() => below(256)));
  const rows: Record<string, FieldRow> = messages[type as keyof typeof messages];
  const fields = Object.entries(rows).filter(([, [, own]]) => depth > 0 || !(own in messages));
  return Object.fromEntries(
    fields
      .filter(() => random() < 0.6)
      .map(([name, [, own, rule]]) => [
        name,
        rule ? few(() => drawn(own, depth - 1)) : drawn(own, depth - 1),
      ]),
  );
}

describe("wiring", () => {
  it("writes the library's bytes, and reads what it reads", () => {
    for (let i = 0; i < 300; i++) {
      const message = Object.keys(messages)[i % Object.keys(messages).length];
      const value = drawn(message, 3) as PlainMessage;
      const bytes = onnx.encode(message, value);
      expect(Buffer.from(bytes).equals(library.lookupType(message).encode(value).finish())).toBe(true);
      expect(plain(onnx.decode(message, bytes))).toEqual(plain(byLibrary(message, bytes)));
    }
  });

  it("keeps integers of 64 bits", () => {
    const ints = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 60n) - 7n, -1n, 0n];
    const g = new GraphBuilder();
    const held = g.weight("held", tensor("int64", [ints.length], BigInt64Array.from(ints)));
    g.output("ints", held, "int64");
    const proto = decodeModelProto(encodeModel(g.model()));
    const listed = { int64Data: ints.map(halves), name: "listed", dims: [ints.length], dataType: 7 };
    proto.graph?.initializer?.push(listed);
    const again = decodeModelProto(encodeModelProto(proto)).graph?.initializer?.at(-1)?.int64Data ?? [];
    expect(again.map(wholeOf)).toEqual(ints);
  });

  it("leaves defaults to a message that holds nothing", () => {
    const empty = onnx.decode("AttributeProto", new Uint8Array());
    expect(Object.keys(empty)).toEqual([]);
    expect(empty).toMatchObject({ f: 0, i: 0, name: "", floats: [] });
  });

  it("keeps fields that it does not know, and refuses what is cut off", () => {
    // field 99 as bytes, field 98 of 4 bytes, field 1 with another wire type than its own
    const bytes = Uint8Array.of(0x9a, 6, 2, 7, 8, 0x95, 6, 1, 2, 3, 4, 0x0d, 1, 1, 1, 1);
    const value = onnx.decode("OperatorSetIdProto", bytes);
    expect(Buffer.concat(value.$unknowns ?? []).equals(bytes)).toBe(true);
    expect(Buffer.from(onnx.encode("OperatorSetIdProto", value)).equals(bytes)).toBe(true);
    for (let end = 1; end < bytes.length; end++)
      if (![5, 11].includes(end))
        expect(() => onnx.decode("OperatorSetIdProto", bytes.subarray(0, end))).toThrow(RangeError);
    // a length that is negative in 32 bits
    const long = Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0);
    expect(() => onnx.decode("OperatorSetIdProto", long)).toThrow(RangeError);
  });
});

function halves(value: bigint) {
  const [low, high] = new Int32Array(BigInt64Array.of(value).buffer);
  return { low, high, toNumber: () => Number(value) };
}

function wholeOf(value: unknown): bigint {
  if (typeof value === "number") return BigInt(value);
  const { low, high } = value as { low: number; high: number };
  return new BigInt64Array(Int32Array.of(low, high).buffer)[0];
}
