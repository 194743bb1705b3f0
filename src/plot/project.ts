/** Projects embeddings to the plane by UMAP (McInnes, Healy and Melville 2018), from their exact nearest neighbours. */
import { UMAP } from "umap-js";
import { TableError } from "../errors.js";
import { createRandom, type Random } from "../random.js";
import { exactNeighbours } from "../search/exact.js";
import { leadingAxes, project } from "../search/principal-axes.js";
import type { Ranking } from "../search/ranking.js";
import { columnMeans } from "../search/vectors.js";
import { leastPhrases } from "./map.js";
import type { PlotOptions } from "./plot-table.js";

interface ProjectionOptions extends Pick<PlotOptions, "neighbours" | "seed" | "signal"> {
  readonly dimension: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Milliseconds of computing between yields to the event loop. */
const slice = 50;

/**
 * Positions on a plane: embeddings that are near by cosine stay near. Long distances mean little.
 *
 * @param vectors rows of `dimension` numbers, flat, none of them zero
 * @returns the position of each row
 * @throws TableError for fewer than 4 rows
 */
export async function projectToPlane(
  vectors: Float32Array,
  options: ProjectionOptions,
): Promise<[x: number, y: number][]> {
  const { dimension, seed = 0, signal, onProgress } = options;
  const count = vectors.length / dimension;
  if (count < leastPhrases)
    throw new TableError(
      `a map needs at least ${leastPhrases} phrases, found ${count}. Give a larger table.`,
    );
  const nNeighbors = Math.min(options.neighbours ?? 15, count - 1);
  const random = createRandom(seed);
  const umap = new UMAP({ nNeighbors, random, minDist: 0.15 });
  const near = await exactNeighbours(vectors, vectors, { dimension, k: nNeighbors + 1, signal });
  const neighbours = Array.from({ length: count }, (_, row) => neighboursOf(row, near, nNeighbors));
  umap.setPrecomputedKNN(
    neighbours.map((own) => own.map(({ index }) => index)),
    neighbours.map((own) => own.map(({ distance }) => distance)),
  );
  // As the neighbours are given, UMAP needs only the length of the data.
  const rounds = umap.initializeFit(Array.from({ length: count }, () => [0]));
  await startFromPlane(umap.getEmbedding(), vectors, random);
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
  return umap.getEmbedding() as [x: number, y: number][];
}

/** A row's nearest rows with their cosine distances, itself first, as UMAP counts them. */
function neighboursOf(row: number, { indices, scores }: Ranking, count: number) {
  const width = count + 1;
  const own = [{ index: row, distance: 0 }];
  for (let place = row * width; place < (row + 1) * width && own.length < count; place++) {
    if (indices[place] === row || indices[place] < 0) continue;
    own.push({ index: indices[place], distance: Math.max(0, 1 - scores[place]) });
  }
  return own;
}

/** Rounds of iteration until two axes are near enough for a start. */
const planeRounds = 30;

/**
 * Moves points to the plane of the first two principal components. Unlike UMAP's random start, this preserves
 * global structure (Kobak and Linderman 2021).
 */
async function startFromPlane(points: number[][], vectors: Float32Array, random: Random): Promise<void> {
  const dimension = vectors.length / points.length;
  const mean = columnMeans(vectors, dimension);
  const centred = vectors.map((value, index) => value - mean[index % dimension]);
  const axes = await leadingAxes(centred, { dimension, width: 2, rounds: planeRounds, random });
  const plane = await project(centred, axes);
  const largest = plane.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  points.forEach((point, row) => {
    point[0] = (plane[row * 2] / largest) * 10;
    point[1] = (plane[row * 2 + 1] / largest) * 10;
  });
}
