/**
 * Approximate nearest rows of many queries at once by inverted-file (IVF) lists: each row belongs to the list of its
 * nearest centre, and a query is compared only with the rows of its nearest lists, as one matrix product for all queries
 * of a list (Sivic and Zisserman 2003, Jégou et al. 2011). For searches made once: making the lists takes a small part
 * of the time of comparing all with all, and much less than building a graph.
 */
import { placesByNumber } from "../places-by-number.js";
import { createRandom, sampleWithout } from "../random.js";
import { exactNeighbours, rankScores, type ScoreBlock } from "./exact.js";
import { productSlack, settledRanking } from "./ranking.js";
import { gatherRows, isZero, unitRows } from "./vectors.js";

export interface IvfLists {
  readonly dimension: number;
  /** [lists, dimension], of unit length */
  readonly centres: Float32Array;
  /** [lists + 1] */
  readonly starts: Uint32Array;
  /** Row numbers, list by list, ascending within each. */
  readonly rows: Uint32Array;
  /** The rows' vectors, in the order they were given. */
  readonly vectors: Float32Array;
}

export interface IvfOptions {
  readonly dimension: number;
  /** How many lists. Default the square root of the number of rows. */
  readonly lists?: number;
  readonly signal?: AbortSignal;
  /** Called several times a second while the lists are made. */
  readonly onStep?: () => void;
}

/** Rows per list that the centres are made from. */
const sampledPerList = 32;
/** Lloyd's iterations: later ones hardly move the centres. */
const iterations = 6;
/** In one product at most: 4,096 × 4,096 scores are 67 MB. */
const queriesPerProduct = 4096;
const rowsPerProduct = 4096;

/**
 * Divides rows into lists: each row goes to the centre with the largest inner product.
 * @param vectors rows of `dimension` numbers, flat, of unit length (or zero)
 */
export async function makeIvfLists(vectors: Float32Array, options: IvfOptions): Promise<IvfLists> {
  const { dimension, signal, onStep } = options;
  const count = vectors.length / dimension;
  const lists = Math.min(count, options.lists ?? Math.ceil(Math.sqrt(count)));
  const search = { dimension, metric: "inner-product", signal, onProgress: onStep } as const;
  const nearest = async (rows: Float32Array, centres: Float32Array): Promise<Int32Array> =>
    (await exactNeighbours(rows, centres, { ...search, k: 1 })).indices;
  // Centres by spherical k-means of a sample.
  const all = Array.from({ length: count }, (_, row) => row);
  const sampled = sampleWithout(all, lists * sampledPerList, createRandom(1));
  const sample = gatherRows(vectors, sampled, dimension);
  let centres: Float32Array = sample.slice(0, lists * dimension);
  for (let iteration = 0; iteration < iterations; iteration++)
    centres = directions(sample, await nearest(sample, centres), centres, dimension);
  const { starts, order: rows } = placesByNumber(await nearest(vectors, centres), lists);
  return { dimension, centres, vectors, starts, rows };
}

/** Sums of each centre's members at unit length; a centre without members stays as it is. */
function directions(
  sample: Float32Array,
  members: Int32Array,
  centres: Float32Array,
  dimension: number,
): Float32Array {
  const sums = new Float32Array(centres.length);
  members.forEach((centre, row) => {
    const [to, from] = [centre * dimension, row * dimension];
    for (let index = 0; index < dimension; index++) sums[to + index] += sample[from + index];
  });
  for (let start = 0; start < sums.length; start += dimension) {
    if (isZero(sums, start / dimension, dimension))
      sums.set(centres.subarray(start, start + dimension), start);
  }
  return unitRows(sums, dimension);
}

/**
 * The nearest rows of each query among those of its nearest lists.
 *
 * @param queries rows of the lists' dimension, flat
 * @param options.k rows per query
 * @param options.probes lists searched per query
 * @returns [queries, k], best first, -1 where the lists hold fewer
 */
export async function nearestInLists(
  { dimension, centres, starts, rows, vectors }: IvfLists,
  queries: Float32Array,
  options: {
    readonly k: number;
    readonly probes: number;
    readonly signal?: AbortSignal;
    /** Called several times a second with finished and all lists. */
    readonly onProgress?: (done: number, total: number) => void;
  },
): Promise<Int32Array> {
  const { k, signal, onProgress } = options;
  const lists = starts.length - 1;
  const probes = Math.min(options.probes, lists);
  const search = { dimension, k: probes + productSlack, metric: "inner-product", signal } as const;
  const near = await exactNeighbours(queries, centres, search);
  const visited = settledRanking(near.indices, { queries, rows: centres, dimension, k: probes });
  const visits = placesByNumber(visited, lists);
  /** For each list, some of the queries that search it with some of its rows, in turn. */
  function* blocks(): Generator<ScoreBlock> {
    for (let list = 0; list < lists; list++) {
      onProgress?.(list, lists);
      const visiting = visits.order.subarray(visits.starts[list], visits.starts[list + 1]);
      for (let from = 0; from < visiting.length; from += queriesPerProduct) {
        const places = visiting.subarray(from, from + queriesPerProduct);
        const wanted = places.map((place) => Math.floor(place / probes));
        for (let first = starts[list]; first < starts[list + 1]; first += rowsPerProduct) {
          const members = rows.subarray(first, Math.min(first + rowsPerProduct, starts[list + 1]));
          yield {
            queries: gatherRows(queries, wanted, dimension),
            queryAt: (place) => wanted[place],
            candidates: gatherRows(vectors, members, dimension),
            first,
          };
        }
      }
    }
  }
  const { indices } = await rankScores(queries.length / dimension, blocks(), { k, dimension, signal });
  return indices.map((place) => (place < 0 ? -1 : rows[place]));
}
