/** Cuts phrases of many lengths into batches that waste little padding. */

import type { Pooling } from "../architectures/model-folder.js";
import { type Batch, longestFirst } from "../longest-first.js";
import type { Tensor } from "../runtime/tensor.js";

/** Below this many rows a batch also takes shorter phrases: a padded cell costs less than another run. */
const FEW_ROWS = 16;
/** Above it, shorter phrases join while they waste less than this share of their cells. */
const WASTE = 0.04;

/**
 * Batches, longest phrases first, so that memory is highest at the start and the time left is not underestimated.
 * @param cells rows times length of a batch at most; a longer phrase gets its own batch
 * @param most rows of a batch at most
 */
export function batchByLength(
  lengths: ArrayLike<number>,
  cells: number,
  most = Number.POSITIVE_INFINITY,
): Batch[] {
  const order = longestFirst(lengths);
  const batches: Batch[] = [];
  for (let start = 0; start < order.length; ) {
    const length = lengths[order[start]];
    const capacity = Math.max(1, Math.min(most, Math.floor(cells / Math.max(1, length))));
    let end = start + 1;
    while (end < order.length && end - start < capacity) {
      const next = lengths[order[end]];
      if (next < length && end - start >= FEW_ROWS && (length - next) / length > WASTE) break;
      end++;
    }
    batches.push({ rows: order.slice(start, end), length });
    start = end;
  }
  return batches;
}

// From a graph's output to unit vectors: pooling over tokens, truncation, normalisation.

/**
 * Pools token vectors to one vector per row.
 * @param output float32 [batch, tokens, width], or [batch, width] with pooling "none"
 * @param lengths tokens of each row; the rest is padding
 * @returns float32 [batch, width], row-major
 */
export function pool(output: Tensor, lengths: ArrayLike<number>, pooling: Pooling): Float32Array {
  const data = output.data as Float32Array;
  if (output.dims.length === 2) return data;
  const [rows, tokens, width] = output.dims;
  const pooled = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const from = row * tokens * width;
    const target = pooled.subarray(row * width, (row + 1) * width);
    if (pooling === "max") maxOver(data, from, lengths[row], target);
    else sumOver(data, from, lengths[row], target, pooling);
  }
  return pooled;
}

/** Weighted sums of tokens: only "weightedmean" gives them unequal weights, their places from 1. */
function sumOver(
  data: Float32Array,
  from: number,
  tokens: number,
  target: Float32Array,
  pooling: Pooling,
): void {
  const width = target.length;
  const first = pooling === "lasttoken" ? Math.max(0, tokens - 1) : 0;
  const end = pooling === "cls" ? 1 : tokens;
  let total = 0;
  for (let token = first, at = from + first * width; token < end; token++, at += width) {
    const weight = pooling === "weightedmean" ? token + 1 : 1;
    total += weight;
    for (let i = 0; i < width; i++) target[i] += weight * data[at + i];
  }
  const scale = 1 / Math.max(pooling === "mean_sqrt_len_tokens" ? Math.sqrt(total) : total, 1e-9);
  for (let i = 0; i < width; i++) target[i] *= scale;
}

function maxOver(data: Float32Array, from: number, tokens: number, target: Float32Array): void {
  const width = target.length;
  target.fill(Number.NEGATIVE_INFINITY);
  for (let token = 0, at = from; token < tokens; token++, at += width) {
    for (let i = 0; i < width; i++) if (data[at + i] > target[i]) target[i] = data[at + i];
  }
}

/**
 * Copies one vector's first `target.length` coordinates, scaled to unit length on request.
 * A zero vector stays zero.
 */
export function finishVector(source: Float32Array, target: Float32Array, length: "unit" | "raw"): void {
  let squares = 0;
  for (let i = 0; i < target.length; i++) squares += source[i] * source[i];
  const scale = length === "unit" && squares > 0 ? 1 / Math.sqrt(squares) : 1;
  for (let i = 0; i < target.length; i++) target[i] = source[i] * scale;
}

/** The dot product of each vector of `left` with each of `right`: their cosine if they have unit length. */
export const dotProducts = (left: readonly Float32Array[], right: readonly Float32Array[]): Float32Array[] =>
  left.map((x) => Float32Array.from(right, (y) => dotProduct(x, y)));

/** A loop, as `reduce` of a typed array takes about 60 times as long. */
function dotProduct(x: Float32Array, y: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
