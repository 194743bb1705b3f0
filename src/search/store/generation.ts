/** The files of one generation of an index, which only grow: vectors, cells, ends of the cells, and a journal. */
import { readSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { VectorIndexError } from "../../errors.js";
import { fingerprint } from "../../files/fingerprint.js";
import { fromFloat16, toFloat16 } from "../../onnx/io/float16.js";
import type { IndexEntry, IndexLayout, IndexMetric, VectorPrecision } from "../index-types.js";
import { closeAll, type Files, openFiles, writeSafely, writeTrouble } from "./disk.js";

/** Size of the valid part of the files. */
interface Extent {
  /** Rows in the files, deleted ones included. */
  readonly rows: number;
  /** Bytes of the cells of these rows. */
  readonly bytes: number;
  /** The number of the next row without a key of its own. */
  readonly next: number;
}

/** A change: a line of the journal, after its checksum. */
interface Commit extends Extent {
  readonly deleted?: readonly number[];
  readonly sums?: readonly [vectors: string, cells: string];
}

/** The part of a layout that vectors depend on. */
type VectorLayout = Pick<IndexLayout, "dimension" | "precision" | "metric">;

/** Bytes of a place: where a row's cells end, as a float64, exact to 9 petabytes. */
const placeBytes = 8;

const blockRows = 4096;

/**
 * An open generation. `vectors` holds rows of float32 or float16 (little-endian, as they are in memory), `cells` a
 * line of JSON per row (its key, then its cells), `places` the end of each of these lines, `journal` the commits.
 */
export class Generation {
  readonly dimension: number;
  readonly precision: VectorPrecision;
  readonly metric: IndexMetric;
  /** The valid part of the files; anything beyond is left over from an interruption. */
  extent: Extent = { rows: 0, bytes: 0, next: 1 };
  readonly deleted = new Set<number>();
  private journalEnd = 0;
  private isWriting = false;
  private kept: { readonly from: number; readonly to: number; readonly vectors: Float32Array } | undefined;

  private constructor(
    readonly folder: string,
    layout: VectorLayout,
    private files: Files,
  ) {
    this.dimension = layout.dimension;
    this.precision = layout.precision;
    this.metric = layout.metric;
  }

  /** Opens a generation for reading; `startWriting` opens it for writing. */
  static async open(folder: string, layout: VectorLayout): Promise<Generation> {
    const generation = new Generation(folder, layout, await openFiles(folder, "r"));
    try {
      await generation.readCommits();
      return generation;
    } catch (error) {
      await generation.close();
      throw error;
    }
  }

  static async create(folder: string, layout: VectorLayout, next = 1): Promise<Generation> {
    await mkdir(folder, { recursive: true });
    const generation = new Generation(folder, layout, await openFiles(folder, "w+"));
    generation.isWriting = true;
    await generation.commit({ rows: 0, bytes: 0, next });
    return generation;
  }

  /** Opens the files for writing and cuts off what was never acknowledged. The caller must hold the lock. */
  async startWriting(): Promise<void> {
    if (this.isWriting) return;
    const readers = this.files;
    this.files = await openFiles(this.folder, "r+");
    await closeAll(readers);
    await this.readCommits();
    const { vectors, cells, places, journal } = this.files;
    await vectors.truncate(this.extent.rows * this.rowBytes);
    await cells.truncate(this.extent.bytes);
    await places.truncate(this.extent.rows * placeBytes);
    await journal.truncate(this.journalEnd);
    this.isWriting = true;
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
    const sums = [fingerprint(stored), fingerprint(text)] as const;
    const change = deleted.length > 0 ? { deleted } : {};
    await this.commit({ rows: rows + entries.length, bytes: end, next, ...change, sums }, () => [
      writeSafely(this.files.vectors, stored, rows * this.rowBytes),
      writeSafely(this.files.cells, text, bytes),
      writeSafely(this.files.places, bytesOf(places), rows * placeBytes),
    ]);
  }

  /** Deletes rows. When it returns, the change is on disk. */
  async remove(rows: readonly number[]): Promise<void> {
    await this.commit({ ...this.extent, deleted: rows });
  }

  /** Vectors of `count` rows from `first` on, as float32. */
  async readVectors(first: number, count: number): Promise<Float32Array> {
    const bytes = await this.read("vectors", first * this.rowBytes, count * this.rowBytes);
    return this.precision === "float16"
      ? fromFloat16(new Uint16Array(bytes.buffer))
      : new Float32Array(bytes.buffer);
  }

  /** The same up to row `to`, in memory until another range is read. */
  async keepVectors(from: number, to: number): Promise<Float32Array> {
    if (this.kept?.from !== from || this.kept.to < to) {
      this.kept = { from, to, vectors: await this.readVectors(from, to - from) };
    }
    return this.kept.vectors;
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

  /** All rows that are not deleted, in order and some at a time, each with its number. */
  async *entries(): AsyncGenerator<(IndexEntry & { readonly row: number })[]> {
    let start = 0;
    for (let first = 0; first < this.extent.rows; first += blockRows) {
      const count = Math.min(blockRows, this.extent.rows - first);
      const { buffer } = await this.read("places", first * placeBytes, count * placeBytes);
      const ends = new Float64Array(buffer);
      const bytes = Buffer.from((await this.read("cells", start, ends[count - 1] - start)).buffer);
      const places = Array.from(ends.keys()).filter((place) => !this.deleted.has(first + place));
      yield places.map((place) => {
        const lineStart = place === 0 ? start : ends[place - 1];
        const line = bytes.toString("utf8", lineStart - start, ends[place] - start);
        return { row: first + place, ...entryOf(line) };
      });
      start = ends[count - 1];
    }
  }

  /**
   * Compares every stored row with the checksums of the commits.
   * @throws VectorIndexError where they differ.
   */
  async verify(): Promise<void> {
    const { commits } = await readJournal(this.folder);
    let before = { rows: 0, bytes: 0 };
    for (const commit of commits) {
      if (commit.sums !== undefined) {
        const [first, end] = [before.rows * this.rowBytes, commit.rows * this.rowBytes];
        const vectors = await this.read("vectors", first, end - first);
        const cells = await this.read("cells", before.bytes, commit.bytes - before.bytes);
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
    await closeAll(this.files);
  }

  /** Makes a change: first what it adds, then its line in the journal, each on disk before the next. */
  private async commit(commit: Commit, write: () => Promise<void>[] = () => []): Promise<void> {
    try {
      await Promise.all(write());
      const text = JSON.stringify(commit);
      const line = Buffer.from(`${fingerprint(text)} ${text}\n`);
      await writeSafely(this.files.journal, line, this.journalEnd);
      this.journalEnd += line.length;
    } catch (error) {
      throw writeTrouble(error, this.folder);
    }
    this.take(commit);
  }

  private async read(name: keyof Files, start: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.files[name].read(bytes, done, length - done, start + done);
      if (bytesRead === 0) throw damaged(this.folder, "a file ends too early");
      done += bytesRead;
    }
    return bytes;
  }

  private take({ rows, bytes, next, deleted = [] }: Commit): void {
    this.extent = { rows, bytes, next };
    for (const row of deleted) this.deleted.add(row);
  }

  private async readCommits(): Promise<void> {
    const { commits, end } = await readJournal(this.folder);
    if (commits.length === 0) throw damaged(this.folder, "its journal is empty");
    this.deleted.clear();
    for (const commit of commits) this.take(commit);
    this.journalEnd = end;
    const { vectors, cells } = this.files;
    const isShort =
      (await vectors.stat()).size < this.extent.rows * this.rowBytes ||
      (await cells.stat()).size < this.extent.bytes;
    if (isShort) throw damaged(this.folder, "its files are shorter than its journal records");
  }
}

const damaged = (folder: string, how: string): VectorIndexError =>
  new VectorIndexError(`${folder} is damaged: ${how}. Build the index again.`);

const sumLength = 16;

/**
 * Reads the commits up to the first broken line, where a kill or a power cut interrupted the writer.
 * @returns the commits, and how many bytes they take: what follows was never acknowledged
 * @throws VectorIndexError where complete lines follow a broken one: that is damage, not an interruption
 */
async function readJournal(folder: string): Promise<{ commits: Commit[]; end: number }> {
  const path = join(folder, "journal");
  const bytes = await readFile(path);
  const commits: Commit[] = [];
  let end = 0;
  let broken: number | undefined;
  for (let start = 0, line = 1; ; line++) {
    const stop = bytes.indexOf(0x0a, start);
    if (stop < 0) return { commits, end };
    const text = bytes.subarray(start + sumLength + 1, stop);
    const isWhole = bytes.toString("latin1", start, start + sumLength) === fingerprint(text);
    if (isWhole && broken !== undefined) {
      throw new VectorIndexError(`${path} line ${broken} is damaged. Build the index again.`);
    }
    start = stop + 1;
    if (isWhole) {
      commits.push(JSON.parse(text.toString("utf8")) as Commit);
      end = start;
    } else broken ??= line;
  }
}

function bytesOf(values: Float32Array | Float64Array | Uint16Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function entryOf(line: string): IndexEntry {
  const [key, ...cells] = JSON.parse(line) as string[];
  return { key, cells };
}
