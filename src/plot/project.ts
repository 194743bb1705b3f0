/** Vectors to the plane by UMAP (McInnes, Healy and Melville 2018), from their exact nearest neighbours. */
import { UMAP } from "umap-js";
import { ArgumentError } from "../errors.js";
import { createRandom } from "../random.js";
import { exactNeighbours } from "../search/exact.js";
import { leastPoints, principalPlane } from "./principal-plane.js";

/** Settings of a projection. */
export interface ProjectionOptions {
  /** Numbers per row. */
  readonly dimension: number;
  /** Neighbours that each point is to stay near. Default 15; fewer where there are fewer points. */
  readonly neighbours?: number;
  /** The same seed gives the same map. Default 0. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  /** Called with finished and all rounds. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** How long is computed before the event loop gets its turn, in milliseconds. */
const slice = 50;

/**
 * Places of the vectors on a plane: near ones by cosine stay near. Distances far away mean little.
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
  // The neighbours are known: of the data only its length is still asked for.
  const rounds = umap.initializeFit(Array.from({ length: count }, () => [0]));
  startFrom(umap.getEmbedding(), principalPlane(vectors, dimension, random));
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

/** UMAP's own start is random; from the principal plane, what lies where keeps a meaning (Kobak and Linderman 2021). */
function startFrom(embedding: number[][], plane: Float64Array): void {
  const largest = plane.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  embedding.forEach((point, row) => {
    point[0] = (plane[row * 2] / largest) * 10;
    point[1] = (plane[row * 2 + 1] / largest) * 10;
  });
}
