/**
 * Writes a Parquet column of vectors while they come in, and adds the other columns at the end: the pages of
 * vectors stay where they are, the column chunks of a Parquet file that DuckDB wrote follow them, and one
 * footer names both. So each vector is written once, at the speed of the disk.
 * Source: https://parquet.apache.org/docs/file-format/ and parquet.thrift beside it.
 */
import { type FileHandle, open } from "node:fs/promises";
import {
  i32,
  i64,
  list,
  readStruct,
  type Struct,
  struct,
  text,
  type Value,
  varint,
  writeStruct,
} from "./thrift.js";

/** The first and the last bytes of a Parquet file. */
export const parquetMark = Buffer.from("PAR1");

/** Bytes of a data page, about: what readers like to fetch at once. */
const pageBytes = 1 << 20;

/** DuckDB's vector size: the row groups of a table that it scans from the start end at multiples of it. */
const duckdbVectorRows = 2048;

// Numbers of parquet.thrift.
const repetition = { required: 0, repeated: 2 };
const encoding = { plain: 0, runLength: 3 };
const floatType = 4;
const listConvertedType = 3;

/** Vectors in a page: a power of two that divides DuckDB's vector size, so that no row group splits a page. */
export function pageRowsFor(dimension: number): number {
  let rows = duckdbVectorRows;
  while (rows > 1 && rows * dimension * 4 > pageBytes) rows /= 2;
  return rows;
}

/** What precedes the numbers of a page: its header, repetition levels (0 begins a row), definition levels (all 1). */
export function pageHead(rows: number, dimension: number): Buffer {
  const values = rows * dimension;
  const oneRow = dimension > 1 ? Buffer.concat([run(1, 0), run(dimension - 1, 1)]) : run(1, 0);
  const repetitionLevels = Buffer.concat(Array.from({ length: rows }, () => oneRow));
  const levels = Buffer.concat([withLength(repetitionLevels), withLength(run(values, 1))]);
  const size = levels.length + values * 4;
  const dataPage = struct([
    [1, i32(values)],
    [2, i32(encoding.plain)],
    [3, i32(encoding.runLength)],
    [4, i32(encoding.runLength)],
  ]);
  const header = new Map<number, Value>([
    [1, i32(0)],
    [2, i32(size)],
    [3, i32(size)],
    [5, dataPage],
  ]);
  return Buffer.concat([writeStruct(header), levels]);
}

/** The pages that a file holds from byte 4 on, as `pageHead` and the numbers make them. */
export interface VectorPages {
  file: FileHandle;
  /** Name of the column. */
  name: string;
  dimension: number;
  rows: number;
  /** Where the pages end. */
  end: number;
}

/** Thrown by `addColumns` where a row group of the keys ends inside a page of vectors. */
export class MisalignedGroups extends Error {}

/**
 * Makes the file of pages a whole Parquet file: adds the columns of `keysPath`, renamed to `names`, before
 * the column of vectors. The keys must have the same rows, in groups that end where pages end.
 */
export async function addColumns(pages: VectorPages, keysPath: string, names: string[]): Promise<void> {
  const keys = await open(keysPath, "r");
  try {
    const { footer, end } = await readFooter(keys);
    const groups = itemsOf(footer.get(4)).map(fieldsOf);
    const positions = pagePositions(pages, groups);
    renameColumns(footer, groups, names);
    await copyBytes(keys, parquetMark.length, end, pages.file, pages.end);
    const shift = pages.end - parquetMark.length;
    groups.forEach((group, index) => {
      shiftOffsets(group, shift);
      addChunk(group, pages, positions[index]);
    });
    addToSchema(footer, pages.name);
    await writeFooter(pages.file, end + shift, footer);
  } finally {
    await keys.close();
  }
}

/** Where each row group's pages begin and end. */
function pagePositions(pages: VectorPages, groups: Struct[]): { start: number; end: number; rows: number }[] {
  const pageRows = pageRowsFor(pages.dimension);
  const wholePage = pageHead(pageRows, pages.dimension).length + pageRows * pages.dimension * 4;
  let row = 0;
  const placeOf = (at: number) => {
    if (at === pages.rows) return pages.end;
    if (at % pageRows !== 0) throw new MisalignedGroups(`a row group ends at row ${at}, inside a page`);
    return parquetMark.length + (at / pageRows) * wholePage;
  };
  return groups.map((group) => {
    const rows = Number(integer(group.get(3)));
    const place = { start: placeOf(row), end: placeOf(row + rows), rows };
    row += rows;
    return place;
  });
}

async function copyBytes(
  from: FileHandle,
  start: number,
  end: number,
  to: FileHandle,
  at: number,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(4 << 20);
  for (let position = start; position < end; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, end - position), position);
    if (bytesRead === 0) throw new Error("the Parquet file of keys is shorter than it should be");
    await writeAll(to, buffer.subarray(0, bytesRead), at + position - start);
    position += bytesRead;
  }
}

/** Writes all bytes at a position, whatever the number of calls that takes. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset, position + offset);
    offset += bytesWritten;
  }
}

async function readFooter(file: FileHandle): Promise<{ footer: Struct; end: number }> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(8);
  await file.read(tail, 0, 8, size - 8);
  const length = tail.readUInt32LE(0);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, size - 8 - length);
  return { footer: readStruct(bytes), end: size - 8 - length };
}

async function writeFooter(file: FileHandle, position: number, footer: Struct): Promise<void> {
  const bytes = writeStruct(footer);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  await writeAll(file, Buffer.concat([bytes, length, parquetMark]), position);
  await file.truncate(position + bytes.length + length.length + parquetMark.length);
}

/** Gives the top-level columns new names, in the schema and in each column chunk's path. */
function renameColumns(footer: Struct, groups: Struct[], names: string[]): void {
  const schema = itemsOf(footer.get(2)).map(fieldsOf);
  const newNames = new Map<string, string>();
  let index = 1;
  for (const name of names) {
    newNames.set(textOf(schema[index].get(4)), name);
    schema[index].set(4, text(name));
    index = afterSubtree(schema, index);
  }
  for (const group of groups) {
    for (const chunk of itemsOf(group.get(1)).map(fieldsOf)) {
      const path = itemsOf(fieldsOf(chunk.get(3)).get(3));
      path[0] = text(newNames.get(textOf(path[0])) ?? textOf(path[0]));
    }
  }
}

/** The schema is a tree, written parents first. */
function afterSubtree(schema: Struct[], index: number): number {
  const children = schema[index].get(5);
  let next = index + 1;
  for (let child = children === undefined ? 0 : Number(integer(children)); child > 0; child--) {
    next = afterSubtree(schema, next);
  }
  return next;
}

/** Moves the column chunks of a row group `shift` bytes on. Page indexes, which are optional, are left out. */
function shiftOffsets(group: Struct, shift: number): void {
  shiftFields(group, [5], shift);
  for (const chunk of itemsOf(group.get(1)).map(fieldsOf)) {
    for (const field of [4, 5, 6, 7]) chunk.delete(field);
    shiftFields(chunk, [2], shift);
    shiftFields(fieldsOf(chunk.get(3)), [9, 10, 11, 14], shift);
  }
}

function shiftFields(fields: Struct, numbers: number[], shift: number): void {
  for (const number of numbers) {
    const offset = fields.get(number);
    if (offset === undefined) continue;
    const position = integer(offset);
    // Some writers put 0 for "none".
    if (position > 0n) fields.set(number, i64(position + BigInt(shift)));
  }
}

function addChunk(
  group: Struct,
  pages: VectorPages,
  place: { start: number; end: number; rows: number },
): void {
  const bytes = place.end - place.start;
  const metadata = struct([
    [1, i32(floatType)],
    [2, list([i32(encoding.plain), i32(encoding.runLength)])],
    [3, list([text(pages.name), text("list"), text("element")])],
    [4, i32(0)],
    [5, i64(place.rows * pages.dimension)],
    [6, i64(bytes)],
    [7, i64(bytes)],
    [9, i64(place.start)],
  ]);
  const chunk = struct([
    [2, i64(place.start)],
    [3, metadata],
  ]);
  itemsOf(group.get(1)).push(chunk);
  for (const field of [2, 6]) {
    const size = group.get(field);
    if (size !== undefined) group.set(field, i64(integer(size) + BigInt(bytes)));
  }
  // The group's columns no longer lie together.
  group.delete(5);
}

/** Adds `required group NAME (LIST) { repeated group list { required float element } }`. */
function addToSchema(footer: Struct, name: string): void {
  const schema = itemsOf(footer.get(2));
  const root = fieldsOf(schema[0]);
  root.set(5, i32(Number(integer(root.get(5))) + 1));
  schema.push(
    struct([
      [3, i32(repetition.required)],
      [4, text(name)],
      [5, i32(1)],
      [6, i32(listConvertedType)],
      [10, struct([[3, struct([])]])],
    ]),
    struct([
      [3, i32(repetition.repeated)],
      [4, text("list")],
      [5, i32(1)],
    ]),
    struct([
      [1, i32(floatType)],
      [3, i32(repetition.required)],
      [4, text("element")],
    ]),
  );
  // Where sort orders are listed, each leaf column needs one.
  if (footer.has(7)) itemsOf(footer.get(7)).push(struct([[1, struct([])]]));
}

/** `count` equal levels, run-length encoded. */
function run(count: number, level: number): Buffer {
  return Buffer.concat([varint(count * 2), Buffer.from([level])]);
}

function withLength(levels: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(levels.length);
  return Buffer.concat([length, levels]);
}

function itemsOf(value: Value | undefined): Value[] {
  if (value?.type !== "list") throw new Error("a list is missing in the Parquet footer");
  return value.items;
}

function fieldsOf(value: Value | undefined): Struct {
  if (value?.type !== "struct") throw new Error("a struct is missing in the Parquet footer");
  return value.fields;
}

function textOf(value: Value | undefined): string {
  if (value?.type !== "binary") throw new Error("a name is missing in the Parquet footer");
  return value.value.toString("utf8");
}

function integer(value: Value | undefined): bigint {
  if (value?.type === "i16" || value?.type === "i32" || value?.type === "i64") return value.value;
  throw new Error("a number is missing in the Parquet footer");
}
