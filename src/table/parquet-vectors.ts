/**
 * Adds a column of vectors to a Parquet file: the file's bytes stay as they are, the vectors' pages follow
 * them, and a new footer names both. The cost is that of copying the vectors, some ten times less than to
 * pass them through a general writer. Source: https://parquet.apache.org/docs/file-format/
 */
import { type FileHandle, open, rename } from "node:fs/promises";
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

/** Values of a data page, about: pages this large are what readers like to fetch. */
const pageBytes = 1 << 20;

// Numbers of parquet.thrift.
const repetition = { required: 0, repeated: 2 };
const encoding = { plain: 0, runLength: 3 };
const floatType = 4;
const listConvertedType = 3;

/** Where the vectors are and what their column is called. */
export interface VectorColumn {
  name: string;
  dimension: number;
  /** A file that holds the vectors row by row as little-endian float32. */
  file: FileHandle;
  /** Where in that file the first vector begins. */
  offset: number;
}

/** Makes `keysPath`, a Parquet file, into one with the vectors as its last column, at `targetPath` (a rename). */
export async function addVectorColumn(
  keysPath: string,
  targetPath: string,
  vectors: VectorColumn,
): Promise<void> {
  const file = await open(keysPath, "r+");
  try {
    const { footer, end } = await readFooter(file);
    addToSchema(footer, vectors.name);
    let position = end;
    let row = 0;
    for (const group of structsOf(footer.get(4))) {
      const rows = Number(integer(group.get(3)));
      const written = await writePages(file, position, vectors, row, rows);
      addToRowGroup(group, vectors, rows, position, written);
      position += written;
      row += rows;
    }
    await writeFooter(file, position, footer);
  } finally {
    await file.close();
  }
  await rename(keysPath, targetPath);
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
  const tail = Buffer.concat([bytes, length, Buffer.from("PAR1")]);
  await file.write(tail, 0, tail.length, position);
  await file.truncate(position + tail.length);
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

function addToRowGroup(
  group: Struct,
  vectors: VectorColumn,
  rows: number,
  position: number,
  bytes: number,
): void {
  const metadata = struct([
    [1, i32(floatType)],
    [2, list([i32(encoding.plain), i32(encoding.runLength)])],
    [3, list([text(vectors.name), text("list"), text("element")])],
    [4, i32(0)],
    [5, i64(rows * vectors.dimension)],
    [6, i64(bytes)],
    [7, i64(bytes)],
    [9, i64(position)],
  ]);
  itemsOf(group.get(1)).push(
    struct([
      [2, i64(position)],
      [3, metadata],
    ]),
  );
  for (const field of [2, 6]) {
    const size = group.get(field);
    if (size !== undefined) group.set(field, i64(integer(size) + BigInt(bytes)));
  }
}

/** Copies `rows` vectors from row `from` on into pages at `position`; returns the bytes written. */
async function writePages(
  file: FileHandle,
  position: number,
  vectors: VectorColumn,
  from: number,
  rows: number,
): Promise<number> {
  const rowBytes = vectors.dimension * 4;
  const pageRows = Math.max(1, Math.floor(pageBytes / rowBytes));
  let written = 0;
  for (let done = 0; done < rows; done += pageRows) {
    const count = Math.min(pageRows, rows - done);
    const head = pageHead(count, vectors.dimension);
    const page = Buffer.allocUnsafe(head.length + count * rowBytes);
    head.copy(page);
    const source = vectors.offset + (from + done) * rowBytes;
    const { bytesRead } = await vectors.file.read(page, head.length, count * rowBytes, source);
    if (bytesRead !== count * rowBytes) throw new Error("the file of vectors is shorter than it should be");
    await file.write(page, 0, page.length, position + written);
    written += page.length;
  }
  return written;
}

/** A data page's header, repetition levels (0 begins a row) and definition levels (all 1). */
function pageHead(rows: number, dimension: number): Buffer {
  const values = rows * dimension;
  const oneRow = Buffer.concat(dimension > 1 ? [run(1, 0), run(dimension - 1, 1)] : [run(1, 0)]);
  const repetitionLevels = Buffer.concat(Array.from({ length: rows }, () => oneRow));
  const levels = Buffer.concat([withLength(repetitionLevels), withLength(run(values, 1))]);
  const size = levels.length + values * 4;
  const header = writeStruct(
    new Map<number, Value>([
      [1, i32(0)],
      [2, i32(size)],
      [3, i32(size)],
      [
        5,
        struct([
          [1, i32(values)],
          [2, i32(encoding.plain)],
          [3, i32(encoding.runLength)],
          [4, i32(encoding.runLength)],
        ]),
      ],
    ]),
  );
  return Buffer.concat([header, levels]);
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

function structsOf(value: Value | undefined): Struct[] {
  return itemsOf(value).map(fieldsOf);
}

function integer(value: Value | undefined): bigint {
  if (value === undefined || typeof (value as { value: unknown }).value !== "bigint") {
    throw new Error("a number is missing in the Parquet footer");
  }
  return (value as { value: bigint }).value;
}
