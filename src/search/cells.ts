/**
 * Approximate nearest rows of many queries at once: the rows are parted into cells around centres, and a query is
 * compared with the rows of the nearest cells only, as matrix products of all the queries of a cell with all its rows
 * ("inverted file"; Sivic and Zisserman 2003, Jégou et al. 2011). For searches made once: making the cells costs a
 * small part of what comparing all with all does, and much less than a graph.
 */
import { createRandom, sampleWithout } from "../random.js";
import { exactNeighbours, multiplyRows } from "./exact.js";
import { RankingCollector } from "./ranking.js";

/** Rows parted into cells. */
export interface Cells {
  readonly dimension: number;
  /** [cells, dimension] of unit length */
  readonly centres: Float32Array;
  /** [cells + 1] */
  readonly starts: Uint32Array;
  /** Row numbers, cell by cell, ascending within each. */
  readonly rows: Uint32Array;
  /** The rows' vectors, numbered as they were given. */
  readonly vectors: Float32Array;
}

export interface CellOptions {
  readonly dimension: number;
  /** How many cells. Default the square root of the number of rows. */
  readonly cells?: number;
  /** Default 1. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

/** Rows per cell that the centres are made from. */
const sampledPerCell = 32;
/** Lloyd's iterations: later ones hardly move the centres. */
const iterations = 6;
/** In one product at most: 4,096 × 4,096 scores are 67 MB. */
const queriesPerProduct = 4096;
const rowsPerProduct = 4096;

/**
 * Parts rows into cells: each row goes to the centre of the largest inner product.
 * @param vectors rows of `dimension` numbers, flat, of unit length (or zero)
 */
export async function makeCells(vectors: Float32Array, options: CellOptions): Promise<Cells> {
  const { dimension, seed = 1, signal } = options;
  const count = vectors.length / dimension;
  const cells = Math.min(count, options.cells ?? Math.ceil(Math.sqrt(count)));
  const centres = await findCentres(vectors, { dimension, cells, seed, signal });
  const { indices } = await exactNeighbours(vectors, centres, {
    dimension,
    metric: "inner-product",
    signal,
  });
  return { dimension, centres, vectors, ...grouped(indices, cells) };
}

/** Centres by spherical k-means of a sample; its products run on all cores. */
async function findCentres(
  vectors: Float32Array,
  { dimension, cells, seed, signal }: Required<Pick<CellOptions, "cells" | "seed">> & CellOptions,
): Promise<Float32Array> {
  const count = vectors.length / dimension;
  const random = createRandom(seed);
  const all = Array.from({ length: count }, (_, row) => row);
  const rows = sampleWithout(all, cells * sampledPerCell, random);
  const sample = gatherRows(vectors, rows, dimension);
  let centres: Float32Array = sample.slice(0, cells * dimension);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const search = { dimension, metric: "inner-product", signal } as const;
    const { indices } = await exactNeighbours(sample, centres, search);
    centres = directions(sample, indices, centres);
  }
  return centres;
}

/** Sums of the members of each centre at unit length; a centre without members stays as it is. */
function directions(sample: Float32Array, members: Int32Array, centres: Float32Array): Float32Array {
  const dimension = sample.length / members.length;
  const sums = new Float32Array(centres.length);
  members.forEach((centre, row) => {
    const [to, from] = [centre * dimension, row * dimension];
    for (let index = 0; index < dimension; index++) sums[to + index] += sample[from + index];
  });
  for (let start = 0; start < sums.length; start += dimension) {
    const sum = sums.subarray(start, start + dimension);
    const length = Math.hypot(...sum);
    if (length === 0) sum.set(centres.subarray(start, start + dimension));
    else for (let index = 0; index < dimension; index++) sum[index] /= length;
  }
  return sums;
}

/** Places 0, 1, ... ordered by their number, from 0 to `numbers` - 1. */
function grouped(numberOf: ArrayLike<number>, numbers: number): { starts: Uint32Array; rows: Uint32Array } {
  const starts = new Uint32Array(numbers + 1);
  for (let place = 0; place < numberOf.length; place++) starts[numberOf[place] + 1]++;
  for (let number = 0; number < numbers; number++) starts[number + 1] += starts[number];
  const next = starts.slice(0, numbers);
  const rows = new Uint32Array(numberOf.length);
  for (let place = 0; place < numberOf.length; place++) rows[next[numberOf[place]]++] = place;
  return { starts, rows };
}

/**
 * The nearest rows of each query among those of its nearest cells.
 *
 * @param queries rows of the cells' dimension, flat
 * @param options.k rows per query
 * @param options.probes cells per query
 * @returns [queries, k], best first, -1 where the cells hold fewer
 */
export async function nearestInCells(
  cells: Cells,
  queries: Float32Array,
  { k, probes, signal }: { readonly k: number; readonly probes: number; readonly signal?: AbortSignal },
): Promise<Int32Array> {
  const { dimension, centres, starts, rows } = cells;
  const cellCount = starts.length - 1;
  const wide = Math.min(probes, cellCount);
  const { indices } = await exactNeighbours(queries, centres, {
    dimension,
    k: wide,
    metric: "inner-product",
    signal,
  });
  const visits = grouped(indices, cellCount);
  const collector = new RankingCollector(queries.length / dimension, { k });
  const start = ({ queries: wanted, first, rows: count }: CellProduct): Promise<Float32Array> =>
    multiplyRows(
      gatherRows(queries, wanted, dimension),
      gatherRows(cells.vectors, rows.subarray(first, first + count), dimension),
      dimension,
    );
  const collect = async (product: CellProduct, pending: Promise<Float32Array>): Promise<void> => {
    const scores = await pending;
    product.queries.forEach((query, index) => {
      collector.add(query, product.first, scores, index * product.rows, product.rows);
    });
  };
  let before: { product: CellProduct; scores: Promise<Float32Array> } | undefined;
  for (const product of products(cells, visits, wide)) {
    signal?.throwIfAborted();
    // This product runs in its thread while the one before is looked through here.
    const scores = start(product);
    if (before !== undefined) await collect(before.product, before.scores);
    before = { product, scores };
  }
  if (before !== undefined) await collect(before.product, before.scores);
  return collector.finish().indices.map((place) => (place < 0 ? -1 : rows[place]));
}

/** Some queries that visit a cell, and where some of its rows lie. */
interface CellProduct {
  readonly queries: Uint32Array;
  readonly first: number;
  readonly rows: number;
}

function* products(
  { starts }: Cells,
  visits: { readonly starts: Uint32Array; readonly rows: Uint32Array },
  probes: number,
): Generator<CellProduct> {
  for (let cell = 0; cell + 1 < starts.length; cell++) {
    const visiting = visits.rows.subarray(visits.starts[cell], visits.starts[cell + 1]);
    for (let from = 0; from < visiting.length; from += queriesPerProduct) {
      const queries = visiting
        .subarray(from, from + queriesPerProduct)
        .map((place) => Math.floor(place / probes));
      for (let first = starts[cell]; first < starts[cell + 1]; first += rowsPerProduct) {
        yield { queries, first, rows: Math.min(rowsPerProduct, starts[cell + 1] - first) };
      }
    }
  }
}

/** The rows of some numbers, one after the other. */
export function gatherRows(vectors: Float32Array, rows: ArrayLike<number>, dimension: number): Float32Array {
  const gathered = new Float32Array(rows.length * dimension);
  for (let place = 0; place < rows.length; place++) {
    const start = rows[place] * dimension;
    gathered.set(vectors.subarray(start, start + dimension), place * dimension);
  }
  return gathered;
}
