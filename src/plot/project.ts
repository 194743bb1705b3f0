/** Projects embeddings to the plane by UMAP (McInnes, Healy and Melville 2018), from their exact nearest neighbours. */
import { UMAP } from "umap-js";
import { ArgumentError } from "../errors.js";
import { createRandom, type Random } from "../random.js";
import { exactNeighbours } from "../search/exact.js";
import { leadingAxes, project } from "../search/principal-axes.js";

/** Fewer points than this make no map. */
export const leastPoints = 4;

/** Settings of a projection. */
export interface ProjectionOptions {
  /** Dimension of the embeddings. */
  readonly dimension: number;
  /** Neighbours kept near each point. Default 15, or fewer for fewer points. */
  readonly neighbours?: number;
  /** The same seed gives the same map. Default 0. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  /** Called with the rounds done and the total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Milliseconds of computing between yields to the event loop. */
const slice = 50;

/**
 * Positions on a plane: embeddings that are near by cosine stay near. Long distances mean little.
 *
 * @param vectors rows of `dimension` numbers, flat, none of them zero
 * @returns x and y of each row: [rows, 2]
 * @throws ArgumentError for fewer than 4 rows
 */
export async function projectToPlane(
  vectors: Float32Array,
  options: ProjectionOptions,
): Promise<Float64Array> {
  const { dimension, seed = 0, signal, onProgress } = options;
  const count = vectors.length / dimension;
  if (count < leastPoints)
    throw new ArgumentError(`a map needs at least ${leastPoints} points, not ${count}`);
  const nNeighbors = Math.min(options.neighbours ?? 15, count - 1);
  const random = createRandom(seed);
  const umap = new UMAP({ nNeighbors, random, minDist: 0.15 });
  const near = await exactNeighbours(vectors, vectors, { dimension, k: nNeighbors + 1, signal });
  const indices: number[][] = [];
  const distances: number[][] = [];
  for (let row = 0; row < count; row++) {
    const own = neighboursOf(row, near.indices, near.scores, nNeighbors);
    indices.push(own.map(({ index }) => index));
    distances.push(own.map(({ distance }) => distance));
  }
  umap.setPrecomputedKNN(indices, distances);
  // As the neighbours are given, UMAP needs only the length of the data.
  const rounds = umap.initializeFit(Array.from({ length: count }, () => [0]));
  startFrom(umap.getEmbedding(), await principalPlane(vectors, dimension, random));
  let turn = performance.now();
  for (let round = 0; round < rounds; round++) {
    umap.step();
    if (performance.now() - turn < slice) continue;
    onProgress?.(round + 1, rounds);
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    turn = performance.now();
  }
  onProgress?.(rounds, rounds);
  return Float64Array.from(umap.getEmbedding().flat());
}

/** A row's nearest rows with their cosine distances, itself first, as UMAP counts them. */
function neighboursOf(
  row: number,
  indices: Int32Array,
  scores: Float64Array,
  count: number,
): { index: number; distance: number }[] {
  const width = count + 1;
  const own = [{ index: row, distance: 0 }];
  for (let place = row * width; place < (row + 1) * width && own.length < count; place++) {
    if (indices[place] === row || indices[place] < 0) continue;
    own.push({ index: indices[place], distance: Math.max(0, 1 - scores[place]) });
  }
  return own;
}

/** Starts from the principal plane instead of UMAP's random start, which preserves global structure (Kobak and Linderman 2021). */
function startFrom(embedding: number[][], plane: Float32Array): void {
  const largest = plane.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  embedding.forEach((point, row) => {
    point[0] = (plane[row * 2] / largest) * 10;
    point[1] = (plane[row * 2 + 1] / largest) * 10;
  });
}

/** Rounds of iteration until two axes are near enough for a start. */
const planeRounds = 30;

/** Coordinates along the first two principal components: [rows, 2]. */
async function principalPlane(
  vectors: Float32Array,
  dimension: number,
  random: Random,
): Promise<Float32Array> {
  const mean = new Float64Array(dimension);
  const count = vectors.length / dimension;
  for (let index = 0; index < vectors.length; index++) mean[index % dimension] += vectors[index] / count;
  const centred = vectors.map((value, index) => value - mean[index % dimension]);
  return project(centred, await leadingAxes(centred, { dimension, width: 2, rounds: planeRounds, random }));
}
