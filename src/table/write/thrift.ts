/**
 * Reads and writes Thrift's compact protocol as plain data, which is how a Parquet file stores its footer.
 * Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

/** A struct: its fields by number. */
export type Struct = Map<number, Value>;

/** A value with its wire type kept, so that what is read can be written back unchanged. */
export type Value =
  | { type: "boolean"; value: boolean }
  | { type: "byte"; value: number }
  | { type: "i16" | "i32" | "i64"; value: bigint }
  | { type: "double"; value: Buffer }
  | { type: "binary"; value: Buffer }
  | { type: "list"; items: Value[]; itemType: number }
  | { type: "struct"; fields: Struct };

const typeOf = { true: 1, false: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, set: 10 };
const structType = 12;

/** Shorthands to build values. */
export const i32 = (value: number): Value => ({ type: "i32", value: BigInt(value) });
export const i64 = (value: number | bigint): Value => ({ type: "i64", value: BigInt(value) });
export const text = (value: string): Value => ({ type: "binary", value: Buffer.from(value) });
export const struct = (fields: [number, Value][]): Value => ({ type: "struct", fields: new Map(fields) });
export const list = (items: Value[]): Value => ({ type: "list", items, itemType: wireType(items[0]) });

/** The struct that the bytes hold. */
export function readStruct(bytes: Buffer): Struct {
  return new Reader(bytes).struct();
}

/** A struct as bytes. */
export function writeStruct(fields: Struct): Buffer {
  const writer = new Writer();
  writer.struct(fields);
  return Buffer.concat(writer.parts);
}

/** A variable-length unsigned integer (ULEB128). */
export function varint(value: bigint | number): Buffer {
  let rest = BigInt(value);
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

class Reader {
  private offset = 0;
  constructor(private readonly bytes: Buffer) {}

  struct(): Struct {
    const fields: Struct = new Map();
    let field = 0;
    for (;;) {
      const head = this.byte();
      if (head === 0) return fields;
      const delta = head >> 4;
      field = delta === 0 ? Number(zigzagDecoded(this.varint())) : field + delta;
      fields.set(field, this.value(head & 0x0f, true));
    }
  }

  private value(type: number, isField: boolean): Value {
    switch (type) {
      case typeOf.true:
      case typeOf.false:
        return { type: "boolean", value: (isField ? type : this.byte()) === typeOf.true };
      case typeOf.byte:
        return { type: "byte", value: this.byte() };
      case typeOf.i16:
        return { type: "i16", value: zigzagDecoded(this.varint()) };
      case typeOf.i32:
        return { type: "i32", value: zigzagDecoded(this.varint()) };
      case typeOf.i64:
        return { type: "i64", value: zigzagDecoded(this.varint()) };
      case typeOf.double:
        return { type: "double", value: this.take(8) };
      case typeOf.binary:
        return { type: "binary", value: this.take(Number(this.varint())) };
      case typeOf.list:
      case typeOf.set:
        return this.list();
      case structType:
        return { type: "struct", fields: this.struct() };
      default:
        throw new Error(`Thrift type ${type} is not used by Parquet`);
    }
  }

  private list(): Value {
    const head = this.byte();
    const itemType = head & 0x0f;
    const length = head >> 4 === 15 ? Number(this.varint()) : head >> 4;
    const items = Array.from({ length }, () => this.value(itemType, false));
    return { type: "list", items, itemType };
  }

  private byte(): number {
    return this.take(1)[0];
  }

  private take(length: number): Buffer {
    const end = this.offset + length;
    if (end > this.bytes.length) throw new Error("the Thrift data ends too early");
    const part = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return part;
  }

  private varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

class Writer {
  readonly parts: Buffer[] = [];

  struct(fields: Struct): void {
    let previous = 0;
    for (const [field, value] of [...fields].sort(([left], [right]) => left - right)) {
      const delta = field - previous;
      const type = value.type === "boolean" && !value.value ? typeOf.false : wireType(value);
      if (delta < 16) this.bytes((delta << 4) | type);
      else {
        this.bytes(type);
        this.parts.push(varint(zigzagEncoded(BigInt(field))));
      }
      if (value.type !== "boolean") this.value(value);
      previous = field;
    }
    this.bytes(0);
  }

  private value(value: Value): void {
    switch (value.type) {
      case "boolean":
        this.bytes(value.value ? typeOf.true : typeOf.false);
        return;
      case "byte":
        this.bytes(value.value);
        return;
      case "double":
        this.parts.push(value.value);
        return;
      case "binary":
        this.parts.push(varint(value.value.length), value.value);
        return;
      case "list":
        this.list(value.items, value.itemType);
        return;
      case "struct":
        this.struct(value.fields);
        return;
      default:
        this.parts.push(varint(zigzagEncoded(value.value)));
    }
  }

  private list(items: Value[], itemType: number): void {
    if (items.length < 15) this.bytes((items.length << 4) | itemType);
    else {
      this.bytes(0xf0 | itemType);
      this.parts.push(varint(items.length));
    }
    for (const item of items) this.value(item);
  }

  private bytes(...values: number[]): void {
    this.parts.push(Buffer.from(values));
  }
}

function wireType(value: Value): number {
  if (value.type === "boolean") return typeOf.true;
  return value.type === "struct" ? structType : typeOf[value.type];
}

function zigzagEncoded(value: bigint): bigint {
  return BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
}

function zigzagDecoded(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}
