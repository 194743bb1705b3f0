/** Cuts a batch of phrases of mixed length into chunks, to bound memory and to compute little padding. */
import { ArgumentError } from "../../errors.js";
import { batchByCost, longestFirst } from "../../longest-first.js";
import type { Tensor } from "../../runtime/tensor.js";
import type { Chunk } from "../program.js";

export interface ChunkOptions {
  /** Rows times length of one chunk at most, which bounds memory; default 4,096. */
  readonly cells?: number;
  /** Cost of one more chunk, in cells: its start, and the addition of its gradients. Default 96. */
  readonly overhead?: number;
}

/**
 * Cuts rows into chunks of similar length if that is cheaper than one pass, or needed for memory. Chunks run forward
 * twice (4 units of work for each cell instead of 3), but are not padded to the longest phrase of all.
 * @returns rows of each chunk, longest first; undefined if one pass is best
 */
export function planChunks(lengths: ArrayLike<number>, options: ChunkOptions = {}): Int32Array[] | undefined {
  const { cells = 4096, overhead = 96 } = options;
  const groups = batchByCost(lengths, { cells: Number.POSITIVE_INFINITY, run: overhead });
  const work = groups.reduce((sum, { rows, length }) => sum + rows.length * length + overhead, 0);
  const whole = lengths.length * groups[0].length;
  if (whole <= cells && 3 * whole <= 4 * work) return undefined;
  return groups.flatMap(({ rows, length }) => evenParts(rows, Math.max(1, Math.floor(cells / length))));
}

/**
 * Cuts a batch that has more than `cells` cells into chunks of few shapes: each has `cells` cells, or half or a quarter of
 * them, as far as its length divides them. A GPU's memory for one shape serves no other.
 * @param lengths as they are padded
 * @returns as {@link planChunks}; -1 stands for rows that only fill a chunk
 */
export function planEqualChunks(lengths: ArrayLike<number>, cells: number): Int32Array[] | undefined {
  const order = longestFirst(lengths);
  if (order.length * lengths[order[0]] <= cells) return undefined;
  const chunks: Int32Array[] = [];
  for (let start = 0; start < order.length; ) {
    const most = Math.max(1, Math.floor(cells / lengths[order[start]]));
    const counts = [4, 2, 1].map((part) => Math.ceil(most / part));
    const left = order.length - start;
    const count = counts.find((rows) => rows >= left) ?? most;
    const chunk = new Int32Array(count).fill(-1);
    chunk.set(order.subarray(start, start + count));
    chunks.push(chunk);
    start += count;
  }
  return chunks;
}

/** The length that a row is padded to on a GPU: a power of two, 8 at least; at most what the model reads. */
export const paddedLength = (length: number, most = Number.POSITIVE_INFINITY): number =>
  Math.max(length, Math.min(most, 2 ** Math.max(3, Math.ceil(Math.log2(length)))));

function evenParts(rows: Int32Array, most: number): Int32Array[] {
  const count = Math.ceil(rows.length / most);
  return Array.from({ length: count }, (_, i) =>
    rows.slice(Math.floor((i * rows.length) / count), Math.floor(((i + 1) * rows.length) / count)),
  );
}

/** The embeddings of all rows from those of each chunk. */
export function gathered(chunks: readonly Chunk[], parts: readonly Tensor[]): Tensor {
  const rows = chunks.reduce((count, chunk) => count + chunk.rows.filter((row) => row >= 0).length, 0);
  const width = parts[0].dims[1];
  const data = new Float32Array(rows * width);
  chunks.forEach((chunk, c) => {
    const part = parts[c].data as Float32Array;
    if (part.length !== chunk.rows.length * width)
      throw new ArgumentError(`chunk ${c}: ${chunk.rows.length} rows, but ${part.length / width} embeddings`);
    chunk.rows.forEach((row, i) => {
      if (row >= 0) data.set(part.subarray(i * width, (i + 1) * width), row * width);
    });
  });
  return { type: "float32", dims: [rows, width], data };
}

/** The rows of a chunk, zeros for those that only fill it. */
export function rowsOf({ data, dims: [, width] }: Tensor, rows: Int32Array): Tensor {
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    if (row >= 0) picked.set((data as Float32Array).subarray(row * width, (row + 1) * width), i * width);
  });
  return { type: "float32", dims: [rows.length, width], data: picked };
}
