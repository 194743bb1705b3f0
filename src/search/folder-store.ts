/**
 * An index in a folder of ours: `index.json`, a lock, and a generation of files that only grow. What `append` and
 * `remove` have returned from is on disk. Graphs are made from the stored vectors and can always be made again.
 */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError, VectorIndexError } from "../errors.js";
import { Generation, writeTrouble } from "./generation.js";
import { growGraph, openGraph, removeGraphs } from "./graph-files.js";
import { type CoveringGraph, searchGraph } from "./graph-search.js";
import type {
  IndexDescription,
  IndexEntry,
  IndexLayout,
  IndexRows,
  IndexSelection,
  IndexWork,
  SearchHit,
  UnfinishedBuild,
  VectorStore,
} from "./index-types.js";
import { acquireLock, type Lock } from "./lock.js";
import {
  findManifest,
  generationFolder,
  isGenerationName,
  type Manifest,
  syncFolder,
  writeManifest,
} from "./manifest.js";
import type { GraphLibrary } from "./neighbour-graph.js";
import { type BestRows, scanRows, VectorReader } from "./row-scan.js";

/** From this many rows on, `auto` takes hnsw. */
export const exactBelow = 50_000;
/** Share of deleted rows above which the files are written anew. */
const deletedShare = 0.2;
const rowsPerCopy = 4096;

/** An open index folder. Many may read it; the first change takes the lock, which `close` gives back. */
export class FolderStore implements VectorStore {
  private lock: Lock | undefined;
  private reader: VectorReader;
  private graph: CoveringGraph | undefined;
  /** Row of each key; made when a row with a key is first added. */
  private keys: Map<string, number> | undefined;

  private constructor(
    private readonly path: string,
    private manifest: Manifest,
    private generation: Generation,
  ) {
    this.reader = new VectorReader(generation);
  }

  /**
   * Makes an empty index; the folder must not be there, or be empty.
   * @throws VectorIndexError, LockedError
   */
  static async create(path: string, layout: IndexLayout): Promise<FolderStore> {
    const names = await readdir(path).catch(() => [] as string[]);
    if (names.includes("index.json")) {
      throw new VectorIndexError(
        `${path} is an index already. \`pearl index add\` adds rows to it; else remove it, or choose another name.`,
      );
    }
    if (names.length > 0) throw new VectorIndexError(`${path} is there already. Choose another name.`);
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      throw writeTrouble(error, path);
    });
    const lock = await acquireLock(path);
    const { dimension, precision } = layout;
    const generation = await Generation.create(generationFolder(path, 1), dimension, precision);
    await syncFolder(generation.folder);
    const manifest: Manifest = { format: "pearl-index", version: 1, ...layout, generation: 1, rows: 0 };
    await writeManifest(path, manifest);
    const store = new FolderStore(path, manifest, generation);
    store.lock = lock;
    return store;
  }

  /** Opens an index; undefined where the folder holds none. */
  static async open(path: string): Promise<FolderStore | undefined> {
    for (let attempt = 1; ; attempt++) {
      const manifest = await findManifest(path);
      if (manifest === undefined) return undefined;
      let generation: Generation | undefined;
      try {
        generation = await openGeneration(path, manifest);
        const store = new FolderStore(path, manifest, generation);
        store.graph = await openGraph(generation, manifest.metric);
        return store;
      } catch (error) {
        await generation?.close();
        // A writer may just have replaced the generation.
        if (attempt === 3 || (error as NodeJS.ErrnoException).code !== "ENOENT")
          throw missingFiles(path, error);
      }
    }
  }

  get layout(): IndexLayout {
    return this.manifest;
  }

  async describe(): Promise<IndexDescription> {
    const { format: _f, version: _v, generation: _g, ...layout } = this.manifest;
    const rows = this.liveRows;
    const { folder, extent, deleted } = this.generation;
    let bytes = 0;
    for (const name of await readdir(folder))
      bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
    const rest = extent.rows - (this.graph?.rows ?? 0);
    const count = (number: number): string => number.toLocaleString("en-US");
    const { name, unreached, axes } = this.graph ?? {};
    const along = axes === undefined ? "" : ` along ${axes.width} axes`;
    const listed =
      unreached !== undefined && unreached.count > 0 ? ` (${count(unreached.count)} of them one by one)` : "";
    const searchedBy =
      this.graph === undefined
        ? "exact"
        : `${name} over ${count(this.graph.rows)} rows${along}${listed}${rest > 0 ? `, exact over ${count(rest)}` : ""}`;
    return { ...layout, path: this.path, rows, deleted: deleted.size, searchedBy, bytes };
  }

  async append({ vectors, cells }: IndexRows, existing: "refuse" | "replace"): Promise<void> {
    await this.startWriting();
    const { next, rows } = this.generation.extent;
    const { keys, replaced } = await this.newKeys(cells, existing);
    const entries = cells.map((row, index) => ({ key: keys?.[index] ?? String(next + index), cells: row }));
    const following = keys === undefined ? next + cells.length : next;
    await this.generation.append(entries, vectors, following, replaced);
    keys?.forEach((key, index) => void this.keys?.set(key, rows + index));
  }

  async remove(selection: IndexSelection): Promise<number> {
    await this.startWriting();
    const isWanted = this.selector(selection);
    const rows: number[] = [];
    const removed: string[] = [];
    for await (const { row, entry } of this.generation.entries()) {
      if (!isWanted(entry)) continue;
      rows.push(row);
      removed.push(entry.key);
    }
    if (rows.length > 0) await this.generation.remove(rows);
    for (const key of removed) this.keys?.delete(key);
    return rows.length;
  }

  async search(queries: Float32Array, k: number, work: IndexWork): Promise<SearchHit[][]> {
    const scan = { queries, k, from: 0, to: this.generation.extent.rows, ...work };
    const best =
      this.graph === undefined
        ? await scanRows(this.generation, this.reader, scan)
        : await searchGraph(this.generation, this.reader, this.graph, scan);
    return this.hitsOf(best, k);
  }

  async *entries(): AsyncGenerator<IndexEntry> {
    for await (const { entry } of this.generation.entries()) yield entry;
  }

  async optimise(work: IndexWork): Promise<void> {
    await this.startWriting();
    const { extent, deleted } = this.generation;
    if (deleted.size > 0 && deleted.size >= extent.rows * deletedShare) await this.compact(work);
    const name = this.wantedGraph();
    if (name === undefined) await removeGraphs(this.generation.folder);
    this.graph = name && (await growGraph(name, this.generation, this.manifest.metric, this.graph, work));
    await this.saveManifest({});
  }

  async markBuild(unfinished: UnfinishedBuild | undefined): Promise<void> {
    await this.startWriting();
    await this.saveManifest({ unfinished });
  }

  /** Compares all stored rows with their checksums. */
  async verify(): Promise<void> {
    await this.generation.verify();
  }

  async close(): Promise<void> {
    if (this.lock !== undefined) await this.saveManifest({});
    await this.generation.close();
    await this.lock?.release();
    this.lock = undefined;
  }

  private get liveRows(): number {
    return this.generation.extent.rows - this.generation.deleted.size;
  }

  private async saveManifest(change: Partial<Manifest>): Promise<void> {
    this.manifest = { ...this.manifest, rows: this.liveRows, ...change };
    await writeManifest(this.path, this.manifest);
  }

  /** Takes the lock, and what others have written since this index was opened. */
  private async startWriting(): Promise<void> {
    if (this.lock === undefined) {
      const lock = await acquireLock(this.path).catch((error: unknown) => {
        throw error instanceof VectorIndexError ? error : writeTrouble(error, this.path);
      });
      try {
        const manifest = await findManifest(this.path);
        if (manifest === undefined) throw new VectorIndexError(`${this.path}: the index was removed.`);
        if (manifest.generation !== this.manifest.generation) await this.changeGeneration(manifest);
        this.manifest = manifest;
        await this.removeRemains();
      } catch (error) {
        await lock.release();
        throw error;
      }
      this.lock = lock;
    }
    await this.generation.startWriting();
  }

  private async changeGeneration(manifest: Manifest): Promise<void> {
    const generation = await openGeneration(this.path, manifest);
    await this.generation.close();
    this.generation = generation;
    this.reader = new VectorReader(generation);
    this.keys = undefined;
    this.graph = await openGraph(generation, manifest.metric);
  }

  /** Removes what an interrupted writer has left: other generations and unfinished graphs. */
  private async removeRemains(): Promise<void> {
    const current = generationFolder(this.path, this.manifest.generation);
    for (const name of await readdir(this.path)) {
      const folder = join(this.path, name);
      if (isGenerationName(name) && folder !== current) await rm(folder, { recursive: true, force: true });
    }
    for (const name of await readdir(current)) {
      if (name.endsWith(".partial")) await rm(join(current, name), { force: true });
    }
  }

  /** Keys of new rows, and the rows that they replace; no keys where rows are numbered. */
  private async newKeys(
    cells: IndexRows["cells"],
    existing: "refuse" | "replace",
  ): Promise<{ keys?: string[]; replaced: number[] }> {
    const { keyColumn, columns } = this.manifest;
    if (keyColumn === undefined) return { replaced: [] };
    const column = columns.indexOf(keyColumn);
    const keys = cells.map((row) => row[column]);
    this.keys ??= await readKeys(this.generation);
    const replaced: number[] = [];
    const seen = new Set<string>();
    for (const key of keys) {
      if (key === "")
        throw new VectorIndexError(`a row has no ${keyColumn}, which is the key. Give every row one.`);
      if (seen.has(key))
        throw new VectorIndexError(`the key ${key} (${keyColumn}) comes twice. Keys must differ.`);
      seen.add(key);
      const row = this.keys.get(key);
      if (row === undefined) continue;
      if (existing === "refuse") {
        throw new VectorIndexError(
          `the key ${key} (${keyColumn}) is in ${this.path} already. Delete it first, or replace rows (--replace).`,
        );
      }
      replaced.push(row);
    }
    return { keys, replaced };
  }

  private selector(selection: IndexSelection): (entry: IndexEntry) => boolean {
    if ("keys" in selection) {
      const keys = new Set(selection.keys);
      return ({ key }) => keys.has(key);
    }
    const { columns, phraseColumn } = this.manifest;
    if (phraseColumn === undefined)
      throw new VectorIndexError(`${this.path} has no column of phrases. Name keys.`);
    const phrases = new Set(selection.phrases);
    const column = columns.indexOf(phraseColumn);
    return ({ cells }) => phrases.has(cells[column]);
  }

  private hitsOf({ rows, scores }: BestRows, k: number): SearchHit[][] {
    const { columns } = this.manifest;
    return Array.from({ length: rows.length / k }, (_, query) => {
      const hits: SearchHit[] = [];
      for (let place = query * k; place < (query + 1) * k && rows[place] >= 0; place++) {
        const { key, cells } = this.generation.readEntry(rows[place]);
        const named = Object.fromEntries(columns.map((name, index) => [name, cells[index]]));
        hits.push({ key, score: scores[place], cells: named });
      }
      return hits;
    });
  }

  /** Writes the rows that are left into a new generation, and changes over to it. */
  private async compact({ signal, onProgress }: IndexWork): Promise<void> {
    const old = this.generation;
    const { dimension, precision } = this.manifest;
    const number = this.manifest.generation + 1;
    const folder = generationFolder(this.path, number);
    await rm(folder, { recursive: true, force: true });
    const fresh = await Generation.create(folder, dimension, precision, old.extent.next);
    try {
      for await (const batch of batchesOf(old.entries(), rowsPerCopy)) {
        if (signal?.aborted)
          throw new InterruptedError("stopped; the index is as it was", { cause: signal.reason });
        const vectors = new Float32Array(batch.length * dimension);
        const first = batch[0].row;
        const block = await old.readVectors(first, batch[batch.length - 1].row + 1 - first);
        batch.forEach(({ row }, index) => {
          const start = (row - first) * dimension;
          vectors.set(block.subarray(start, start + dimension), index * dimension);
        });
        await fresh.append(
          batch.map(({ entry }) => entry),
          vectors,
          old.extent.next,
        );
        onProgress?.(fresh.extent.rows, old.extent.rows - old.deleted.size);
      }
      await syncFolder(folder);
    } finally {
      await fresh.close();
    }
    const manifest = { ...this.manifest, generation: number };
    await writeManifest(this.path, manifest);
    this.manifest = manifest;
    await this.changeGeneration(manifest);
    await rm(old.folder, { recursive: true, force: true });
    await this.generation.startWriting();
  }

  private wantedGraph(): GraphLibrary["name"] | undefined {
    const { backend } = this.manifest;
    if (backend === "auto") return this.liveRows >= exactBelow ? "hnsw" : undefined;
    return backend === "hnsw" || backend === "faiss" ? backend : undefined;
  }
}

function openGeneration(path: string, { generation, dimension, precision }: Manifest): Promise<Generation> {
  return Generation.open(generationFolder(path, generation), dimension, precision);
}

function missingFiles(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return error;
  return new VectorIndexError(`${path} is damaged: files are missing. Build the index anew.`, {
    cause: error,
  });
}

async function readKeys(generation: Generation): Promise<Map<string, number>> {
  const keys = new Map<string, number>();
  for await (const { row, entry } of generation.entries()) keys.set(entry.key, row);
  return keys;
}

async function* batchesOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
