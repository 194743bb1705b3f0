/**
 * Rows of embeddings in the binary format of COPY, there and back. Source: PostgreSQL's documentation of COPY, "Binary
 * Format", and the send functions of its arrays and of pgvector's `vector`.
 */
import { phraseTerms } from "../../text/phrase-terms.js";

/** How embeddings are stored: pgvector's type, or an array of 4-byte floats. */
export type VectorStorage = "vector" | "real[]";

/** A row to write: the key's bytes as its type's send function gives them, its text and the hash of that. */
export interface KeyedRow {
  readonly key: Uint8Array;
  readonly hash: Uint8Array;
  readonly phrase: string;
}

const signature = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
const headerBytes = signature.length + 8;
/** The types of the elements of real[] and integer[]. */
const [realOid, integerOid] = [700, 23];
const arrayHeader = 20;

const vectorBytes = (storage: VectorStorage, dimension: number): number =>
  storage === "vector" ? 4 + 4 * dimension : arrayHeader + 8 * dimension;

/** The columns of {@link copyRows}. */
export const copiedColumns = "(key, text_hash, terms, embedding)";

/** Key, hash, terms and embedding of each row. @param vectors [rows, dimension]; a zero vector is written as NULL */
export function copyRows(
  rows: readonly KeyedRow[],
  vectors: Float32Array,
  dimension: number,
  storage: VectorStorage,
): Buffer {
  const perVector = vectorBytes(storage, dimension);
  const texts = rows.map(({ key, hash, phrase }) => [key, hash, termBytes(phrase)]);
  const size = texts.flat().reduce((sum, { length }) => sum + 4 + length, headerBytes);
  const bytes = Buffer.alloc(size + rows.length * (6 + perVector) + 2);
  signature.copy(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = headerBytes;
  for (const [row, fields] of texts.entries()) {
    view.setInt16(at, 4);
    at += 2;
    for (const field of fields) {
      view.setInt32(at, field.length);
      bytes.set(field, at + 4);
      at += 4 + field.length;
    }
    const vector = vectors.subarray(row * dimension, (row + 1) * dimension);
    const isEmpty = vector.every((value) => value === 0);
    view.setInt32(at, isEmpty ? -1 : perVector);
    at += 4;
    if (!isEmpty) at = storage === "vector" ? putVector(view, at, vector) : putArray(view, at, vector);
  }
  view.setInt16(at, -1);
  return bytes.subarray(0, at + 2);
}

function putVector(view: DataView, start: number, vector: Float32Array): number {
  view.setInt16(start, vector.length);
  let at = start + 4;
  for (let index = 0; index < vector.length; index++, at += 4) view.setFloat32(at, vector[index]);
  return at;
}

function termBytes(phrase: string): Buffer {
  const terms = phraseTerms(phrase);
  return Buffer.from(
    Int32Array.of(1, 0, integerOid, terms.size, 1, ...[...terms].flatMap((term) => [4, term])).buffer,
  ).swap32();
}

function putArray(view: DataView, start: number, vector: Float32Array): number {
  // dimensions, whether there are nulls, type of elements, length, first subscript
  for (const [place, value] of [1, 0, realOid, vector.length, 1].entries())
    view.setInt32(start + 4 * place, value);
  let at = start + arrayHeader;
  for (let index = 0; index < vector.length; index++, at += 8) {
    view.setInt32(at, 4);
    view.setFloat32(at + 4, vector[index]);
  }
  return at;
}

/** Keys as text, and their vectors: [keys, dimension]. */
export interface KeyedVectors {
  readonly keys: readonly string[];
  readonly vectors: Float32Array;
}

/** Reads rows of a key as text and a real[] that is not NULL, some at a time. */
export async function* readCopiedRows(
  parts: AsyncIterable<Buffer>,
  dimension: number,
  rowsAtOnce: number,
): AsyncGenerator<KeyedVectors> {
  let keys: string[] = [];
  let vectors = new Float32Array(rowsAtOnce * dimension);
  let rest: Buffer = Buffer.alloc(0);
  let isStart = true;
  for await (const part of parts) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let at = 0;
    if (isStart) {
      if (bytes.length < headerBytes) {
        rest = bytes;
        continue;
      }
      isStart = false;
      at = headerBytes;
    }
    for (let end = endOfRow(bytes, at); end > 0; end = endOfRow(bytes, at)) {
      const keyLength = bytes.readInt32BE(at + 2);
      keys.push(bytes.toString("utf8", at + 6, at + 6 + keyLength));
      const first = at + 6 + keyLength + 4 + arrayHeader + 4;
      const start = (keys.length - 1) * dimension;
      for (let index = 0; index < dimension; index++)
        vectors[start + index] = bytes.readFloatBE(first + 8 * index);
      at = end;
      if (keys.length === rowsAtOnce) {
        yield { keys, vectors };
        keys = [];
        vectors = new Float32Array(rowsAtOnce * dimension);
      }
    }
    rest = bytes.subarray(at);
  }
  if (keys.length > 0) yield { keys, vectors: vectors.subarray(0, keys.length * dimension) };
}

/** Where a row of two fields ends; 0 where it is not whole, or the trailer. */
function endOfRow(bytes: Buffer, start: number): number {
  let at = start + 2;
  if (at > bytes.length || bytes.readInt16BE(start) < 0) return 0;
  for (let field = 0; field < 2; field++) {
    if (at + 4 > bytes.length) return 0;
    at += 4 + bytes.readInt32BE(at);
  }
  return at <= bytes.length ? at : 0;
}
