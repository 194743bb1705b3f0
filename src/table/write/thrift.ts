/**
 * Thrift's compact protocol as plain data: a Parquet file stores its footer and page headers in it.
 * Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

/** A struct: its fields by number, each with its wire type, so that it can be written back unchanged. */
export type Struct = Map<number, Field>;
export interface Field {
  readonly type: number;
  readonly value: Value;
}

/** Whole numbers are bigint, text and doubles are bytes. A boolean is its wire type alone and has no value. */
export type Value = bigint | Buffer | Struct | List | undefined;
export interface List {
  readonly itemType: number;
  readonly items: Value[];
}

const wire = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
};

export const i32 = (value: number): Field => ({ type: wire.i32, value: BigInt(value) });
export const i64 = (value: number | bigint): Field => ({ type: wire.i64, value: BigInt(value) });
export const text = (value: string): Field => ({ type: wire.binary, value: Buffer.from(value) });
export const struct = (...fields: [number, Field][]): Field => ({
  type: wire.struct,
  value: new Map(fields),
});
export const list = (...items: Field[]): Field => ({
  type: wire.list,
  value: { itemType: items[0].type, items: items.map(({ value }) => value) },
});

/** A variable-length unsigned integer (ULEB128). */
export function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export function readStruct(bytes: Buffer): Struct {
  let offset = 0;
  const take = (length: number): Buffer => {
    if (offset + length > bytes.length) throw new Error("the Thrift data ends too early");
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const unsigned = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const [byte] = take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const signed = (): bigint => {
    const zigzag = unsigned();
    return (zigzag >> 1n) ^ -(zigzag & 1n);
  };
  const items = (): List => {
    const [head] = take(1);
    const itemType = head & 0x0f;
    const length = head >> 4 === 15 ? Number(unsigned()) : head >> 4;
    return { itemType, items: Array.from({ length }, () => readers[itemType]()) };
  };
  const fields = (): Struct => {
    const found: Struct = new Map();
    for (let field = 0; ; ) {
      const [head] = take(1);
      if (head === 0) return found;
      const type = head & 0x0f;
      field = head >> 4 === 0 ? Number(signed()) : field + (head >> 4);
      found.set(field, { type, value: readers[type]() });
    }
  };
  const readers: Readonly<Record<number, () => Value>> = {
    [wire.true]: () => undefined,
    [wire.false]: () => undefined,
    [wire.byte]: () => take(1),
    [wire.i16]: signed,
    [wire.i32]: signed,
    [wire.i64]: signed,
    [wire.double]: () => take(8),
    [wire.binary]: () => take(Number(unsigned())),
    [wire.list]: items,
    [wire.struct]: fields,
  };
  return fields();
}

export function writeStruct(fields: Struct): Buffer {
  const parts: Buffer[] = [];
  let previous = 0;
  for (const [field, { type, value }] of [...fields].sort(([left], [right]) => left - right)) {
    const delta = field - previous;
    parts.push(Buffer.from([delta < 16 ? (delta << 4) | type : type]));
    if (delta >= 16) parts.push(signedVarint(BigInt(field)));
    parts.push(valueBytes(type, value));
    previous = field;
  }
  return Buffer.concat([...parts, Buffer.of(0)]);
}

function valueBytes(type: number, value: Value): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  if (typeof value === "bigint") return signedVarint(value);
  if (value instanceof Map) return writeStruct(value);
  if (Buffer.isBuffer(value)) {
    return type === wire.binary ? Buffer.concat([varint(value.length), value]) : value;
  }
  const { itemType, items } = value;
  const head =
    items.length < 15 ? [(items.length << 4) | itemType] : [0xf0 | itemType, ...varint(items.length)];
  return Buffer.concat([Buffer.from(head), ...items.map((item) => valueBytes(itemType, item))]);
}

const signedVarint = (value: bigint): Buffer => varint(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
