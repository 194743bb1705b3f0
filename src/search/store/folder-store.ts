/**
 * An index in a folder: `index.json`, a lock, and a generation of files that only grow. What `append` and `remove` have
 * acknowledged is on disk, and index.json says so. Graphs are built from the stored vectors and can always be rebuilt.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LockedError, MissingDataError, VectorIndexError } from "../../errors.js";
import { fnv } from "../../files/checksums/fnv.js";
import { folderSize } from "../../files/disk.js";
import { acquireLock, type Lock } from "../../files/lock.js";
import { makeFolder } from "../../files/whole-file.js";
import type {
  IndexDescription,
  IndexEntry,
  IndexLayout,
  IndexWork,
  UnfinishedBuild,
} from "../index-types.js";
import { gatherRows } from "../vectors.js";
import { type Condition, conditionTest } from "../where.js";
import { Generation } from "./generation.js";
import { growGraph, openGraph, removeGraphs } from "./graph-files.js";
import { type CoveringGraph, describeGraph, ListedRows, searchGraph } from "./graph-search.js";
import {
  findManifest,
  generationFolder,
  isGenerationName,
  isUnbegun,
  lockIndex,
  missingFile,
  writeTrouble,
} from "./manifest.js";
import { type FoundRow, type Query, rankCandidates, scanRows } from "./row-scan.js";
import {
  exactBelow,
  type NewRows,
  type StoredHit,
  type StoreSearch,
  unfinishedBuild,
  type VectorStore,
} from "./vector-store.js";
import { WordSearch } from "./word-lists.js";

/** Share of deleted rows from which on the files are rewritten. */
const deletedShare = 0.2;
/** Up to so many rows that meet a condition are compared one by one, without the graph. */
const fewRows = 8192;
/** Rows of earlier conditions that are kept; a short list counts for several. */
const mostListed = 2 ** 20;

/** An open index folder. Many may read it; the first change takes the lock, which `close` releases. */
export class FolderStore implements VectorStore {
  private lock: Lock | undefined;
  private graph: CoveringGraph | undefined;
  /** Made by the first search for words. */
  private words: WordSearch | undefined;
  /** The rows that met the conditions of the last searches, the latest last, in one state of the index. */
  private filtered = { state: "", lists: new Map<string, ListedRows>() };
  /** Why there is no graph, where its library is missing. */
  private note: string | undefined;
  /** Row of each key; made when a row with a key is first added. */
  private keys: KeyRows | undefined;

  private constructor(
    private readonly path: string,
    private generation: Generation,
  ) {}

  /**
   * Makes an empty index; the folder must not exist, or be empty.
   * @throws VectorIndexError, LockedError
   */
  static async create(path: string, layout: IndexLayout): Promise<FolderStore> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() === false)
      throw new VectorIndexError(`${path} is a file, and an index is a folder. Choose another name.`);
    const names = await readdir(path).catch(() => [] as string[]);
    if (names.includes("index.json")) {
      if ((await findManifest(path).catch(() => undefined))?.unfinished) throw unfinishedBuild(path);
      throw new VectorIndexError(
        `${path} is already an index. Add rows to it with \`pearl index add\`, remove it, or choose another name.`,
      );
    }
    if (!(await isUnbegun(path, names)))
      throw new VectorIndexError(`${path} already exists. Choose another name.`);
    try {
      await makeFolder(path);
      const lock = await acquireLock(path);
      const store = new FolderStore(path, await Generation.create(path, layout));
      await store.generation.makeCurrent();
      store.lock = lock;
      return store;
    } catch (error) {
      if (!(error instanceof LockedError)) await rm(path, { recursive: true, force: true }).catch(() => {});
      if (found !== undefined) await makeFolder(path);
      throw error instanceof VectorIndexError ? error : writeTrouble(error, path);
    }
  }

  /**
   * Opens an index; undefined where the folder holds none.
   * @param graph "leave" does not open it, so that `optimise` builds a new one
   */
  static async open(path: string, graph: "open" | "leave" = "open"): Promise<FolderStore | undefined> {
    for (let attempt = 1; ; attempt++) {
      const manifest = await findManifest(path);
      if (manifest === undefined) return undefined;
      let generation: Generation | undefined;
      try {
        generation = await Generation.open(path, manifest);
        const store = new FolderStore(path, generation);
        if (graph === "open") await store.openGraph();
        return store;
      } catch (error) {
        await generation?.close();
        // A writer may just have replaced the generation.
        if (attempt === 3 || (error as NodeJS.ErrnoException).code !== "ENOENT")
          throw missingFile(path, error);
      }
    }
  }

  get layout(): IndexLayout {
    return this.generation.manifest;
  }

  get unfinished(): UnfinishedBuild | undefined {
    return this.generation.manifest.unfinished;
  }

  async describe(): Promise<IndexDescription> {
    const { folder, rows, deleted, manifest } = this.generation;
    const { format: _f, version: _v, generation: _g, next: _n, files: _s, ...layout } = manifest;
    const searchedBy = this.graph === undefined ? "exact" : describeGraph(this.graph, rows);
    const facts = { rows: this.liveRows, deleted: deleted.size, searchedBy, bytes: await folderSize(folder) };
    return { ...layout, path: this.path, ...facts, ...(this.note !== undefined && { note: this.note }) };
  }

  async findKey(keys: readonly string[]): Promise<string | undefined> {
    const known = await this.knownKeys();
    return keys.find((key) => known.get(key) !== undefined);
  }

  async append({ vectors, cells, keys }: NewRows): Promise<void> {
    const { rows, manifest } = this.generation;
    const { next } = manifest;
    const known = keys && (await this.knownKeys());
    const replaced = (keys ?? []).map((key) => known?.get(key)).filter((row) => row !== undefined);
    const entries = cells.map((row, index) => ({ key: keys?.[index] ?? String(next + index), cells: row }));
    const following = keys === undefined ? next + cells.length : next;
    await this.generation.append(entries, vectors, following, replaced);
    keys?.forEach((key, index) => void known?.set(key, rows + index));
  }

  async remove(column: "key" | number, values: readonly string[]): Promise<number> {
    const wanted = new Set(values);
    const removed: { row: number; key: string }[] = [];
    for await (const entries of this.generation.entries()) {
      const isWanted = ({ key, cells }: IndexEntry) => wanted.has(column === "key" ? key : cells[column]);
      removed.push(...entries.filter(isWanted));
    }
    if (removed.length > 0) await this.generation.remove(removed.map(({ row }) => row));
    for (const { key } of removed) this.keys?.delete(key);
    return removed.length;
  }

  async search(queries: Float32Array, k: number, options: StoreSearch): Promise<StoredHit[][]> {
    const { phrases, where, ...work } = options;
    const { generation, graph } = this;
    const release = generation.hold();
    try {
      const listed = where && (await this.rowsThatMeet(where, work.signal));
      const query = { queries, k, only: listed?.members, ...work };
      const found =
        graph === undefined
          ? await scanRows(generation, query, { from: 0, to: generation.rows })
          : listed !== undefined && listed.rows.length <= fewRows
            ? await listed.rank(query)
            : await searchGraph(generation, graph, query);
      const added = phrases && (await this.addedByWords(found, phrases, query));
      return found.map((rows, place) =>
        [...rows, ...(added?.[place] ?? [])].map(({ row, score }) => ({
          ...generation.readEntry(row),
          score,
        })),
      );
    } finally {
      await release();
    }
  }

  private async rowsThatMeet(where: Condition, signal?: AbortSignal): Promise<ListedRows> {
    const { generation } = this;
    const state = JSON.stringify([generation.folder, generation.rows, generation.deleted.size]);
    if (this.filtered.state !== state) this.filtered = { state, lists: new Map() };
    const { lists } = this.filtered;
    const key = JSON.stringify(where);
    const rows = lists.get(key) ?? new ListedRows(generation, await meeting(generation, where, signal));
    lists.delete(key);
    let held = 0;
    for (const [other, list] of [...lists].reverse()) {
      held += Math.max(list.rows.length, mostListed / 8);
      if (held > mostListed) lists.delete(other);
    }
    lists.set(key, rows);
    return rows;
  }

  /** The rows that only words find. */
  private async addedByWords(
    found: readonly (readonly FoundRow[])[],
    phrases: readonly string[],
    { queries, ...query }: Query,
  ): Promise<FoundRow[][]> {
    const { generation, graph } = this;
    const { dimension } = generation;
    if (this.words?.generation !== generation || this.words.stored !== graph?.words)
      this.words = new WordSearch(generation, graph?.words, graph?.rows ?? 0);
    const byWords = await this.words.find(phrases, query);
    return byWords.map((rows, place) => {
      const known = new Set(found[place].map(({ row }) => row));
      const others = Int32Array.from(rows.filter((row) => !known.has(row)));
      const vector = queries.subarray(place * dimension, (place + 1) * dimension);
      return rankCandidates(generation, vector, others, others.length)[0];
    });
  }

  async *entries(): AsyncGenerator<IndexEntry> {
    const release = this.generation.hold();
    try {
      for await (const entries of this.generation.entries())
        for (const { key, cells } of entries) yield { key, cells };
    } finally {
      await release();
    }
  }

  async optimise(work: IndexWork): Promise<void> {
    const { rows, deleted } = this.generation;
    if (deleted.size > 0 && deleted.size >= rows * deletedShare) await this.compact(work);
    if (this.wantsGraph()) {
      await this.withLibrary(() => growGraph(this.generation, this.graph, work));
    } else if (Object.keys(this.generation.graph).length > 0) {
      await this.generation.recordGraph({});
      await removeGraphs(this.generation.folder);
      this.graph = undefined;
    }
  }

  async markBuild(unfinished: UnfinishedBuild | undefined): Promise<void> {
    await this.generation.commit({ unfinished });
  }

  async verify(): Promise<void> {
    try {
      await this.generation.check("all", "rows");
      await this.generation.check("all", "graph");
    } catch (error) {
      // A writer may have replaced the files that are open here: those of the index as it is now are checked.
      const current = await FolderStore.open(this.path, "leave");
      try {
        if (!current || current.generation.hasFilesOf(this.generation)) throw missingFile(this.path, error);
        await current.verify();
      } finally {
        await current?.close();
      }
    }
  }

  async close(): Promise<void> {
    if (this.lock !== undefined) await this.generation.remember().catch(() => {});
    await this.generation.close();
    await this.lock?.release();
    this.lock = undefined;
  }

  private get liveRows(): number {
    return this.generation.rows - this.generation.deleted.size;
  }

  private openGraph(): Promise<void> {
    return this.withLibrary(() => openGraph(this.generation));
  }

  /** Takes a graph; without hnsw's library the rows are searched exactly, with a note. */
  private async withLibrary(graph: () => Promise<CoveringGraph | undefined>): Promise<void> {
    this.note = undefined;
    try {
      this.graph = await graph();
    } catch (error) {
      if (!(error instanceof MissingDataError)) throw error;
      this.graph = undefined;
      this.note = `${this.path} is searched exactly, which is slower: ${error.message}`;
    }
  }

  async startWriting(): Promise<void> {
    if (this.lock === undefined) {
      const lock = await lockIndex(this.path);
      try {
        const manifest = await findManifest(this.path);
        if (manifest === undefined) throw new VectorIndexError(`${this.path}: the index was removed.`);
        if (manifest.generation !== this.generation.manifest.generation)
          await this.changeGeneration(await Generation.open(this.path, manifest));
        await removeLeftovers(this.path, this.generation.folder);
        const { graph } = this.generation;
        await this.generation.startWriting(manifest);
        if (JSON.stringify(this.generation.graph) !== JSON.stringify(graph)) await this.openGraph();
      } catch (error) {
        await lock.release();
        throw error;
      }
      this.lock = lock;
    }
  }

  private async changeGeneration(generation: Generation): Promise<void> {
    const old = this.generation;
    this.generation = generation;
    // Its rows have other numbers.
    this.graph = undefined;
    this.keys = undefined;
    await old.retire();
    await this.openGraph();
  }

  private async knownKeys(): Promise<KeyRows> {
    this.keys ??= await KeyRows.of(this.generation.entries());
    return this.keys;
  }

  /** Frees the space of deleted rows: copies the others into a new generation. */
  private compact(work: IndexWork): Promise<void> {
    const old = this.generation;
    return this.rewrite(work, this.layout, async (entries) => {
      const first = entries[0].row;
      const block = await old.readVectors(first, entries[entries.length - 1].row + 1 - first);
      const places = entries.map(({ row }) => row - first);
      return gatherRows(block, places, old.dimension);
    });
  }

  async rewrite(
    { signal, onProgress }: IndexWork,
    layout: IndexLayout,
    vectorsOf: (entries: readonly (IndexEntry & { readonly row: number })[]) => Promise<Float32Array>,
  ): Promise<void> {
    const old = this.generation;
    const { generation, next } = old.manifest;
    await removeFolder(generationFolder(this.path, { generation: generation + 1 }));
    const fresh = await Generation.create(this.path, layout, generation + 1, next);
    try {
      for await (const entries of old.entries()) {
        signal?.throwIfAborted();
        if (entries.length === 0) continue;
        await fresh.append(entries, await vectorsOf(entries), next);
        onProgress?.(fresh.rows, this.liveRows);
      }
    } catch (error) {
      await fresh.close();
      await removeFolder(fresh.folder);
      throw error;
    }
    try {
      await fresh.makeCurrent();
    } catch (error) {
      await fresh.close();
      throw error;
    }
    await this.changeGeneration(fresh);
    await removeFolder(old.folder);
  }

  private wantsGraph(): boolean {
    const { backend } = this.layout;
    return backend === "hnsw" || (backend === "auto" && this.liveRows >= exactBelow);
  }
}

async function meeting(generation: Generation, where: Condition, signal?: AbortSignal): Promise<Int32Array> {
  const isMet = conditionTest(where);
  const met: number[] = [];
  for await (const entries of generation.entries()) {
    signal?.throwIfAborted();
    for (const { row, cells } of entries) if (isMet(cells)) met.push(row);
  }
  return Int32Array.from(met);
}

/** Windows keeps files that another process reads: they stay for the next writer to remove. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true }).catch(() => {});

/** Removes what an interrupted writer has left: generations other than the current folder, and unfinished files. */
async function removeLeftovers(path: string, current: string): Promise<void> {
  for (const folder of [path, current])
    for (const name of await readdir(folder)) {
      const isOld = isGenerationName(name) && join(folder, name) !== current;
      if (isOld || /\.(partial|\d+)$/.test(name)) await removeFolder(join(folder, name));
    }
}

/** A map of JavaScript has room for 16.7 million texts. */
const mapCount = 256;

/** The row of each key, in several maps: each has its share of the keys. */
export class KeyRows {
  readonly #maps = Array.from({ length: mapCount }, () => new Map<string, number>());

  /** The rows of an index, some at a time. */
  static async of(batches: AsyncIterable<readonly { key: string; row: number }[]>): Promise<KeyRows> {
    const keys = new KeyRows();
    for await (const rows of batches) for (const { key, row } of rows) keys.set(key, row);
    return keys;
  }

  get(key: string): number | undefined {
    return this.#mapOf(key).get(key);
  }

  set(key: string, row: number): void {
    this.#mapOf(key).set(key, row);
  }

  delete(key: string): void {
    this.#mapOf(key).delete(key);
  }

  #mapOf(key: string): Map<string, number> {
    const hash = fnv(key);
    return this.#maps[(hash ^ (hash >>> 16)) & (mapCount - 1)];
  }
}
