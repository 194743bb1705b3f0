/** Exact search over stored rows, block by block, leaving deleted rows out. */
import { readSync } from "node:fs";
import { multiplyRows } from "./exact.js";
import type { Generation } from "./generation.js";
import { fromFloat16 } from "./half.js";
import type { Candidates } from "./neighbour-graph.js";
import { RankingCollector } from "./ranking.js";
import { dotRows } from "./vectors.js";

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
  const { queries, k, from, to, signal } = scan;
  const { dimension, deleted } = generation;
  const count = queries.length / dimension;
  const collector = new RankingCollector(count, { k });
  for (let first = from; first < to; first += rowsPerBlock) {
    signal?.throwIfAborted();
    const rows = Math.min(rowsPerBlock, to - first);
    const vectors = await reader.read(first, rows, scan);
    const isSmall = queries.length * (to - from) <= smallWork;
    for (let query = 0; query < count; query += queriesPerBlock) {
      const part = queries.subarray(query * dimension, (query + queriesPerBlock) * dimension);
      const scores = isSmall
        ? products(part, vectors, dimension)
        : await multiplyRows(part, vectors, dimension);
      hideRows(
        scores,
        rows,
        (row) => deleted.has(first + row) || isEmpty(scores[row], vectors, row, dimension),
      );
      for (let index = 0; index < part.length / dimension; index++) {
        collector.add(query + index, first, scores, index * rows, rows);
      }
    }
    scan.onProgress?.(first + rows - from, to - from);
  }
  const { indices, scores } = collector.finish();
  return { rows: indices, scores };
}

/** queries [q, d] × rowsᵀ [d, r] → scores [q, r], in a loop. */
function products(queries: Float32Array, rows: Float32Array, dimension: number): Float32Array {
  const rowCount = rows.length / dimension;
  return Float32Array.from({ length: (queries.length / dimension) * rowCount }, (_, place) =>
    dotRows(queries, Math.floor(place / rowCount), rows, place % rowCount, dimension),
  );
}

/** Whether a row is a zero vector, which is similar to nothing; its score with whatever query is 0. */
function isEmpty(score: number, vectors: Float32Array, row: number, dimension: number): boolean {
  if (score !== 0) return false;
  for (let index = row * dimension; index < (row + 1) * dimension; index++) {
    if (vectors[index] !== 0) return false;
  }
  return true;
}

/** A score of minus infinity is never among the best. */
function hideRows(scores: Float32Array, rows: number, isHidden: (row: number) => boolean): void {
  for (let row = 0; row < rows; row++) {
    if (!isHidden(row)) continue;
    for (let place = row; place < scores.length; place += rows) scores[place] = Number.NEGATIVE_INFINITY;
  }
}

/** The k best of each query's candidates by their stored vectors. */
export function rankCandidates(
  generation: Generation,
  queries: Float32Array,
  { rows: candidates, width }: Candidates,
  k: number,
): BestRows {
  const { dimension, rowBytes, deleted, precision } = generation;
  const count = queries.length / dimension;
  const collected = { rows: new Int32Array(count * k).fill(-1), scores: new Float64Array(count * k) };
  const bytes = new Uint8Array(rowBytes);
  const stored = precision === "float16" ? new Uint16Array(bytes.buffer) : new Float32Array(bytes.buffer);
  const descriptor = generation.vectorsDescriptor;
  for (let query = 0; query < count; query++) {
    const found: { row: number; score: number }[] = [];
    for (let place = query * width; place < (query + 1) * width; place++) {
      const row = candidates[place];
      if (row < 0 || deleted.has(row)) continue;
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
