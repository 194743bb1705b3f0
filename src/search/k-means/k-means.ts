/** K-means clustering (Lloyd's iteration from k-means++ starts), after scikit-learn's KMeans. */
import { ArgumentError } from "../../errors.js";
import { createRandom, type Random } from "../../random.js";
import { countRows } from "../vectors.js";
import { type KMeansResult, lloyd, type Points, squaredDistance } from "./lloyd.js";

/** Settings of a clustering. */
export interface KMeansOptions {
  /** Numbers per row. */
  readonly dimension: number;
  readonly clusters: number;
  /** Starts; the one of lowest inertia wins. Default 10. */
  readonly starts?: number;
  /** Default 0. */
  readonly seed?: number;
  /** Iterations per start at most. Default 300. */
  readonly maxIterations?: number;
  /** Ends when the centres' squared shift is at most this times the mean variance of the columns. Default 1e-4. */
  readonly tolerance?: number;
  /** Centres to start from, [clusters, dimension], instead of k-means++; one start only. */
  readonly initialCentres?: Float32Array;
}

/**
 * Clusters the rows.
 *
 * @param rows rows of `dimension` numbers, flat
 * @throws ArgumentError for broken rows or fewer rows than clusters.
 */
export function kMeans(rows: Float32Array, options: KMeansOptions): KMeansResult {
  const { dimension, clusters, starts = 10, seed = 0, maxIterations = 300, tolerance = 1e-4 } = options;
  const count = countRows(rows, dimension, "points");
  if (clusters < 1 || clusters > count)
    throw new ArgumentError(`cannot make ${clusters} clusters of ${count} points`);
  const mean = columnMeans(rows, count, dimension);
  // Centred: nearer to zero, distances are more precise.
  const points = { rows: shifted(rows, mean, -1), count, dimension };
  const stop = tolerance * meanVariance(points);
  const random = createRandom(seed);
  let best: KMeansResult | undefined;
  for (let start = 0; start < (options.initialCentres ? 1 : starts); start++) {
    const centres = options.initialCentres
      ? shifted(options.initialCentres, mean, -1)
      : plusPlusCentres(points, clusters, random);
    const result = lloyd(points, centres, { maxIterations, stop });
    if (best === undefined || result.inertia < best.inertia) best = result;
  }
  return { ...best!, centres: shifted(best!.centres, mean, 1) };
}

/**
 * Starting centres spread out (Arthur and Vassilvitskii 2007): each new one is drawn with probability
 * proportional to the squared distance to the nearest so far; of 2 + ln k draws the best is kept.
 */
function plusPlusCentres(points: Points, clusters: number, random: Random): Float32Array {
  const { rows, count, dimension } = points;
  const centres = new Float32Array(clusters * dimension);
  const trials = 2 + Math.floor(Math.log(clusters));
  let row = Math.floor(random() * count);
  let nearest = distancesTo(points, row);
  for (let cluster = 0; ; cluster++) {
    centres.set(rows.subarray(row * dimension, (row + 1) * dimension), cluster * dimension);
    if (cluster === clusters - 1) return centres;
    const before = nearest;
    const total = sum(before);
    let bestTotal = Infinity;
    for (let trial = 0; trial < trials; trial++) {
      const candidate = drawProportional(before, random() * total);
      const distances = distancesTo(points, candidate).map((value, index) => Math.min(value, before[index]));
      const potential = sum(distances);
      if (potential >= bestTotal) continue;
      bestTotal = potential;
      nearest = distances;
      row = candidate;
    }
  }
}

/** The first index at which the running sum passes the mark. */
function drawProportional(weights: Float64Array, mark: number): number {
  let passed = 0;
  for (let index = 0; index < weights.length; index++) {
    passed += weights[index];
    if (passed > mark) return index;
  }
  return weights.length - 1;
}

/** Squared distances of all rows to one row. */
function distancesTo({ rows, count, dimension }: Points, other: number): Float64Array {
  return Float64Array.from({ length: count }, (_, row) => squaredDistance(rows, row, rows, other, dimension));
}

function columnMeans(rows: Float32Array, count: number, dimension: number): Float64Array {
  const means = new Float64Array(dimension);
  for (let index = 0; index < rows.length; index++) means[index % dimension] += rows[index] / count;
  return means;
}

/** The rows with `sign` times the offset added to each. */
function shifted(rows: Float32Array, offset: Float64Array, sign: 1 | -1): Float32Array {
  return rows.map((value, index) => value + sign * offset[index % offset.length]);
}

/** Mean of the columns' variances; the rows are centred. */
function meanVariance({ rows, count }: Points): number {
  let squares = 0;
  for (const value of rows) squares += value * value;
  return squares / count / (rows.length / count);
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
