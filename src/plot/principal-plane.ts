/** The plane in which vectors differ most: their first two principal components, by subspace iteration. */
import type { Random } from "../random.js";

/** Fewer points than this make no map. */
export const leastPoints = 4;

const rounds = 30;

/**
 * @param vectors rows of `dimension` numbers, flat
 * @returns the rows' coordinates in the plane: [rows, 2]
 */
export function principalPlane(vectors: Float32Array, dimension: number, random: Random): Float64Array {
  const mean = new Float64Array(dimension);
  const count = vectors.length / dimension;
  for (let index = 0; index < vectors.length; index++) mean[index % dimension] += vectors[index] / count;
  let axes: Float64Array[] = [0, 1].map(() => Float64Array.from({ length: dimension }, () => random() - 0.5));
  for (let round = 0; round < rounds; round++) {
    const places = coordinates(vectors, mean, axes);
    axes = orthonormal(axes.map((_, axis) => weighted(vectors, mean, places, axis)));
  }
  return coordinates(vectors, mean, axes);
}

/** (rows − mean) · axes: [rows, 2]. */
function coordinates(vectors: Float32Array, mean: Float64Array, axes: readonly Float64Array[]): Float64Array {
  const dimension = mean.length;
  const places = new Float64Array((vectors.length / dimension) * 2);
  for (let row = 0; row < places.length / 2; row++) {
    for (let index = 0; index < dimension; index++) {
      const value = vectors[row * dimension + index] - mean[index];
      places[row * 2] += value * axes[0][index];
      places[row * 2 + 1] += value * axes[1][index];
    }
  }
  return places;
}

/** (rows − mean)ᵀ · one column of the coordinates. */
function weighted(
  vectors: Float32Array,
  mean: Float64Array,
  places: Float64Array,
  axis: number,
): Float64Array {
  const dimension = mean.length;
  const sums = new Float64Array(dimension);
  for (let row = 0; row < places.length / 2; row++) {
    const weight = places[row * 2 + axis];
    for (let index = 0; index < dimension; index++) {
      sums[index] += weight * (vectors[row * dimension + index] - mean[index]);
    }
  }
  return sums;
}

/** Gram and Schmidt: the second axis loses its part along the first. */
function orthonormal([first, second]: readonly Float64Array[]): Float64Array[] {
  const unit = (values: Float64Array): Float64Array => {
    const length = Math.hypot(...values) || 1;
    return values.map((value) => value / length);
  };
  const one = unit(first);
  const along = second.reduce((sum, value, index) => sum + value * one[index], 0);
  return [one, unit(second.map((value, index) => value - along * one[index]))];
}
