/** One descent of k-means: Lloyd's iteration, sparing distances that the triangle inequality decides (Hamerly 2010). */
import { dotRows } from "../vectors.js";

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

/** Points of one clustering. */
export interface Points {
  /** Rows of `dimension` numbers, flat. */
  readonly rows: Float32Array;
  readonly count: number;
  readonly dimension: number;
}

/** When a descent ends. */
export interface LloydOptions {
  readonly maxIterations: number;
  /** Squared shift of all centres together at which it ends. */
  readonly stop: number;
}

/** What is known of each point: its cluster, at most how far its centre is, at least how far any other is. */
interface State extends Points {
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly upper: Float64Array;
  readonly lower: Float64Array;
  /** Squared length of each row. */
  readonly squares: Float64Array;
  /** Sums of the clusters' rows, kept up to date as rows change over. */
  readonly sums: Float64Array;
  readonly sizes: Int32Array;
  centres: Float32Array;
}

/** Assigns and averages in turn until no point changes its cluster, or the centres hardly move. */
export function lloyd(points: Points, start: Float32Array, options: LloydOptions): KMeansResult {
  const state = startState(points, start);
  let iterations = 0;
  while (iterations < options.maxIterations) {
    iterations++;
    const changed = assign(state) + fillEmptyClusters(state);
    if (changed === 0) break;
    if (moveCentres(state) <= options.stop) {
      assign(state); // the labels must belong to the centres that are returned
      break;
    }
  }
  const { labels, centres } = state;
  return { labels, centres, inertia: inertiaOf(state), iterations };
}

function startState(points: Points, start: Float32Array): State {
  const { rows, count, dimension } = points;
  const clusters = start.length / dimension;
  const squares = Float64Array.from({ length: count }, (_, row) => dotRows(rows, row, rows, row, dimension));
  return {
    ...points,
    clusters,
    labels: new Int32Array(count).fill(-1),
    upper: new Float64Array(count).fill(Infinity),
    lower: new Float64Array(count),
    squares,
    sums: new Float64Array(clusters * dimension),
    sizes: new Int32Array(clusters),
    centres: start.slice(),
  };
}

/** Gives each point to its nearest centre; returns how many changed. */
function assign(state: State): number {
  const { count, labels, upper, lower } = state;
  const norms = centreNorms(state);
  const halfGaps = halfDistancesToNearestCentre(state);
  let changed = 0;
  for (let row = 0; row < count; row++) {
    const label = labels[row];
    if (label >= 0) {
      const safe = Math.max(halfGaps[label], lower[row]);
      if (upper[row] < safe) continue;
      upper[row] = distance(state, norms, row, label);
      if (upper[row] < safe) continue;
    }
    const nearest = findNearest(state, norms, row);
    if (nearest === label) continue;
    changeOver(state, row, nearest);
    changed++;
  }
  return changed;
}

/** The nearest centre, the first among equals; sets both bounds to the true distances. */
function findNearest(state: State, norms: Float64Array, row: number): number {
  let nearest = 0;
  let best = Infinity;
  let second = Infinity;
  for (let cluster = 0; cluster < state.clusters; cluster++) {
    const value = distance(state, norms, row, cluster);
    if (value < best) {
      second = best;
      best = value;
      nearest = cluster;
    } else if (value < second) {
      second = value;
    }
  }
  state.upper[row] = best;
  state.lower[row] = second;
  return nearest;
}

/** A cluster that lost all its points takes the one farthest from its own centre, as scikit-learn does. */
function fillEmptyClusters(state: State): number {
  const { sizes, upper, lower, labels } = state;
  const empty = [...sizes.keys()].filter((cluster) => sizes[cluster] === 0);
  if (empty.length === 0) return 0;
  const norms = centreNorms(state);
  const distances = Float64Array.from(labels, (label, row) => distance(state, norms, row, label));
  const farthest = [...distances.keys()].sort((a, b) => distances[b] - distances[a]);
  empty.forEach((cluster, place) => {
    const row = farthest[place];
    changeOver(state, row, cluster);
    upper[row] = Infinity; // its new centre is not made yet
    lower[row] = 0;
  });
  return empty.length;
}

/** Puts every centre at the mean of its points and loosens the bounds by what it moved; returns the squared shift. */
function moveCentres(state: State): number {
  const { clusters, dimension, sums, sizes, upper, lower, labels } = state;
  const moved = Float32Array.from(sums, (sum, index) => {
    const cluster = Math.floor(index / dimension);
    return sizes[cluster] > 0 ? sum / sizes[cluster] : state.centres[index];
  });
  const shifts = Float64Array.from({ length: clusters }, (_, cluster) =>
    Math.sqrt(squaredDistance(moved, cluster, state.centres, cluster, dimension)),
  );
  const largest = Math.max(...shifts);
  for (let row = 0; row < labels.length; row++) {
    upper[row] += shifts[labels[row]];
    lower[row] -= largest;
  }
  state.centres = moved;
  return shifts.reduce((sum, shift) => sum + shift * shift, 0);
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

/** Distance of a row to a centre: √(|x|² + |c|² − 2 x·c). */
function distance(
  { rows, dimension, squares, centres }: State,
  norms: Float64Array,
  row: number,
  cluster: number,
): number {
  const product = dotRows(rows, row, centres, cluster, dimension);
  return Math.sqrt(Math.max(0, squares[row] + norms[cluster] - 2 * product));
}

function centreNorms({ centres, clusters, dimension }: State): Float64Array {
  return Float64Array.from({ length: clusters }, (_, cluster) =>
    dotRows(centres, cluster, centres, cluster, dimension),
  );
}

function halfDistancesToNearestCentre({ centres, clusters, dimension }: State): Float64Array {
  return Float64Array.from({ length: clusters }, (_, cluster) => {
    let nearest = Infinity;
    for (let other = 0; other < clusters; other++) {
      if (other === cluster) continue;
      nearest = Math.min(nearest, squaredDistance(centres, cluster, centres, other, dimension));
    }
    return Math.sqrt(nearest) / 2;
  });
}

function inertiaOf({ rows, count, dimension, centres, labels }: State): number {
  let inertia = 0;
  for (let row = 0; row < count; row++)
    inertia += squaredDistance(rows, row, centres, labels[row], dimension);
  return inertia;
}

/** Squared distance of row `a` of one array to row `b` of another. */
export function squaredDistance(
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
