/**
 * The directions in which vectors lie: the first principal axes of a sample, by subspace iteration (Golub and Van Loan,
 * "Matrix Computations", 8.2). What a learned model fills with hundreds of numbers often lies in far fewer directions,
 * and a graph over those few is made and searched in a fraction of the time.
 */
import { createRandom } from "../random.js";
import { multiplyRows } from "./exact.js";
import { dotRows } from "./vectors.js";

/** Orthonormal axes: [width, dimension], flat. */
export interface PrincipalAxes {
  readonly width: number;
  readonly dimension: number;
  readonly axes: Float32Array;
}

/** Widths are whole multiples of this: what a processor multiplies at once. */
const widthStep = 32;
/** With more axes than this share of the dimension, little would be saved. */
const widestShare = 0.6;
/** Later rounds turn the axes within their space, which changes nothing. */
const rounds = 8;
/** Up to so many products, a loop here is done before the runtime's thread has answered. */
const fewProducts = 2 ** 19;

/**
 * The fewest axes that keep the wanted share of the squares of a sample, and enough more to fill a multiple of 32;
 * undefined where that takes more than six tenths of the dimension. The mean is not taken away: inner products count.
 *
 * @param sample rows of `dimension` numbers, flat
 * @param kept share of the squares to be kept, such as 0.9
 */
export async function principalAxes(
  sample: Float32Array,
  { dimension, kept }: { readonly dimension: number; readonly kept: number },
): Promise<PrincipalAxes | undefined> {
  const widest = Math.floor((dimension * widestShare) / widthStep) * widthStep;
  if (widest === 0 || sample.length === 0) return undefined;
  const columns = transposed(sample, dimension);
  const products = await multiplyRows(columns, columns, sample.length / dimension);
  const random = createRandom(1);
  let axes = orthonormal(
    Float32Array.from({ length: widest * dimension }, () => random() - 0.5),
    dimension,
  );
  // The products are symmetric: each row of this is the product of one axis with them.
  for (let round = 0; round < rounds; round++) {
    axes = orthonormal(await multiplyRows(axes, products, dimension), dimension);
  }
  const width = await widthThatKeeps(kept, axes, sample, dimension);
  return width === undefined ? undefined : { width, dimension, axes: axes.slice(0, width * dimension) };
}

/** Coordinates of rows along the axes: [rows, width]. */
export async function project(
  vectors: Float32Array,
  { axes, width, dimension }: PrincipalAxes,
): Promise<Float32Array> {
  if (vectors.length * width > fewProducts) return multiplyRows(vectors, axes, dimension);
  return Float32Array.from({ length: (vectors.length / dimension) * width }, (_, place) =>
    dotRows(vectors, Math.floor(place / width), axes, place % width, dimension),
  );
}

/** Which share of the rows' squares lies along the axes; 1 for rows of zeros. */
export async function keptShare(vectors: Float32Array, axes: PrincipalAxes): Promise<number> {
  const whole = squares(vectors);
  return whole === 0 ? 1 : squares(await project(vectors, axes)) / whole;
}

async function widthThatKeeps(
  kept: number,
  axes: Float32Array,
  sample: Float32Array,
  dimension: number,
): Promise<number | undefined> {
  const widest = axes.length / dimension;
  const coordinates = await project(sample, { width: widest, dimension, axes });
  const along = new Float64Array(widest);
  coordinates.forEach((value, place) => {
    along[place % widest] += value * value;
  });
  const wanted = kept * squares(sample);
  let sum = 0;
  for (let axis = 0; axis < widest; axis++) {
    sum += along[axis];
    if (sum >= wanted) return Math.ceil((axis + 1) / widthStep) * widthStep;
  }
  return undefined;
}

/** Gram and Schmidt, row by row: each loses its parts along those before. One that has no more to it becomes zero. */
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
    // What is left of it is rounding.
    const scale = length > before * 1e-5 ? 1 / length : 0;
    done.push(row.map((value) => value * scale));
  }
  const axes = new Float32Array(rows.length);
  done.forEach((row, place) => axes.set(row, place * dimension));
  return axes;
}

function transposed(rows: Float32Array, dimension: number): Float32Array {
  const count = rows.length / dimension;
  const columns = new Float32Array(rows.length);
  for (let row = 0; row < count; row++) {
    for (let index = 0; index < dimension; index++) {
      columns[index * count + row] = rows[row * dimension + index];
    }
  }
  return columns;
}

function squares(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}
