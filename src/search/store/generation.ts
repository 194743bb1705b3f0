/** The files of one generation of an index: rows, which are only added to, and a graph. index.json says how far they count. */
import { readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  checkOnce,
  checksum,
  differenceFrom,
  type FileSum,
  rememberOwn,
} from "../../files/checksums/checksum.js";
import { makeFolder, writeAll } from "../../files/whole-file.js";
import { fromFloat16, toFloat16 } from "../../onnx/io/float16.js";
import type { IndexEntry, IndexLayout, IndexMetric, VectorPrecision } from "../index-types.js";
import {
  damaged,
  generationFolder,
  type Manifest,
  rowFiles,
  syncFolder,
  writeManifest,
  writeTrouble,
} from "./manifest.js";

type RowFile = (typeof rowFiles)[number];
type Files = Readonly<Record<RowFile, FileHandle>>;

/** Bytes of a place: where a row's cells end, as a float64, exact to 9 petabytes. */
const placeBytes = 8;
const blockRows = 4096;

/**
 * An open generation. `vectors` holds rows of float32 or float16 (little-endian, as they are in memory), `cells` a line of
 * JSON per row (its key, then its cells), `places` the end of each of these lines, `deleted` numbers of rows.
 */
export class Generation {
  readonly folder: string;
  readonly dimension: number;
  readonly precision: VectorPrecision;
  readonly metric: IndexMetric;
  readonly columns: readonly string[];
  readonly phraseColumn: string | undefined;
  readonly deleted = new Set<number>();
  /** Files beside those of rows, which are closed with them. */
  readonly opened: FileHandle[] = [];
  private isWriting = false;
  private readers = 0;
  private isReplaced = false;
  private kept: { readonly from: number; readonly to: number; readonly vectors: Float32Array } | undefined;

  private constructor(
    private readonly path: string,
    /** What is beyond the lengths that it records was never acknowledged. */
    public manifest: Manifest,
    private files: Files,
    private standing: "current" | "in the making",
  ) {
    this.folder = generationFolder(path, manifest);
    const { dimension, precision, metric, columns, phraseColumn } = manifest;
    [this.dimension, this.precision, this.metric] = [dimension, precision, metric];
    [this.columns, this.phraseColumn] = [columns, phraseColumn];
  }

  /** Opens a generation for reading; `startWriting` opens it for writing. @param path of the index */
  static async open(path: string, manifest: Manifest): Promise<Generation> {
    const files = await openFiles(generationFolder(path, manifest), "r");
    const generation = new Generation(path, manifest, files, "current");
    try {
      await generation.take(manifest);
      return generation;
    } catch (error) {
      await generation.close();
      throw error;
    }
  }

  /** Makes an empty generation, which counts once {@link makeCurrent} was called. */
  static async create(path: string, layout: IndexLayout, number = 1, next = 1): Promise<Generation> {
    const none: FileSum = [0, checksum("")];
    const manifest: Manifest = {
      ...{ format: "pearl-index", version: 1, ...layout, columns: [...layout.columns] },
      ...{ generation: number, next, files: { vectors: none, cells: none, places: none, deleted: none } },
    };
    const folder = generationFolder(path, manifest);
    await makeFolder(folder);
    const generation = new Generation(path, manifest, await openFiles(folder, "w+"), "in the making");
    generation.isWriting = true;
    return generation;
  }

  async makeCurrent(): Promise<void> {
    await syncFolder(this.folder);
    this.standing = "current";
    await this.commit({});
  }

  /** Opens the files for writing and cuts off what was never acknowledged. The caller must hold the lock. */
  async startWriting(manifest = this.manifest): Promise<void> {
    if (this.isWriting) return;
    const readers = this.files;
    this.files = await openFiles(this.folder, "r+");
    await closeAll(readers);
    await this.take(manifest);
    for (const name of rowFiles) await this.files[name].truncate(this.manifest.files[name][0]);
    this.isWriting = true;
  }

  /** Rows in the files, deleted ones included. */
  get rows(): number {
    return this.manifest.files.places[0] / placeBytes;
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
    const lines = entries.map(({ key, cells }) => Buffer.from(`${JSON.stringify([key, ...cells])}\n`));
    const places = new Float64Array(lines.length);
    let [end] = this.manifest.files.cells;
    lines.forEach((line, index) => {
      end += line.length;
      places[index] = end;
    });
    await this.commit(
      { next },
      {
        vectors: bytesOf(this.precision === "float16" ? toFloat16(vectors) : vectors),
        ...{ cells: Buffer.concat(lines), places: bytesOf(places) },
        deleted: bytesOf(Uint32Array.from(deleted)),
      },
    );
    for (const row of deleted) this.deleted.add(row);
  }

  /** Tells which rows a search leaves out: the deleted ones, and all but `only` some. */
  leftOut(only?: ReadonlySet<number>): (row: number) => boolean {
    return (row) => this.deleted.has(row) || only?.has(row) === false;
  }

  /** Deletes rows. When it returns, the change is on disk. */
  async remove(rows: readonly number[]): Promise<void> {
    await this.commit({}, { deleted: bytesOf(Uint32Array.from(rows)) });
    for (const row of rows) this.deleted.add(row);
  }

  /** The files of the graph with their sums, by name; none where there is no graph. */
  get graph(): Readonly<Record<string, FileSum>> {
    const { vectors, cells, places, deleted, ...graph } = this.manifest.files;
    return graph;
  }

  /** Records the files of the graph that belongs to the rows from now on. */
  async recordGraph(graph: Readonly<Record<string, FileSum>>): Promise<void> {
    const { vectors, cells, places, deleted } = this.manifest.files;
    await this.commit({ files: { vectors, cells, places, deleted, ...graph } });
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
    for (let first = from; first < this.rows; first += blockRows) {
      const count = Math.min(blockRows, this.rows - first);
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
   * Compares files with their checksums.
   * @param which "changed" leaves out large files that have not changed since they were found whole
   * @throws VectorIndexError that names the file
   */
  async check(which: "all" | "changed", what: "rows" | "graph"): Promise<void> {
    const names = what === "rows" ? rowFiles : Object.keys(this.graph);
    const paths = names.map((name) => join(this.folder, name));
    const compare = async (file: string): Promise<void> => {
      const sum = this.manifest.files[basename(file)];
      const difference = await differenceFrom(sum, file, what === "rows" ? "may be longer" : "none");
      if (difference !== undefined) throw damaged(file, difference);
    };
    if (which === "changed") return checkOnce(this.memory, paths, compare);
    for (const path of paths) await compare(path);
  }

  /** Whether its rows and graph lie in the same files as another's. */
  hasFilesOf({ folder, graph }: Generation): boolean {
    return folder === this.folder && JSON.stringify(graph) === JSON.stringify(this.graph);
  }

  /** Remembers the files that this writer has checked and written to. */
  remember(): Promise<void> {
    const names = Object.keys(this.manifest.files);
    return rememberOwn(
      this.memory,
      names.map((name) => join(this.folder, name)),
    );
  }

  /** What files were like when they were last found whole. */
  private get memory(): string {
    return join(this.folder, "checked");
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

  /** Makes a change: first what it adds to files, then index.json, each on disk before the next. */
  async commit(change: Partial<Manifest>, added: Partial<Record<RowFile, Uint8Array>> = {}): Promise<void> {
    const files = { ...this.manifest.files };
    const write = async ([name, bytes]: [string, Uint8Array]): Promise<void> => {
      // The CRC of no bytes is 0 here, whatever comes before.
      if (bytes.length === 0) return;
      const [end, sum] = files[name];
      await writeAll(this.files[name as RowFile], bytes, end);
      await this.files[name as RowFile].datasync();
      files[name] = [end + bytes.length, checksum(bytes, sum)];
    };
    try {
      await Promise.all(Object.entries(added).map(write));
      const manifest = { ...this.manifest, files, ...change };
      if (this.standing === "current") await writeManifest(this.path, manifest);
      this.manifest = manifest;
    } catch (error) {
      throw writeTrouble(error, this.folder);
    }
  }

  private async read(name: RowFile, start: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.files[name].read(bytes, done, length - done, start + done);
      if (bytesRead === 0) throw damaged(join(this.folder, name), "it ends too early");
      done += bytesRead;
    }
    return bytes;
  }

  private async take(manifest: Manifest): Promise<void> {
    this.manifest = manifest;
    await this.check("changed", "rows");
    const { buffer } = await this.read("deleted", 0, manifest.files.deleted[0]);
    this.deleted.clear();
    for (const row of new Uint32Array(buffer)) this.deleted.add(row);
  }
}

async function openFiles(folder: string, flags: "r" | "r+" | "w+"): Promise<Files> {
  const opened: [string, FileHandle][] = [];
  try {
    for (const name of rowFiles) opened.push([name, await open(join(folder, name), flags)]);
  } catch (error) {
    await closeAll(Object.fromEntries(opened));
    throw error;
  }
  return Object.fromEntries(opened) as Files;
}

async function closeAll(files: Readonly<Record<string, FileHandle>>): Promise<void> {
  await Promise.all(Object.values(files).map((file) => file.close()));
}

function bytesOf(values: Float32Array | Float64Array | Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function entryOf(line: string): IndexEntry {
  const [key, ...cells] = JSON.parse(line) as string[];
  return { key, cells };
}
