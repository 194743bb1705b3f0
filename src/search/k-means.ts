/** K-means clustering (Lloyd's iteration from k-means++ starts), after scikit-learn's KMeans. */
import { ArgumentError } from "../errors.js";
import { createRandom, type Random } from "../random.js";
import { columnMeans, countRows, dotRows } from "./vectors.js";

export interface KMeansOptions {
  readonly dimension: number;
  readonly clusters: number;
  /** Starts; the one of lowest inertia wins. Default 10. */
  readonly starts?: number;
  /** Default 0. */
  readonly seed?: number;
  /** Ends when the centres' squared shift is at most this times the mean variance of the columns. Default 1e-4. */
  readonly tolerance?: number;
  /** Centres to start from, [clusters, dimension], instead of k-means++; one start only. */
  readonly initialCentres?: Float32Array;
}

export interface KMeansResult {
  readonly labels: Int32Array;
  /** [clusters, dimension] */
  readonly centres: Float32Array;
  /** Sum of squared distances of the rows to their centres. */
  readonly inertia: number;
}

const mostIterations = 300;

interface Points {
  /** Rows of `dimension` numbers, flat. */
  readonly rows: Float32Array;
  readonly count: number;
  readonly dimension: number;
  readonly squares: Float64Array;
}

/**
 * @param rows rows of `dimension` numbers, flat
 * @throws ArgumentError for incomplete rows, or fewer rows than clusters
 */
export function kMeans(rows: Float32Array, options: KMeansOptions): KMeansResult {
  const { dimension, clusters, initialCentres, starts = 10, seed = 0, tolerance = 1e-4 } = options;
  const count = countRows(rows, dimension, "points");
  if (clusters < 1 || clusters > count)
    throw new ArgumentError(`cannot make ${clusters} clusters of ${count} points`);
  const mean = columnMeans(rows, dimension);
  // Centred: nearer to zero, distances are more precise.
  const centred = shifted(rows, mean, -1);
  const points = { rows: centred, count, dimension, squares: squaresOf(centred, dimension) };
  const meanVariance = sum(points.squares) / rows.length;
  const random = createRandom(seed);
  let best: KMeansResult | undefined;
  for (let start = 0; start < (initialCentres ? 1 : starts); start++) {
    const centres = initialCentres
      ? shifted(initialCentres, mean, -1)
      : plusPlusCentres(points, clusters, random);
    const result = lloyd(points, centres, tolerance * meanVariance);
    if (best === undefined || result.inertia < best.inertia) best = result;
  }
  return { ...best!, centres: shifted(best!.centres, mean, 1) };
}

interface State extends Points {
  /** Cluster of each row; -1 at first. */
  readonly labels: Int32Array;
  /** Lower bound of how much nearer each point is to its centre than to any other; 0 if unknown. */
  readonly margins: Float64Array;
  /** Sums of the clusters' rows, kept up to date as rows change over. */
  readonly sums: Float64Array;
  readonly sizes: Int32Array;
}

/**
 * Assigns and averages in turn until no point changes its cluster, or the centres hardly move.
 * @param stop squared shift of all centres together at which it ends
 */
function lloyd(points: Points, start: Float32Array, stop: number): KMeansResult {
  const { count, dimension } = points;
  const labels = new Int32Array(count).fill(-1);
  const sizes = new Int32Array(start.length / dimension);
  const state = {
    ...points,
    labels,
    margins: new Float64Array(count),
    sums: new Float64Array(start.length),
    sizes,
  };
  let centres = start;
  assign(state, centres);
  for (let iteration = 0; iteration < mostIterations; iteration++) {
    fillEmptyClusters(state, centres);
    const moved = centres.map((value, index) => {
      const size = sizes[Math.floor(index / dimension)];
      return size > 0 ? state.sums[index] / size : value;
    });
    const shifts = Float64Array.from(sizes, (_, cluster) =>
      squaredDistance(moved, cluster, centres, cluster, dimension),
    );
    centres = moved;
    // The nearest centre is the same while no two centres move by more than the margin (Hamerly 2010).
    const farthest = Math.sqrt(Math.max(...shifts));
    for (let row = 0; row < count; row++) state.margins[row] -= Math.sqrt(shifts[labels[row]]) + farthest;
    if (assign(state, centres) === 0 || sum(shifts) <= stop) break;
  }
  const distances = distancesToCentres(state, centres);
  return { labels, centres, inertia: sum(distances) };
}

/** Gives each point to its nearest centre, the first among equals; returns how many changed. */
function assign(state: State, centres: Float32Array): number {
  const { rows, count, dimension, squares, labels, margins } = state;
  const centreSquares = squaresOf(centres, dimension);
  let changed = 0;
  for (let row = 0; row < count; row++) {
    if (margins[row] > 0) continue;
    let nearest = 0;
    let least = Infinity;
    let second = Infinity;
    for (let cluster = 0; cluster < centreSquares.length; cluster++) {
      // √(|x|² + |c|² − 2 x·c)
      const product = dotRows(rows, row, centres, cluster, dimension);
      const distance = Math.sqrt(Math.max(0, squares[row] + centreSquares[cluster] - 2 * product));
      if (distance < least) {
        second = least;
        least = distance;
        nearest = cluster;
      } else if (distance < second) second = distance;
    }
    if (labels[row] !== nearest) {
      changeOver(state, row, nearest);
      changed++;
    }
    margins[row] = second - least;
  }
  return changed;
}

function changeOver({ rows, dimension, labels, sums, sizes }: State, row: number, cluster: number): void {
  const before = labels[row];
  const start = row * dimension;
  for (let index = 0; index < dimension; index++) {
    sums[cluster * dimension + index] += rows[start + index];
    if (before >= 0) sums[before * dimension + index] -= rows[start + index];
  }
  sizes[cluster]++;
  if (before >= 0) sizes[before]--;
  labels[row] = cluster;
}

/** A cluster that lost all its points takes the one farthest from its own centre, as scikit-learn does. */
function fillEmptyClusters(state: State, centres: Float32Array): void {
  const empty = [...state.sizes.keys()].filter((cluster) => state.sizes[cluster] === 0);
  if (empty.length === 0) return;
  const distances = distancesToCentres(state, centres);
  const farthest = [...distances.keys()].sort((a, b) => distances[b] - distances[a]);
  empty.forEach((cluster, place) => {
    changeOver(state, farthest[place], cluster);
    state.margins[farthest[place]] = 0;
  });
}

function distancesToCentres({ rows, labels, dimension }: State, centres: Float32Array): Float64Array {
  return Float64Array.from(labels, (label, row) => squaredDistance(rows, row, centres, label, dimension));
}

function squaresOf(rows: Float32Array, dimension: number): Float64Array {
  const count = rows.length / dimension;
  return Float64Array.from({ length: count }, (_, row) => dotRows(rows, row, rows, row, dimension));
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

function distancesTo({ rows, count, dimension }: Points, other: number): Float64Array {
  return Float64Array.from({ length: count }, (_, row) => squaredDistance(rows, row, rows, other, dimension));
}

/** The rows with `sign` times the offset added to each. */
function shifted(rows: Float32Array, offset: Float64Array, sign: 1 | -1): Float32Array {
  return rows.map((value, index) => value + sign * offset[index % offset.length]);
}

/** Squared distance of row `a` of one array to row `b` of another. */
function squaredDistance(
  left: Float32Array,
  a: number,
  right: Float32Array,
  b: number,
  dimension: number,
): number {
  const startA = a * dimension;
  const startB = b * dimension;
  let squares = 0;
  for (let index = 0; index < dimension; index++) {
    const difference = left[startA + index] - right[startB + index];
    squares += difference * difference;
  }
  return squares;
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
