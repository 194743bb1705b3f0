/**
 * Rows that a graph holds and does not find: in crowded places HNSW may cut every edge that leads to a row. They are
 * kept in a list and compared with every query one by one, so that each row of an index is found by its own vector.
 */
import { readFile, writeFile } from "node:fs/promises";
import type { Generation } from "./generation.js";
import type { IndexWork } from "./index-types.js";
import type { NeighbourGraph } from "./neighbour-graph.js";
import { RankingCollector } from "./ranking.js";
import { type BestRows, collectRows, rankCandidates } from "./row-scan.js";

/** Candidates among which a row must find itself. */
const checkWidth = 16;
const rowsPerCheck = 256;
const rowsPerBlock = 4096;

/** A list of rows with their vectors, which are read when the first search needs them. */
export class ListedRows {
  private readonly members: ReadonlySet<number>;
  private vectors: Float32Array | undefined;

  constructor(
    private readonly generation: Generation,
    private readonly rows: Int32Array,
  ) {
    this.members = new Set(rows);
  }

  /** Reads the list beside a graph; empty where there is none. */
  static async read(path: string, generation: Generation): Promise<ListedRows> {
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw error;
    });
    return new ListedRows(generation, new Int32Array(new Uint8Array(bytes).buffer));
  }

  get count(): number {
    return this.rows.length;
  }

  has(row: number): boolean {
    return this.members.has(row);
  }

  /** The k best of the list for each query; undefined where the list is empty. */
  async rank(queries: Float32Array, k: number): Promise<BestRows | undefined> {
    const { rows, generation } = this;
    const { dimension, deleted } = generation;
    if (rows.length === 0) return undefined;
    this.vectors ??= await readListed(generation, rows);
    const collector = new RankingCollector(queries.length / dimension, { k });
    for (let first = 0; first < rows.length; first += rowsPerBlock) {
      const vectors = this.vectors.subarray(first * dimension, (first + rowsPerBlock) * dimension);
      const block = { queries, vectors, dimension, first, total: rows.length };
      await collectRows(collector, block, (place) => deleted.has(rows[first + place]));
    }
    const { indices, scores } = collector.finish();
    return { rows: indices.map((place) => (place < 0 ? -1 : rows[place])), scores };
  }

  /** Writes the list with the rows that have joined it. */
  async save(path: string, joined: readonly number[]): Promise<void> {
    await writeFile(path, new Uint8Array(Int32Array.from([...this.rows, ...joined]).buffer));
  }
}

/** Vectors of single rows, in the list's order. */
async function readListed(generation: Generation, rows: Int32Array): Promise<Float32Array> {
  const { dimension } = generation;
  const vectors = new Float32Array(rows.length * dimension);
  for (let place = 0; place < rows.length; place++) {
    vectors.set(await generation.readVectors(rows[place], 1), place * dimension);
  }
  return vectors;
}

/** The rows from `first` on that the graph does not find from their own vectors. */
export async function findUnreached(
  generation: Generation,
  graph: NeighbourGraph,
  first: number,
  { signal, onProgress }: IndexWork,
): Promise<number[]> {
  const { dimension, extent } = generation;
  const unreached: number[] = [];
  for (let start = first; start < extent.rows; start += rowsPerCheck) {
    signal?.throwIfAborted();
    const count = Math.min(rowsPerCheck, extent.rows - start);
    const vectors = await generation.readVectors(start, count);
    const candidates = graph.search(vectors, Math.min(checkWidth, extent.rows));
    const best = rankCandidates(generation, vectors, candidates, 1);
    for (let place = 0; place < count; place++) {
      const vector = vectors.subarray(place * dimension, (place + 1) * dimension);
      const own = vector.reduce((sum, value) => sum + value * value, 0);
      // An equal vector in its place will do: whoever looks for one finds the other.
      if (own > 0 && !(best.rows[place] >= 0 && best.scores[place] >= own - 1e-5))
        unreached.push(start + place);
    }
    onProgress?.(start + count - first, extent.rows - first);
    await new Promise(setImmediate);
  }
  return unreached;
}
