/**
 * Protocol buffers' wire format (https://protobuf.dev/programming-guides/encoding), for messages listed in a table.
 * A model file is read when a program starts: this takes a fifth of the time that a library needs to get ready.
 */

/** A field: its number, its type (a scalar's or a message's name), and how it repeats. */
export type FieldRow = readonly [id: number, type: string, rule?: "repeated" | "packed"];
/** Message → field → row. */
export type MessageTable = Readonly<Record<string, Readonly<Record<string, FieldRow>>>>;

/**
 * A message's fields by name; bytes of fields that the table does not list are in `$unknowns`. A field that a file
 * leaves out is not the message's own: its prototype has the default, "", 0 or an empty list.
 */
export type PlainMessage = Record<string, unknown> & { $unknowns?: Uint8Array[] };

/** A 64-bit integer in two's complement, beyond what a number holds exactly. */
interface Halves {
  readonly low: number;
  readonly high: number;
  toNumber(): number;
}

const WIRE = { varint: 0, eight: 1, bytes: 2, four: 5 } as const;
type Wire = (typeof WIRE)[keyof typeof WIRE];

const wireOf = (type: string): Wire => {
  if (type === "float") return WIRE.four;
  if (type === "double") return WIRE.eight;
  return type === "int32" || type === "int64" || type === "uint64" ? WIRE.varint : WIRE.bytes;
};

interface Field {
  readonly name: string;
  readonly id: number;
  readonly type: string;
  readonly rule: FieldRow[2];
  readonly wire: Wire;
}

/** What reads and writes messages of a table. */
export interface Wiring {
  /** Byte fields are views. @throws RangeError where the bytes end within a field */
  decode(message: string, bytes: Uint8Array): PlainMessage;
  encode(message: string, value: PlainMessage): Uint8Array;
}

export function wiring(table: MessageTable): Wiring {
  const fields = new Map(
    Object.entries(table).map(([message, rows]) => {
      const own = Object.entries(rows).map(
        ([name, [id, type, rule]]): Field => ({ name, id, type, rule, wire: wireOf(type) }),
      );
      return [message, own.sort((a, b) => a.id - b.id)];
    }),
  );
  const byId = new Map(
    [...fields].map(([message, own]) => [message, new Map(own.map((field) => [field.id, field]))]),
  );
  const defaults = new Map([...fields].map(([message, own]) => [message, defaultsOf(own)]));
  const known = (message: string): Known => ({
    fields: byId.get(message) as Known["fields"],
    defaults: defaults.get(message) as object,
  });
  return {
    decode(message, bytes) {
      return readMessage(new Reader(bytes), bytes.length, message, known);
    },
    encode(message, value) {
      const writer = new Writer();
      writeMessage(writer, value, message, fields);
      return writer.whole();
    },
  };
}

function defaultsOf(fields: readonly Field[]): object {
  const scalars: Record<string, unknown> = { string: "", bytes: new Uint8Array() };
  return Object.fromEntries(
    fields.map(({ name, type, rule, wire }) => [
      name,
      rule === undefined ? (wire === WIRE.bytes ? scalars[type] : 0) : Object.freeze([]),
    ]),
  );
}

/** What there is to know of a message. */
interface Known {
  readonly fields: ReadonlyMap<number, Field>;
  readonly defaults: object;
}

// --- reading -------------------------------------------------------------------------------------------

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #text: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    // a plain view, so that byte fields are no Buffers
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#text = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
  }

  /** Moves on. @returns where it was */
  skip(count: number): number {
    const from = this.at;
    if (count < 0 || from + count > this.#bytes.length) throw new RangeError("the bytes end within a field");
    this.at += count;
    return from;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  /** A number of up to 32 bits, such as a tag or a length. */
  small(): number {
    const value = this.large();
    return typeof value === "number" ? value : value.low;
  }

  /** 64 bits, signed unless said otherwise: a number where it is exact. */
  large(sign: "signed" | "unsigned" = "signed"): number | Halves {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.skip(1)];
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= bits << 31;
      if (byte < 0x80) return number64(low, high, sign);
    }
    throw new RangeError("a number of more than 10 bytes");
  }

  scalar(type: string): unknown {
    switch (type) {
      case "int32":
        return this.small() | 0;
      case "int64":
        return this.large();
      case "uint64":
        return this.large("unsigned");
      case "float":
        return this.#view.getFloat32(this.skip(4), true);
      case "double":
        return this.#view.getFloat64(this.skip(8), true);
      default: {
        const length = this.small();
        const from = this.skip(length);
        return type === "string"
          ? this.#text.toString("utf8", from, this.at)
          : this.#bytes.subarray(from, this.at);
      }
    }
  }

  /** Passes over a field's value, whatever it is. */
  pass(wire: number): void {
    if (wire === WIRE.varint) this.large();
    else if (wire === WIRE.eight) this.skip(8);
    else if (wire === WIRE.four) this.skip(4);
    else if (wire === WIRE.bytes) this.skip(this.small());
    else throw new RangeError(`unknown wire type ${wire}`);
  }
}

function number64(low: number, high: number, sign: "signed" | "unsigned"): number | Halves {
  const value = (sign === "signed" ? high : high >>> 0) * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : { low, high, toNumber: () => value };
}

function readMessage(
  reader: Reader,
  end: number,
  message: string,
  known: (message: string) => Known,
): PlainMessage {
  const { fields, defaults } = known(message);
  const value = Object.create(defaults) as PlainMessage;
  while (reader.at < end) {
    const start = reader.at;
    const tag = reader.small();
    const wire = tag & 7;
    const field = fields.get(tag >>> 3);
    const packed = field?.rule !== undefined && field.wire !== WIRE.bytes && wire === WIRE.bytes;
    if (field === undefined || (wire !== field.wire && !packed)) {
      reader.pass(wire);
      value.$unknowns ??= [];
      value.$unknowns.push(reader.bytes(start, reader.at));
      continue;
    }
    const one = () => {
      if (field.wire !== WIRE.bytes || field.type === "string" || field.type === "bytes")
        return reader.scalar(field.type);
      const length = reader.small();
      const from = reader.skip(length);
      reader.at = from;
      return readMessage(reader, from + length, field.type, known);
    };
    if (field.rule === undefined) {
      value[field.name] = one();
      continue;
    }
    if (!Object.hasOwn(value, field.name)) value[field.name] = [];
    const list = value[field.name] as unknown[];
    if (packed) {
      const length = reader.small();
      const last = reader.skip(length) + length;
      reader.at = last - length;
      while (reader.at < last) list.push(one());
    } else list.push(one());
  }
  if (reader.at > end) throw new RangeError("a field ends after its message");
  return value;
}

// --- writing -------------------------------------------------------------------------------------------

/** Pieces of a file. Lengths stand before what they measure, so that parts are made before they are put in. */
class Writer {
  readonly #pieces: Uint8Array[] = [];
  #small: number[] = [];
  length = 0;

  byte(value: number): void {
    this.#small.push(value);
    this.length++;
  }

  bytes(some: Uint8Array): void {
    this.#flush();
    this.#pieces.push(some);
    this.length += some.length;
  }

  part(other: Writer): void {
    this.varint(other.length, 0);
    this.#flush();
    other.#flush();
    for (const piece of other.#pieces) this.#pieces.push(piece);
    this.length += other.length;
  }

  varint(low: number, high: number): void {
    let [l, h] = [low >>> 0, high >>> 0];
    while (h > 0 || l > 0x7f) {
      this.byte((l & 0x7f) | 0x80);
      l = ((l >>> 7) | (h << 25)) >>> 0;
      h >>>= 7;
    }
    this.byte(l);
  }

  integer(value: number | Halves): void {
    if (typeof value === "object") this.varint(value.low, value.high);
    else this.varint(value % 2 ** 32, Math.floor(value / 2 ** 32));
  }

  whole(): Uint8Array {
    this.#flush();
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  #flush(): void {
    if (this.#small.length === 0) return;
    this.#pieces.push(Uint8Array.from(this.#small));
    this.#small = [];
  }
}

type Fields = ReadonlyMap<string, readonly Field[]>;

function writeMessage(writer: Writer, value: PlainMessage, message: string, fields: Fields): void {
  for (const field of fields.get(message) ?? []) {
    const held = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (held === undefined || held === null || (field.rule === undefined && isDefault(field, held))) continue;
    const list = field.rule === undefined ? [held] : (held as readonly unknown[]);
    if (field.rule === "packed") {
      if (list.length === 0) continue;
      const inner = new Writer();
      for (const item of list) writeScalar(inner, field.type, item);
      writer.varint((field.id << 3) | WIRE.bytes, 0);
      writer.part(inner);
      continue;
    }
    for (const item of list) {
      writer.varint((field.id << 3) | field.wire, 0);
      if (fields.has(field.type)) {
        const inner = new Writer();
        writeMessage(inner, item as PlainMessage, field.type, fields);
        writer.part(inner);
      } else writeScalar(writer, field.type, item);
    }
  }
  for (const unknown of value.$unknowns ?? []) writer.bytes(unknown);
}

/** Such a value is left out: readers take it for granted. */
function isDefault({ wire }: Field, held: unknown): boolean {
  // a float's -0 is not 0
  if (typeof held === "number") return wire === WIRE.varint ? held === 0 : Object.is(held, 0);
  if (typeof held !== "object" || held === null) return held === "";
  if (held instanceof Uint8Array) return held.length === 0;
  return "low" in held && "high" in held && held.low === 0 && held.high === 0;
}

function writeScalar(writer: Writer, type: string, value: unknown): void {
  switch (type) {
    case "float":
      writer.bytes(new Uint8Array(Float32Array.of(value as number).buffer));
      break;
    case "double":
      writer.bytes(new Uint8Array(Float64Array.of(value as number).buffer));
      break;
    case "string":
    case "bytes": {
      const some = typeof value === "string" ? Buffer.from(value) : (value as Uint8Array);
      writer.varint(some.length, 0);
      writer.bytes(some);
      break;
    }
    default:
      writer.integer(value as number | Halves);
  }
}
