/** The files of one generation of an index, which only grow: vectors, cells, ends of the cells, and a journal. */
import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { checkOnce, checksum, type FileSum, rememberOwn } from "../../files/checksums/checksum.js";
import { makeFolder } from "../../files/whole-file.js";
import { fromFloat16, toFloat16 } from "../../onnx/io/float16.js";
import type { IndexEntry, IndexLayout, IndexMetric, VectorPrecision } from "../index-types.js";
import { closeAll, damaged, type Files, openFiles, writeSafely, writeTrouble } from "./disk.js";
import { type Commit, type Extent, type GraphRecord, journalLine, readJournal } from "./journal.js";
import { compareRows, rowFiles } from "./row-checks.js";

/** The part of a layout that the files of a generation depend on. */
type VectorLayout = Pick<IndexLayout, "dimension" | "precision" | "metric" | "columns" | "phraseColumn"> & {
  /** What index.json records of the journal. */
  readonly journal?: FileSum;
};

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
  readonly columns: readonly string[];
  readonly phraseColumn: string | undefined;
  /** The valid part of the files; anything beyond is left over from an interruption. */
  extent: Extent = { rows: 0, bytes: 0, next: 1 };
  readonly deleted = new Set<number>();
  /** Null where there is none. */
  graph: GraphRecord | null = null;
  /** Length and checksum of the journal, for index.json. */
  journal: FileSum;
  /** Files beside those of rows, which are closed with them. */
  readonly opened: FileHandle[] = [];
  private commits: Commit[] = [];
  private isWriting = false;
  private readers = 0;
  private isReplaced = false;
  private kept: { readonly from: number; readonly to: number; readonly vectors: Float32Array } | undefined;

  private constructor(
    readonly folder: string,
    layout: VectorLayout,
    private files: Files,
  ) {
    this.dimension = layout.dimension;
    this.precision = layout.precision;
    this.metric = layout.metric;
    this.columns = layout.columns;
    this.phraseColumn = layout.phraseColumn;
    this.journal = layout.journal ?? [0, checksum("")];
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
    await makeFolder(folder);
    const generation = new Generation(
      folder,
      { ...layout, journal: undefined },
      await openFiles(folder, "w+"),
    );
    generation.isWriting = true;
    await generation.commit({ rows: 0, bytes: 0, next, graph: null });
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
    await journal.truncate(this.journal[0]);
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
    const ends = bytesOf(places);
    const sums = [stored, text, ends].map((part) => checksum(part));
    const change = deleted.length > 0 ? { deleted } : {};
    await this.commit({ rows: rows + entries.length, bytes: end, next, ...change, sums }, () => [
      writeSafely(this.files.vectors, stored, rows * this.rowBytes),
      writeSafely(this.files.cells, text, bytes),
      writeSafely(this.files.places, ends, rows * placeBytes),
    ]);
  }

  /** Deletes rows. When it returns, the change is on disk. */
  async remove(rows: readonly number[]): Promise<void> {
    await this.commit({ ...this.extent, deleted: rows });
  }

  /** Records the graph that belongs to the rows from now on. */
  async recordGraph(graph: GraphRecord | null): Promise<void> {
    await this.commit({ ...this.extent, graph });
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

  /** All rows from a row on that are not deleted, in order and some at a time, each with its number. */
  async *entries(from = 0): AsyncGenerator<(IndexEntry & { readonly row: number })[]> {
    const before = from === 0 ? undefined : await this.read("places", (from - 1) * placeBytes, placeBytes);
    let start = before === undefined ? 0 : new Float64Array(before.buffer)[0];
    for (let first = from; first < this.extent.rows; first += blockRows) {
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
   * Compares stored rows with the checksums of the commits.
   * @param which "changed" leaves out large files that have not changed since they were found whole
   * @throws VectorIndexError that names the file
   */
  async check(which: "all" | "changed"): Promise<void> {
    const compare = (file: string): Promise<void> => {
      const place = rowFiles.findIndex((name) => file.endsWith(name));
      return compareRows(file, this.commits, place, ({ rows, bytes }) =>
        place === 0 ? rows * this.rowBytes : place === 1 ? bytes : rows * placeBytes,
      );
    };
    if (which === "changed") return checkOnce(this.memory, this.rowPaths, compare);
    for (const file of this.rowPaths) await compare(file);
  }

  /** Whether its rows and graph lie in the same files as another's. */
  hasFilesOf({ folder, graph }: Generation): boolean {
    return folder === this.folder && JSON.stringify(graph) === JSON.stringify(this.graph);
  }

  /** What files were like when they were last found whole. */
  get memory(): string {
    return join(this.folder, "checked");
  }

  /** Remembers the files that this writer has checked and written to. */
  remember(): Promise<void> {
    const { name = "", files = {} } = this.graph ?? {};
    const graph = Object.keys(files).map((suffix) => join(this.folder, `${name}${suffix}`));
    return rememberOwn(this.memory, [...this.rowPaths, ...graph]);
  }

  private get rowPaths(): string[] {
    return rowFiles.map((name) => join(this.folder, name));
  }

  /** Keeps the files open until what it returns is called, also where a new generation takes their place. */
  hold(): () => Promise<void> {
    this.readers++;
    return async () => {
      this.readers--;
      if (this.isReplaced) await this.retire();
    };
  }

  /** Closes the files as soon as nobody holds them. */
  async retire(): Promise<void> {
    this.isReplaced = true;
    if (this.readers === 0) await this.close();
  }

  async close(): Promise<void> {
    await Promise.all([closeAll(this.files), ...this.opened.splice(0).map((file) => file.close())]);
  }

  /** Makes a change: first what it adds, then its line in the journal, each on disk before the next. */
  private async commit(commit: Commit, write: () => Promise<void>[] = () => []): Promise<void> {
    try {
      await Promise.all(write());
      const line = journalLine(commit);
      const [end, sum] = this.journal;
      await writeSafely(this.files.journal, line, end);
      this.journal = [end + line.length, checksum(line, sum)];
    } catch (error) {
      throw writeTrouble(error, this.folder);
    }
    this.take(commit);
  }

  private async read(name: keyof Files, start: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.files[name].read(bytes, done, length - done, start + done);
      if (bytesRead === 0) throw damaged(join(this.folder, name), "it ends too early");
      done += bytesRead;
    }
    return bytes;
  }

  private take(commit: Commit): void {
    const { rows, bytes, next, deleted = [], graph } = commit;
    this.extent = { rows, bytes, next };
    for (const row of deleted) this.deleted.add(row);
    if (graph !== undefined) this.graph = graph;
    this.commits.push(commit);
  }

  private async readCommits(): Promise<void> {
    const { commits, sum } = await readJournal(this.folder, this.journal);
    this.deleted.clear();
    this.commits = [];
    for (const commit of commits) this.take(commit);
    this.journal = sum;
    await this.check("changed");
  }
}

function bytesOf(values: Float32Array | Float64Array | Uint16Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function entryOf(line: string): IndexEntry {
  const [key, ...cells] = JSON.parse(line) as string[];
  return { key, cells };
}
