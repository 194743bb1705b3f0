/**
 * A Parquet column of vectors that is written while they come in; the other columns are added at the end. The
 * pages of vectors stay where they are, the column chunks of a Parquet file that DuckDB wrote follow them, and
 * one footer names both. Each vector is written once: encoding to Parquet takes half the time that it takes where
 * DuckDB writes the vectors.
 * Source: https://parquet.apache.org/docs/file-format/ and parquet.thrift beside it.
 */
import { type FileHandle, open } from "node:fs/promises";
import { PearlError } from "../../errors.js";
import { replaceFile, writeAll } from "../../files/whole-file.js";
import { type Cell, isNested, jsonOfCell, nameOfColumn, type OutputColumn, textOfCell } from "../cell.js";
import { Database, identifier, literal } from "../read/database.js";
import { writeTrouble } from "../trouble.js";
import { standardOutput, throughTemporaryFile } from "./standard-output.js";
import {
  type Field,
  i32,
  i64,
  type List,
  list,
  readStruct,
  type Struct,
  struct,
  text,
  type Value,
  varint,
  writeStruct,
} from "./thrift.js";

export const parquetMark = Buffer.from("PAR1");

/** Approximate bytes of a data page: what readers like to fetch at once. */
const pageBytes = 1 << 20;

/** DuckDB's vector size: the row groups that it writes end at multiples of it. */
const duckdbVectorRows = 2048;

// Numbers of parquet.thrift.
const repetition = { required: 0, repeated: 2 };
const encoding = { plain: 0, runLength: 3 };
const floatType = 4;
const listConvertedType = 3;
const uncompressed = 0;

/** Vectors in a page: a power of two that divides DuckDB's vector size, so that no row group splits a page. */
export function pageRowsFor(dimension: number): number {
  let rows = duckdbVectorRows;
  while (rows > 1 && rows * dimension * 4 > pageBytes) rows /= 2;
  return rows;
}

/** The bytes before a page's numbers: header, repetition levels (0 begins a row), definition levels (all 1). */
export function pageHead(rows: number, dimension: number): Buffer {
  const values = rows * dimension;
  const oneRow = dimension > 1 ? Buffer.concat([run(1, 0), run(dimension - 1, 1)]) : run(1, 0);
  const repetitionLevels = Buffer.concat(Array.from({ length: rows }, () => oneRow));
  const levels = Buffer.concat([withLength(repetitionLevels), withLength(run(values, 1))]);
  const size = i32(levels.length + values * 4);
  const levelEncoding = i32(encoding.runLength);
  const dataPage = struct([1, i32(values)], [2, i32(encoding.plain)], [3, levelEncoding], [4, levelEncoding]);
  const header: Struct = new Map([
    [1, i32(0)],
    [2, size],
    [3, size],
    [5, dataPage],
  ]);
  return Buffer.concat([writeStruct(header), levels]);
}

/** `count` equal levels, run-length encoded. */
const run = (count: number, level: number): Buffer => Buffer.from([...varint(count * 2), level]);

const withLength = (bytes: Buffer): Buffer => Buffer.concat([uint32(bytes.length), bytes]);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The pages of vectors in a file. They begin at byte 4. */
export interface VectorPages {
  readonly file: FileHandle;
  readonly dimension: number;
  readonly rows: number;
  /** The byte after the last page. */
  readonly end: number;
}

/**
 * Completes a file of pages: copies the columns of the Parquet file `keysPath` behind the pages and writes a footer
 * that lists them before the column of vectors. The keys are called `keyName(0)` ... in that file and `names` in the
 * result; they must have as many rows as the pages.
 */
export async function addColumns(
  pages: VectorPages,
  vectorName: string,
  keysPath: string,
  names: readonly string[],
): Promise<void> {
  const keys = await open(keysPath, "r");
  try {
    const { footer, end } = await readFooter(keys);
    const schema = structsAt(footer, 2);
    const groups = structsAt(footer, 4);
    await copyBytes(keys, parquetMark.length, end, pages.file, pages.end);
    renameColumns(schema, groups, names);
    const shift = pages.end - parquetMark.length;
    let row = 0;
    for (const group of groups) {
      const rows = Number(valueAt<bigint>(group, 3));
      shiftOffsets(group, shift);
      addChunk(group, vectorName, rows * pages.dimension, byteOf(pages, row), byteOf(pages, row + rows));
      row += rows;
    }
    addToSchema(footer, schema, vectorName);
    await writeFooter(pages.file, end + shift, footer);
  } finally {
    await keys.close();
  }
}

/** Where the page that begins with this row begins, or the end of the pages. */
function byteOf({ dimension, rows, end }: VectorPages, row: number): number {
  if (row === rows) return end;
  const pageRows = pageRowsFor(dimension);
  if (row % pageRows !== 0)
    throw new Error(`a row group of the Parquet file ends at row ${row}, inside a page`);
  const wholePage = pageHead(pageRows, dimension).length + pageRows * dimension * 4;
  return parquetMark.length + (row / pageRows) * wholePage;
}

async function copyBytes(from: FileHandle, start: number, end: number, to: FileHandle, at: number) {
  const buffer = Buffer.allocUnsafe(4 << 20);
  for (let position = start; position < end; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, end - position), position);
    if (bytesRead === 0) throw new Error("the Parquet file of keys is shorter than it should be");
    await writeAll(to, buffer.subarray(0, bytesRead), at + position - start);
    position += bytesRead;
  }
}

async function readFooter(file: FileHandle): Promise<{ footer: Struct; end: number }> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(8);
  await file.read(tail, 0, 8, size - 8);
  const bytes = Buffer.alloc(tail.readUInt32LE(0));
  const end = size - 8 - bytes.length;
  await file.read(bytes, 0, bytes.length, end);
  return { footer: readStruct(bytes), end };
}

async function writeFooter(file: FileHandle, position: number, footer: Struct): Promise<void> {
  const content = writeStruct(footer);
  const bytes = Buffer.concat([content, uint32(content.length), parquetMark]);
  await writeAll(file, bytes, position);
  await file.truncate(position + bytes.length);
}

/** Gives the columns of a Parquet file, called `keyName(0)` ..., their names, as DuckDB cannot where two differ only in case. */
async function nameColumns(path: string, names: readonly string[]): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { footer, end } = await readFooter(file);
    renameColumns(structsAt(footer, 2), structsAt(footer, 4), names);
    await writeFooter(file, end, footer);
  } finally {
    await file.close();
  }
}

/** The name of a column that `addColumns` or `nameColumns` renames: no nested field has such a name. */
export const keyName = (index: number): string => `pearl key ${index}`;

/** Gives the key columns their names, in the schema and in the path of each column chunk. */
function renameColumns(schema: readonly Struct[], groups: readonly Struct[], names: readonly string[]): void {
  const newNames = new Map(names.map((name, index) => [keyName(index), text(name)]));
  const renamed = (name: Value): Field | undefined => newNames.get(String(name));
  for (const element of schema) {
    const name = renamed(element.get(4)?.value);
    if (name !== undefined) element.set(4, name);
  }
  for (const group of groups) {
    for (const chunk of structsAt(group, 1)) {
      const path = valueAt<List>(valueAt<Struct>(chunk, 3), 3).items;
      path[0] = renamed(path[0])?.value;
    }
  }
}

/** Moves the column chunks of a row group by `shift` bytes. Page indexes, which are optional, are left out. */
function shiftOffsets(group: Struct, shift: number): void {
  // The group's columns no longer lie together, so it has no offset of its own.
  group.delete(5);
  for (const chunk of structsAt(group, 1)) {
    for (const field of [4, 5, 6, 7]) chunk.delete(field);
    addTo(chunk, [2], shift);
    addTo(valueAt<Struct>(chunk, 3), [9, 10, 11, 14], shift);
  }
}

/** Adds to the whole numbers of these fields, where they are present. An offset of 0 means "none". */
function addTo(fields: Struct, numbers: readonly number[], added: number): void {
  for (const number of numbers) {
    const value = fields.get(number)?.value as bigint | undefined;
    if (value) fields.set(number, i64(value + BigInt(added)));
  }
}

/** Adds the pages from byte `start` to `end` to a row group as its last column chunk. */
function addChunk(group: Struct, name: string, values: number, start: number, end: number): void {
  const bytes = end - start;
  const metadata = struct(
    [1, i32(floatType)],
    [2, list(i32(encoding.plain), i32(encoding.runLength))],
    [3, list(text(name), text("list"), text("element"))],
    [4, i32(uncompressed)],
    [5, i64(values)],
    [6, i64(bytes)],
    [7, i64(bytes)],
    [9, i64(start)],
  );
  structsAt(group, 1).push(
    new Map([
      [2, i64(start)],
      [3, metadata],
    ]),
  );
  addTo(group, [2, 6], bytes);
}

/** Adds `required group NAME (LIST) { repeated group list { required float element } }`. */
function addToSchema(footer: Struct, schema: Struct[], name: string): void {
  schema[0].set(5, i32(Number(valueAt<bigint>(schema[0], 5)) + 1));
  const added = [
    struct(
      [3, i32(repetition.required)],
      [4, text(name)],
      [5, i32(1)],
      [6, i32(listConvertedType)],
      [10, struct([3, struct()])],
    ),
    struct([3, i32(repetition.repeated)], [4, text("list")], [5, i32(1)]),
    struct([1, i32(floatType)], [3, i32(repetition.required)], [4, text("element")]),
  ];
  schema.push(...added.map(({ value }) => value as Struct));
  // Where sort orders are listed, each leaf column needs one.
  if (footer.has(7)) structsAt(footer, 7).push(new Map([[1, struct()]]));
}

const structsAt = (fields: Struct, number: number): Struct[] =>
  valueAt<List>(fields, number).items as Struct[];

function valueAt<Kind>(fields: Struct, number: number): Kind {
  const field = fields.get(number);
  if (field === undefined) throw new Error(`field ${number} is missing in the Parquet footer`);
  return field.value as Kind;
}

export async function writeParquetRows(
  path: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
): Promise<void> {
  const types = columns.map((column) => (typeof column === "string" ? "VARCHAR" : column.type));
  const storedText = (cell: Cell, column: number): string | null =>
    cell === undefined || cell === null
      ? null
      : isNested(types[column])
        ? (typeof cell === "object" && cell.exact) || (jsonOfCell(cell) as string)
        : textOfCell(cell);
  const values = columns.map((_, index) => {
    const text = isNested(types[index]) ? `CAST(c${index} AS JSON)` : `c${index}`;
    return `CAST(${text} AS ${types[index]}) AS ${identifier(keyName(index))}`;
  });
  const database = await Database.open();
  try {
    await database.appendTexts("rows", columns.length, batches, storedText, path);
    const copy = async (target: string): Promise<void> => {
      const sql = `COPY (SELECT ${values.join(", ")} FROM rows) TO ${literal(target)} (FORMAT parquet)`;
      await database.runInOneThread(sql, path);
      await nameColumns(target, columns.map(nameOfColumn));
    };
    await (path === standardOutput ? throughTemporaryFile(copy) : replaceFile(path, copy));
  } catch (error) {
    throw error instanceof PearlError ? error : writeTrouble(error, path);
  } finally {
    await database.close();
  }
}
