/** Exact search over stored rows, block by block, leaving deleted rows out. */
import { readSync } from "node:fs";
import { fromFloat16 } from "../../onnx/io/float16.js";
import { multiplyRows } from "../exact.js";
import type { Candidates } from "../graph/neighbour-graph.js";
import { RankingCollector } from "../ranking.js";
import { dotRows } from "../vectors.js";
import type { Generation } from "./generation.js";

/** Best rows of some queries: [queries, k], best first; row -1 where there are fewer. */
export interface BestRows {
  readonly rows: Int32Array;
  readonly scores: Float64Array;
}

/** What a scan covers. */
export interface Scan {
  readonly queries: Float32Array;
  readonly k: number;
  /** Rows from here, inclusive. */
  readonly from: number;
  /** Rows up to here, exclusive. */
  readonly to: number;
  /** Rows to leave out, beside the deleted ones. */
  readonly isHidden?: (row: number) => boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

const rowsPerBlock = 4096;
const queriesPerBlock = 2048;
/** Below this many products, a loop here is done before the runtime would have started. */
const smallWork = 2 ** 25;
/** Vectors up to this size are kept in memory between searches. */
const cacheBytes = 256 * 2 ** 20;

/** Stored vectors as a scan reads them: from memory where they fit, else from the file each time. */
export class VectorReader {
  private cached: Float32Array | undefined;
  private cachedFrom = 0;

  constructor(private readonly generation: Generation) {}

  /** Vectors of some rows as float32. */
  async read(first: number, count: number, scan: Pick<Scan, "from" | "to">): Promise<Float32Array> {
    const { dimension } = this.generation;
    if ((scan.to - scan.from) * dimension * 4 > cacheBytes) {
      return this.generation.readVectors(first, count);
    }
    const wanted = (scan.to - scan.from) * dimension;
    if (this.cached === undefined || this.cachedFrom !== scan.from || this.cached.length < wanted) {
      this.cached = await this.generation.readVectors(scan.from, scan.to - scan.from);
      this.cachedFrom = scan.from;
    }
    const start = (first - scan.from) * dimension;
    return this.cached.subarray(start, start + count * dimension);
  }
}

/** The k best rows of each query among the rows of the scan. */
export async function scanRows(generation: Generation, reader: VectorReader, scan: Scan): Promise<BestRows> {
  const { queries, k, from, to, signal, isHidden = () => false } = scan;
  const { dimension, deleted } = generation;
  const collector = new RankingCollector(queries.length / dimension, { k });
  for (let first = from; first < to; first += rowsPerBlock) {
    signal?.throwIfAborted();
    const rows = Math.min(rowsPerBlock, to - first);
    const vectors = await reader.read(first, rows, scan);
    await collectRows(collector, { queries, vectors, dimension, first, total: to - from }, (place) => {
      const row = first + place;
      return deleted.has(row) || isHidden(row) || isEmpty(vectors, place, dimension);
    });
    scan.onProgress?.(first + rows - from, to - from);
  }
  const { indices, scores } = collector.finish();
  return { rows: indices, scores };
}

/** Some rows that all queries are compared with. */
export interface RowBlock {
  readonly queries: Float32Array;
  readonly vectors: Float32Array;
  readonly dimension: number;
  /** Number of the first of these rows. */
  readonly first: number;
  /** Rows in all blocks together: little work is done here, more by the runtime. */
  readonly total: number;
}

/** Compares all queries with some rows and collects the best, hidden ones left out. */
export async function collectRows(
  collector: RankingCollector,
  { queries, vectors, dimension, first, total }: RowBlock,
  isHidden: (place: number) => boolean,
): Promise<void> {
  const rows = vectors.length / dimension;
  const hidden = Array.from({ length: rows }, (_, place) => place).filter(isHidden);
  const isSmall = queries.length * total <= smallWork;
  for (let query = 0; query * dimension < queries.length; query += queriesPerBlock) {
    const part = queries.subarray(query * dimension, (query + queriesPerBlock) * dimension);
    const scores = isSmall
      ? products(part, vectors, dimension)
      : await multiplyRows(part, vectors, dimension);
    // A score of minus infinity is never among the best.
    for (const row of hidden) {
      for (let place = row; place < scores.length; place += rows) scores[place] = Number.NEGATIVE_INFINITY;
    }
    for (let index = 0; index < part.length / dimension; index++) {
      collector.add(query + index, first, scores, index * rows, rows);
    }
  }
}

/** queries [q, d] × rowsᵀ [d, r] → scores [q, r], in a loop. */
function products(queries: Float32Array, rows: Float32Array, dimension: number): Float32Array {
  const rowCount = rows.length / dimension;
  return Float32Array.from({ length: (queries.length / dimension) * rowCount }, (_, place) =>
    dotRows(queries, Math.floor(place / rowCount), rows, place % rowCount, dimension),
  );
}

/** Whether a row is a zero vector, which is similar to nothing. Others are seen to be none at their first number. */
function isEmpty(vectors: Float32Array, row: number, dimension: number): boolean {
  for (let index = row * dimension; index < (row + 1) * dimension; index++) {
    if (vectors[index] !== 0) return false;
  }
  return true;
}

/**
 * How far below the k-th candidate's cosine, by the graph, a candidate may lie and still be compared. Of half a million
 * phrases along 128 axes no nearest row lay more than 0.11 below the graph's first, and most queries have few that near.
 */
const roughness = 0.15;

/** The k best of each query's candidates by their stored vectors, without the hidden ones. */
export function rankCandidates(
  generation: Generation,
  queries: Float32Array,
  { rows: candidates, width, cosines }: Candidates,
  k: number,
  isHidden: (row: number) => boolean = () => false,
): BestRows {
  const { dimension, rowBytes, precision } = generation;
  const count = queries.length / dimension;
  const collected = { rows: new Int32Array(count * k).fill(-1), scores: new Float64Array(count * k) };
  const bytes = new Uint8Array(rowBytes);
  const stored = precision === "float16" ? new Uint16Array(bytes.buffer) : new Float32Array(bytes.buffer);
  const descriptor = generation.vectorsDescriptor;
  for (let query = 0; query < count; query++) {
    const found: { row: number; score: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (let place = query * width; place < (query + 1) * width; place++) {
      const row = candidates[place];
      if (row < 0 || isHidden(row)) continue;
      if (cosines !== undefined) {
        if (cosines[place] < least) break;
        if (found.length === k - 1) least = cosines[place] - roughness;
      }
      readSync(descriptor, bytes, 0, rowBytes, row * rowBytes);
      const vector = stored instanceof Uint16Array ? fromFloat16(stored) : stored;
      found.push({ row, score: dotRows(queries, query, vector, 0, dimension) });
    }
    found.sort((left, right) => right.score - left.score || left.row - right.row);
    found.slice(0, k).forEach(({ row, score }, index) => {
      collected.rows[query * k + index] = row;
      collected.scores[query * k + index] = score;
    });
  }
  return collected;
}
