/**
 * Exact nearest neighbours by inner product for a fraction of the products: pairs are compared along a few principal axes
 * first, and in full only where what the rows have besides them may still lift the pair among the best. By
 * Cauchy-Schwarz, that rest adds at most the product of its two lengths.
 */
import { createRandom } from "../random.js";
import { multiplyRows } from "./exact.js";
import { leadingAxes, type PrincipalAxes, project } from "./principal-axes.js";
import { type Ranking, RankingCollector } from "./ranking.js";
import { dotRows, gatherRows } from "./vectors.js";

/** Rows with what bounds their inner products. */
export interface BoundedRows {
  readonly rows: Float32Array;
  readonly axes: PrincipalAxes;
  /** Coordinates along the axes, then the length of what is left: [rows, axes + 1]. Their products are the bounds. */
  readonly bounds: Float32Array;
}

/** Share of the dimension that the bounds take, in steps of 32. On names, 224 of 600 leave 0.1 to 0.6 % of the pairs. */
const boundsShare = 0.37;
const boundsStep = 32;
/** Rows from which the axes are found, and rounds: bounds hold for any orthonormal axes. */
const [sampledRows, rounds] = [1024, 4];
/** The squared rest is raised by this share of the squared length, so that rounding cannot lower a bound. */
const rounding = 1e-5;
/** Scores in memory at a time: 33 MB. */
const scoresAtOnce = 2 ** 23;
/** Where more than this share of the pairs is left, the whole matrix product takes less time. */
const mostLeft = 0.03;

/** Prepares rows for {@link nearestBounded}. They must not change afterwards. */
export async function boundRows(rows: Float32Array, dimension: number): Promise<BoundedRows> {
  const count = rows.length / dimension;
  const sampled = Uint32Array.from({ length: Math.min(count, sampledRows) }, (_, place) =>
    Math.floor((place * count) / Math.min(count, sampledRows)),
  );
  const steps = Math.max(1, Math.round((dimension * boundsShare) / boundsStep));
  const width = Math.min(dimension, steps * boundsStep - 1);
  const start = { dimension, width, rounds, random: createRandom(1) };
  const axes = await leadingAxes(gatherRows(rows, sampled, dimension), start);
  return { rows, axes, bounds: await boundsAlong(rows, axes) };
}

async function boundsAlong(rows: Float32Array, axes: PrincipalAxes): Promise<Float32Array> {
  const { dimension, width } = axes;
  const along = await project(rows, axes);
  const bounds = new Float32Array((width + 1) * (rows.length / dimension));
  for (let row = 0; row * dimension < rows.length; row++) {
    bounds.set(along.subarray(row * width, (row + 1) * width), row * (width + 1));
    const squares = dotRows(rows, row, rows, row, dimension);
    const rest = Math.max(0, squares - dotRows(along, row, along, row, width));
    bounds[row * (width + 1) + width] = Math.sqrt(rest + rounding * squares);
  }
  return bounds;
}

export interface BoundedOptions {
  readonly k: number;
  readonly signal?: AbortSignal;
  /** Called with finished and all queries. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The k candidates of greatest inner product with each query [queries, dimension]: those of {@link exactNeighbours}. */
export async function nearestBounded(
  queries: Float32Array,
  candidates: BoundedRows,
  { k, signal, onProgress }: BoundedOptions,
): Promise<Ranking> {
  const { rows, axes } = candidates;
  const { dimension } = axes;
  const total = queries.length / dimension;
  const count = rows.length / dimension;
  const collector = new RankingCollector(total, { k });
  const size = Math.max(1, Math.floor(scoresAtOnce / count));
  let isWorthwhile = true;
  for (let from = 0; from < total; from += size) {
    signal?.throwIfAborted();
    const part = queries.subarray(from * dimension, (from + size) * dimension);
    const found: number[][] | undefined = isWorthwhile ? await possibleRows(part, candidates, k) : undefined;
    isWorthwhile = found !== undefined;
    if (found === undefined) {
      const scores = await multiplyRows(part, rows, dimension);
      for (let query = 0; query * count < scores.length; query++)
        collector.add(from + query, 0, scores, query * count, count);
    } else
      found.forEach((open, query) => {
        const scores = Float32Array.from(open, (row) => dotRows(part, query, rows, row, dimension));
        open.forEach((row, place) => collector.add(from + query, row, scores, place, 1));
      });
    onProgress?.(Math.min(from + size, total), total);
  }
  return collector.finish();
}

/** For each query the candidates that may be among its k nearest, ascending; undefined where these are too many. */
async function possibleRows(
  queries: Float32Array,
  { rows, axes, bounds }: BoundedRows,
  k: number,
): Promise<number[][] | undefined> {
  const { dimension, width } = axes;
  const products = await multiplyRows(await boundsAlong(queries, axes), bounds, width + 1);
  const count = rows.length / dimension;
  const found: number[][] = [];
  let most = mostLeft * products.length;
  for (let query = 0, start = 0; start < products.length; query++, start += count) {
    const promising = new RankingCollector(1, { k });
    promising.add(0, 0, products, start, count);
    // The least of any k scores is no more than the least of the k best.
    const least = promising
      .finish()
      .indices.reduce(
        (low, row) => Math.min(low, row < 0 ? -Infinity : dotRows(queries, query, rows, row, dimension)),
        Infinity,
      );
    const open: number[] = [];
    for (let row = 0; row < count; row++) if (products[start + row] >= least) open.push(row);
    most -= open.length;
    if (most < 0) return undefined;
    found.push(open);
  }
  return found;
}
