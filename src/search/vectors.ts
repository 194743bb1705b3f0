/** Rows of vectors in one flat array: checks, unit length, inner products. */
import { ArgumentError } from "../errors.js";

/** The inner product of row `a` of `left` and row `b` of `right`, summed in double precision. */
export function dotRows(
  left: Float32Array,
  a: number,
  right: Float32Array,
  b: number,
  dimension: number,
): number {
  // Four sums at once: one addition need not wait for the one before.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const startA = a * dimension;
  const startB = b * dimension;
  const fours = dimension - (dimension % 4);
  for (let index = 0; index < fours; index += 4) {
    first += left[startA + index] * right[startB + index];
    second += left[startA + index + 1] * right[startB + index + 1];
    third += left[startA + index + 2] * right[startB + index + 2];
    fourth += left[startA + index + 3] * right[startB + index + 3];
  }
  for (let index = fours; index < dimension; index++) first += left[startA + index] * right[startB + index];
  return first + second + (third + fourth);
}

/** A copy with every row at unit length; a zero row stays zero, so that its cosine with anything is 0. */
export function unitRows(rows: Float32Array, dimension: number): Float32Array {
  const units = new Float32Array(rows.length);
  for (let start = 0; start < rows.length; start += dimension) {
    let squares = 0;
    for (let index = start; index < start + dimension; index++) squares += rows[index] * rows[index];
    if (squares === 0) continue;
    const scale = 1 / Math.sqrt(squares);
    for (let index = start; index < start + dimension; index++) units[index] = rows[index] * scale;
  }
  return units;
}

export function columnMeans(rows: Float32Array, dimension: number): Float64Array {
  const means = new Float64Array(dimension);
  const count = rows.length / dimension;
  for (let index = 0; index < rows.length; index++) means[index % dimension] += rows[index] / count;
  return means;
}

/** The rows of some numbers, in their order. */
export function gatherRows(vectors: Float32Array, rows: ArrayLike<number>, dimension: number): Float32Array {
  const gathered = new Float32Array(rows.length * dimension);
  for (let place = 0; place < rows.length; place++) {
    const start = rows[place] * dimension;
    gathered.set(vectors.subarray(start, start + dimension), place * dimension);
  }
  return gathered;
}

/**
 * How many rows the array holds.
 * @throws ArgumentError where its length is not a multiple of the dimension, or for NaN or infinity
 */
export function countRows(rows: Float32Array, dimension: number, label: string): number {
  if (!Number.isInteger(dimension) || dimension < 1 || rows.length % dimension !== 0) {
    throw new ArgumentError(
      `${label}: ${rows.length} numbers are not a multiple of the dimension ${dimension}`,
    );
  }
  for (let index = 0; index < rows.length; index++) {
    if (!Number.isFinite(rows[index])) {
      const row = Math.floor(index / dimension);
      throw new ArgumentError(`${label}: row ${row} holds ${rows[index]}; every number must be finite`);
    }
  }
  return rows.length / dimension;
}

/** Whether a row is a zero vector. */
export function isZero(rows: Float32Array, row: number, dimension: number): boolean {
  for (let index = row * dimension; index < (row + 1) * dimension; index++) {
    if (rows[index] !== 0) return false;
  }
  return true;
}
