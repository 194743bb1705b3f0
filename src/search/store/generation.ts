/** The files of one generation of an index, which only grow: vectors, cells, and where each row's cells end. */
import { readSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, VectorIndexError } from "../../errors.js";
import { fingerprint } from "../../files/fingerprint.js";
import { fromFloat16, toFloat16 } from "../../onnx/io/float16.js";
import type { IndexEntry, VectorPrecision } from "../index-types.js";
import { type Commit, JournalWriter, readJournal } from "./journal.js";

/** How far the files go. */
export interface Extent {
  readonly rows: number;
  /** Bytes of the cells. */
  readonly bytes: number;
  readonly next: number;
}

/** Bytes of a place: where a row's cells end, as a float64, exact to 9 petabytes. */
const placeBytes = 8;

/** Rows read at a time when all are read. */
const blockRows = 4096;

/**
 * An open generation. `vectors` holds rows of float32 or float16 (little-endian, as they are in memory), `cells` a
 * line of JSON a row (its key, then its cells), `places` the end of each of these lines, `journal` the commits.
 */
export class Generation {
  private journal: JournalWriter | undefined;
  /** How far the files are valid; everything beyond is left over from an interruption. */
  extent: Extent = { rows: 0, bytes: 0, next: 1 };
  readonly deleted = new Set<number>();
  private journalEnd = 0;

  private constructor(
    readonly folder: string,
    readonly dimension: number,
    readonly precision: VectorPrecision,
    private files: { vectors: FileHandle; cells: FileHandle; places: FileHandle },
  ) {}

  /** Opens a generation for reading; `startWriting` opens it for writing. */
  static async open(folder: string, dimension: number, precision: VectorPrecision): Promise<Generation> {
    const generation = new Generation(folder, dimension, precision, await openFiles(folder, "r"));
    try {
      await generation.readCommits();
      return generation;
    } catch (error) {
      await generation.close();
      throw error;
    }
  }

  /** Creates an empty generation, open for writing. */
  static async create(
    folder: string,
    dimension: number,
    precision: VectorPrecision,
    next = 1,
  ): Promise<Generation> {
    await mkdir(folder, { recursive: true });
    const generation = new Generation(folder, dimension, precision, await openFiles(folder, "w+"));
    generation.journal = await JournalWriter.open(join(folder, "journal"), 0);
    await generation.commit({ rows: 0, bytes: 0, next });
    return generation;
  }

  /** Opens the files for writing and cuts off what was never acknowledged. The caller must hold the lock. */
  async startWriting(): Promise<void> {
    if (this.journal !== undefined) return;
    const readers = this.files;
    this.files = await openFiles(this.folder, "r+");
    await closeAll(readers);
    await this.readCommits();
    await this.files.vectors.truncate(this.extent.rows * this.rowBytes);
    await this.files.cells.truncate(this.extent.bytes);
    await this.files.places.truncate(this.extent.rows * placeBytes);
    this.journal = await JournalWriter.open(join(this.folder, "journal"), this.journalEnd);
  }

  get rowBytes(): number {
    return this.dimension * (this.precision === "float16" ? 2 : 4);
  }

  /** Adds rows and deletes others in one step. When it returns, the change is on disk. */
  async append(
    entries: readonly IndexEntry[],
    vectors: Float32Array,
    next: number,
    deleted: readonly number[] = [],
  ): Promise<void> {
    const { rows, bytes } = this.extent;
    const lines = entries.map(({ key, cells }) => Buffer.from(`${JSON.stringify([key, ...cells])}\n`));
    const text = Buffer.concat(lines);
    const places = new Float64Array(lines.length);
    let end = bytes;
    lines.forEach((line, index) => {
      end += line.length;
      places[index] = end;
    });
    const stored = bytesOf(this.precision === "float16" ? toFloat16(vectors) : vectors);
    try {
      await Promise.all([
        writeSafely(this.files.vectors, stored, rows * this.rowBytes),
        writeSafely(this.files.cells, text, bytes),
        writeSafely(this.files.places, bytesOf(places), rows * placeBytes),
      ]);
      const sums = [fingerprint(stored), fingerprint(text)] as const;
      const change = deleted.length > 0 ? { deleted } : {};
      await this.commit({ rows: rows + entries.length, bytes: end, next, ...change, sums });
    } catch (error) {
      throw writeTrouble(error, this.folder);
    }
  }

  /** Deletes rows. When it returns, the change is on disk. */
  async remove(rows: readonly number[]): Promise<void> {
    try {
      await this.commit({ ...this.extent, deleted: rows });
    } catch (error) {
      throw writeTrouble(error, this.folder);
    }
  }

  /** Vectors of `count` rows from `first` on, as float32. */
  async readVectors(first: number, count: number): Promise<Float32Array> {
    const bytes = new Uint8Array(count * this.rowBytes);
    await readFully(this.files.vectors, bytes, first * this.rowBytes, this.folder);
    return this.precision === "float16"
      ? fromFloat16(new Uint16Array(bytes.buffer))
      : new Float32Array(bytes.buffer);
  }

  /** The file of vectors, for reading single rows synchronously. */
  get vectorsDescriptor(): number {
    return this.files.vectors.fd;
  }

  /** Key and cells of one row, read synchronously: a search needs thousands. */
  readEntry(row: number): IndexEntry {
    const places = new Float64Array(2);
    const from = row === 0 ? 1 : 0;
    const part = bytesOf(places.subarray(from));
    readSync(this.files.places.fd, part, 0, part.length, (row - 1 + from) * placeBytes);
    const line = Buffer.alloc(places[1] - places[0]);
    readSync(this.files.cells.fd, line, 0, line.length, places[0]);
    return entryOf(line.toString("utf8"));
  }

  /** All rows that are not deleted, in order, each with its number. */
  async *entries(): AsyncGenerator<{ row: number; entry: IndexEntry }> {
    let start = 0;
    for (let first = 0; first < this.extent.rows; first += blockRows) {
      const places = new Float64Array(Math.min(blockRows, this.extent.rows - first));
      await readFully(this.files.places, bytesOf(places), first * placeBytes, this.folder);
      const end = places[places.length - 1];
      const bytes = Buffer.alloc(end - start);
      await readFully(this.files.cells, bytes, start, this.folder);
      for (let index = 0; index < places.length; index++) {
        const row = first + index;
        const lineStart = index === 0 ? start : places[index - 1];
        if (this.deleted.has(row)) continue;
        yield { row, entry: entryOf(bytes.toString("utf8", lineStart - start, places[index] - start)) };
      }
      start = end;
    }
  }

  /**
   * Compares every stored row with the checksums of the commits.
   * @throws VectorIndexError where they differ.
   */
  async verify(): Promise<void> {
    const { commits } = await readJournal(join(this.folder, "journal"));
    let before = { rows: 0, bytes: 0 };
    for (const commit of commits) {
      if (commit.sums !== undefined) {
        const vectors = Buffer.alloc((commit.rows - before.rows) * this.rowBytes);
        await readFully(this.files.vectors, vectors, before.rows * this.rowBytes, this.folder);
        const cells = Buffer.alloc(commit.bytes - before.bytes);
        await readFully(this.files.cells, cells, before.bytes, this.folder);
        if (fingerprint(vectors) !== commit.sums[0] || fingerprint(cells) !== commit.sums[1]) {
          throw new VectorIndexError(
            `${this.folder}: rows ${before.rows} to ${commit.rows} are damaged. Build the index again.`,
          );
        }
      }
      before = commit;
    }
  }

  async close(): Promise<void> {
    await this.journal?.close();
    this.journal = undefined;
    await closeAll(this.files);
  }

  private async commit(commit: Commit): Promise<void> {
    await this.journal!.append(commit);
    this.take(commit);
  }

  private take({ rows, bytes, next, deleted = [] }: Commit): void {
    this.extent = { rows, bytes, next };
    for (const row of deleted) this.deleted.add(row);
  }

  private async readCommits(): Promise<void> {
    const { commits, end } = await readJournal(join(this.folder, "journal"));
    if (commits.length === 0) throw damaged(this.folder, "its journal is empty");
    this.deleted.clear();
    for (const commit of commits) this.take(commit);
    this.journalEnd = end;
    const { vectors, cells } = this.files;
    const isShort =
      (await vectors.stat()).size < this.extent.rows * this.rowBytes ||
      (await cells.stat()).size < this.extent.bytes;
    if (isShort) throw damaged(this.folder, "its files are shorter than its journal says");
  }
}

const damaged = (folder: string, how: string): VectorIndexError =>
  new VectorIndexError(`${folder} is damaged: ${how}. Build the index again.`);

async function openFiles(folder: string, flags: "r" | "r+" | "w+") {
  const opened: FileHandle[] = [];
  try {
    for (const name of ["vectors", "cells", "places"]) opened.push(await open(join(folder, name), flags));
  } catch (error) {
    await Promise.all(opened.map((file) => file.close()));
    throw error;
  }
  const [vectors, cells, places] = opened;
  return { vectors, cells, places };
}

async function closeAll(files: Readonly<Record<string, FileHandle>>): Promise<void> {
  await Promise.all(Object.values(files).map((file) => file.close()));
}

async function writeSafely(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
  await file.datasync();
}

async function readFully(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
  folder: string,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw damaged(folder, "a file ends too early");
    done += bytesRead;
  }
}

function bytesOf(values: Float32Array | Float64Array | Uint16Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function entryOf(line: string): IndexEntry {
  const [key, ...cells] = JSON.parse(line) as string[];
  return { key, cells };
}

/** The error for a failed write, with its cure. Earlier acknowledged changes are safe. */
export function writeTrouble(error: unknown, place: string): VectorIndexError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
    return new VectorIndexError(
      `${place}: no space left on the disk. The rows added before are safe. Free some space and add the rest.`,
      { cause: error },
    );
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new VectorIndexError(
      `${place}: no permission to write here. Change the permissions or choose another folder.`,
      { cause: error },
    );
  }
  return new VectorIndexError(`${place}: cannot be written (${messageOf(error)}).`, { cause: error });
}
