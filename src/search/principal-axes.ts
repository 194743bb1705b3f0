/**
 * Principal axes of vectors by subspace iteration (Golub and Van Loan, "Matrix Computations", 8.2): the few directions
 * that hold most of what a learned model spreads over hundreds of numbers. A graph over those few is built and searched
 * in a fraction of the time, and the first two give a map.
 */
import { tensor, transposed } from "../onnx/tensor.js";
import { createRandom, type Random } from "../random.js";
import { multiplyRows } from "./exact.js";

/** Orthonormal axes: [width, dimension], flat. */
export interface PrincipalAxes {
  readonly width: number;
  readonly dimension: number;
  readonly axes: Float32Array;
}

/** Widths are multiples of this: what a processor multiplies at once. */
const widthStep = 32;
/** More axes than this share of the dimension save little. */
const widestShare = 0.6;
/** Further rounds only turn the axes within their space, which changes nothing. */
const rounds = 8;
/** Up to this many products, a loop here is no slower than ONNX Runtime. */
const fewProducts = 2 ** 19;

/**
 * The fewest axes that keep the wanted share of a sample's sum of squares, rounded up to a multiple of 32; undefined
 * where that takes more than six tenths of the dimension. The mean is not subtracted: inner products count.
 *
 * @param sample rows of `dimension` numbers, flat
 * @param kept share of the sum of squares to keep, such as 0.9
 */
export async function principalAxes(
  sample: Float32Array,
  { dimension, kept }: { readonly dimension: number; readonly kept: number },
): Promise<PrincipalAxes | undefined> {
  const width = Math.floor((dimension * widestShare) / widthStep) * widthStep;
  if (width === 0 || sample.length === 0) return undefined;
  const widest = await leadingAxes(sample, { dimension, width, rounds, random: createRandom(1) });
  const along = new Float64Array(width);
  (await project(sample, widest)).forEach((value, place) => {
    along[place % width] += value * value;
  });
  const wanted = kept * squares(sample);
  let sum = 0;
  for (let axis = 0; axis < width; axis++) {
    sum += along[axis];
    if (sum < wanted) continue;
    const needed = Math.ceil((axis + 1) / widthStep) * widthStep;
    return { width: needed, dimension, axes: widest.axes.slice(0, needed * dimension) };
  }
  return undefined;
}

/** The `width` axes along which the rows' squares are largest, after that many rounds from a random start. */
export async function leadingAxes(
  rows: Float32Array,
  {
    dimension,
    width,
    rounds,
    random,
  }: Omit<PrincipalAxes, "axes"> & { readonly rounds: number; readonly random: Random },
): Promise<PrincipalAxes> {
  const count = rows.length / dimension;
  const columns = transposed(tensor("float32", [count, dimension], rows)).data as Float32Array;
  const products = await multiplyRows(columns, columns, count);
  let axes = orthonormal(
    Float32Array.from({ length: width * dimension }, () => random() - 0.5),
    dimension,
  );
  // The products are symmetric: each row of this is the product of one axis with them.
  for (let round = 0; round < rounds; round++) {
    axes = orthonormal(await multiplyRows(axes, products, dimension), dimension);
  }
  return { width, dimension, axes };
}

/** Coordinates of rows along the axes: [rows, width]. */
export async function project(
  vectors: Float32Array,
  { axes, dimension }: PrincipalAxes,
): Promise<Float32Array> {
  return multiplyRows(vectors, axes, dimension, fewProducts);
}

/** The share of the rows' sum of squares that lies along the axes; 1 for rows of zeros. */
export async function keptShare(vectors: Float32Array, axes: PrincipalAxes): Promise<number> {
  const whole = squares(vectors);
  return whole === 0 ? 1 : squares(await project(vectors, axes)) / whole;
}

/** Gram-Schmidt: subtracts from each row its parts along the earlier ones. A row with nothing left becomes zero. */
function orthonormal(rows: Float32Array, dimension: number): Float32Array {
  const done: Float64Array[] = [];
  for (let start = 0; start < rows.length; start += dimension) {
    const row = Float64Array.from(rows.subarray(start, start + dimension));
    const before = Math.hypot(...row);
    for (const other of done) {
      let along = 0;
      for (let index = 0; index < dimension; index++) along += row[index] * other[index];
      for (let index = 0; index < dimension; index++) row[index] -= along * other[index];
    }
    const length = Math.hypot(...row);
    // Anything shorter is rounding error.
    const scale = length > before * 1e-5 ? 1 / length : 0;
    done.push(row.map((value) => value * scale));
  }
  const axes = new Float32Array(rows.length);
  done.forEach((row, place) => axes.set(row, place * dimension));
  return axes;
}

function squares(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}
