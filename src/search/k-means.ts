/** K-means clustering (Lloyd's iteration from k-means++ starts), after scikit-learn's KMeans. */
import { ArgumentError } from "../errors.js";
import { createRandom, type Random } from "./random.js";
import { countRows } from "./vectors.js";

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

/** A clustering. */
export interface KMeansResult {
  /** Cluster of each row. */
  readonly labels: Int32Array;
  /** [clusters, dimension] */
  readonly centres: Float32Array;
  /** Sum of squared distances of the rows to their centres. */
  readonly inertia: number;
  readonly iterations: number;
}

/** The data of one clustering, centred on its mean (nearer to zero, distances are more precise). */
interface Points {
  readonly rows: Float32Array;
  readonly count: number;
  readonly dimension: number;
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
  const points = { rows: shifted(rows, mean, -1), count, dimension };
  const stop = tolerance * meanVariance(points);
  const random = createRandom(seed);
  let best: KMeansResult | undefined;
  for (let start = 0; start < (options.initialCentres ? 1 : starts); start++) {
    const centres = options.initialCentres
      ? shifted(options.initialCentres, mean, -1)
      : plusPlusCentres(points, clusters, random);
    const result = lloyd(points, centres, maxIterations, stop);
    if (best === undefined || result.inertia < best.inertia) best = result;
  }
  return { ...best!, centres: shifted(best!.centres, mean, 1) };
}

/** Assigns and averages in turn until nothing changes, or the centres hardly move. */
function lloyd(points: Points, start: Float32Array, maxIterations: number, stop: number): KMeansResult {
  const { count, dimension } = points;
  const clusters = start.length / dimension;
  const distances = new Float64Array(count);
  let centres = start;
  let labels = new Int32Array(count).fill(-1);
  let iterations = 0;
  let settled = false;
  while (iterations < maxIterations) {
    iterations++;
    const next = new Int32Array(count);
    assign(points, centres, next, distances);
    const moved = means(points, next, distances, clusters);
    const shift = squaredShift(centres, moved);
    settled = next.every((label, row) => label === labels[row]);
    labels = next;
    centres = moved;
    if (settled || shift <= stop) break;
  }
  // After a stop by tolerance the labels belong to the centres before the last step.
  if (!settled) assign(points, centres, labels, distances);
  return { labels, centres, inertia: inertiaOf(points, centres, labels), iterations };
}

/** Writes each row's nearest centre and the squared distance to it. */
function assign(points: Points, centres: Float32Array, labels: Int32Array, distances: Float64Array): void {
  const { rows, count, dimension } = points;
  const clusters = centres.length / dimension;
  // |x − c|² = |x|² + |c|² − 2 x·c, and |x|² is the same for all centres.
  const norms = new Float64Array(clusters);
  for (let cluster = 0; cluster < clusters; cluster++)
    norms[cluster] = dot(centres, cluster * dimension, centres, cluster * dimension, dimension);
  for (let row = 0; row < count; row++) {
    let best = 0;
    let bestValue = Infinity;
    for (let cluster = 0; cluster < clusters; cluster++) {
      const value = norms[cluster] - 2 * dot(rows, row * dimension, centres, cluster * dimension, dimension);
      if (value < bestValue) {
        bestValue = value;
        best = cluster;
      }
    }
    labels[row] = best;
    distances[row] = bestValue + dot(rows, row * dimension, rows, row * dimension, dimension);
  }
}

/** The mean of each cluster's rows; a cluster that lost all its rows takes the row farthest from its centre. */
function means(
  { rows, count, dimension }: Points,
  labels: Int32Array,
  distances: Float64Array,
  clusters: number,
): Float32Array {
  const sums = new Float64Array(clusters * dimension);
  const sizes = new Int32Array(clusters);
  for (let row = 0; row < count; row++) {
    sizes[labels[row]]++;
    addRow(sums, labels[row], rows, row, dimension, 1);
  }
  const empty = [...sizes.keys()].filter((cluster) => sizes[cluster] === 0);
  if (empty.length > 0) {
    const farthest = [...distances.keys()].sort((a, b) => distances[b] - distances[a]);
    empty.forEach((cluster, place) => {
      const row = farthest[place];
      addRow(sums, labels[row], rows, row, dimension, -1);
      addRow(sums, cluster, rows, row, dimension, 1);
      sizes[labels[row]]--;
      sizes[cluster] = 1;
    });
  }
  return Float32Array.from(sums, (sum, index) => sum / sizes[Math.floor(index / dimension)]);
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

/** Squared distances of all rows to one row, never below zero. */
function distancesTo({ rows, count, dimension }: Points, other: number): Float64Array {
  const distances = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    let squares = 0;
    for (let index = 0; index < dimension; index++) {
      const difference = rows[row * dimension + index] - rows[other * dimension + index];
      squares += difference * difference;
    }
    distances[row] = squares;
  }
  return distances;
}

function inertiaOf({ rows, count, dimension }: Points, centres: Float32Array, labels: Int32Array): number {
  let inertia = 0;
  for (let row = 0; row < count; row++) {
    for (let index = 0; index < dimension; index++) {
      const difference = rows[row * dimension + index] - centres[labels[row] * dimension + index];
      inertia += difference * difference;
    }
  }
  return inertia;
}

/** Inner product with four running sums: independent additions overlap in the processor. */
function dot(a: Float32Array, startA: number, b: Float32Array, startB: number, length: number): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let index = 0;
  for (; index + 3 < length; index += 4) {
    s0 += a[startA + index] * b[startB + index];
    s1 += a[startA + index + 1] * b[startB + index + 1];
    s2 += a[startA + index + 2] * b[startB + index + 2];
    s3 += a[startA + index + 3] * b[startB + index + 3];
  }
  for (; index < length; index++) s0 += a[startA + index] * b[startB + index];
  return s0 + s1 + s2 + s3;
}

function addRow(
  sums: Float64Array,
  cluster: number,
  rows: Float32Array,
  row: number,
  dimension: number,
  sign: 1 | -1,
): void {
  for (let index = 0; index < dimension; index++) {
    sums[cluster * dimension + index] += sign * rows[row * dimension + index];
  }
}

function squaredShift(before: Float32Array, after: Float32Array): number {
  let squares = 0;
  for (let index = 0; index < before.length; index++) squares += (after[index] - before[index]) ** 2;
  return squares;
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
