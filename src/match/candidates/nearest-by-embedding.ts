/** Finds candidates by embedding: exactly for tables of moderate size, in the nearest IVF lists for large ones. */
import { type BoundedRows, boundRows, nearestBounded } from "../../search/bounded-search.js";
import { exactNeighbours } from "../../search/exact.js";
import { type IvfLists, makeIvfLists, nearestInLists } from "../../search/ivf-lists.js";
import { productSlack, settledRanking } from "../../search/ranking.js";
import { gatherRows } from "../../search/vectors.js";
import type { ColumnPair } from "../columns.js";

/** The nearest base rows of each query: [queries, k], -1 for none. */
export interface NearRows {
  readonly k: number;
  readonly rows: Int32Array;
}

/** Up to this many pairs of rows the search is exact; beyond it, IVF lists are many times faster. */
export const exactPairs = 5e8;
/** IVF lists searched per query. Candidates by terms make up for most of what they miss. */
const probes = 8;

/** From this many pairs of rows, bounds take less time to prepare than they save. */
const boundedPairs = 2 ** 25;

/** By table, as they serve the rows of the other table and of the table itself. */
const listsOf = new WeakMap<Float32Array, Promise<IvfLists>>();
const boundedOf = new WeakMap<Float32Array, Promise<BoundedRows>>();

export interface NearestOptions {
  readonly k: number;
  /** Number of pairs of rows above which IVF lists are used. Default `exactPairs`. */
  readonly manyPairs?: number;
  /** Queries in all, which decide on IVF lists where these are a part of them. Default: these. */
  readonly total?: number;
  readonly signal?: AbortSignal;
  /** Called several times a second with what is done of all queries. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What the search needs of a column of two tables. */
interface EmbeddedPair extends Pick<ColumnPair, "dimension"> {
  readonly base: { readonly texts: ArrayLike<unknown> } & Pick<ColumnPair["base"], "vectors">;
  readonly queries: Pick<ColumnPair["queries"], "vectors">;
}

/** The nearest base rows of some query rows, whatever other rows are asked for; k is 0 without embeddings. */
export async function nearestByEmbedding(
  { base, queries: { vectors }, dimension }: EmbeddedPair,
  queries: Uint32Array,
  { k, manyPairs = exactPairs, total = queries.length, signal, onProgress }: NearestOptions,
): Promise<NearRows> {
  const baseVectors = base.vectors;
  if (baseVectors === undefined || vectors === undefined) return { k: 0, rows: new Int32Array(0) };
  const asked = pickRows(vectors, queries, dimension);
  const run = { k: k + productSlack, signal, onProgress };
  const settled = (found: Int32Array): NearRows => ({
    k,
    rows: settledRanking(found, { queries: asked, rows: baseVectors, dimension, k }),
  });
  if (base.texts.length * total <= manyPairs) {
    const pairs = base.texts.length * queries.length;
    const bounded = pairs < boundedPairs ? boundedOf.get(baseVectors) : boundsOf(baseVectors, dimension);
    const { indices } = await (bounded === undefined
      ? exactNeighbours(asked, baseVectors, { ...run, dimension, metric: "inner-product" })
      : nearestBounded(asked, await bounded, run));
    return settled(indices);
  }
  let lists = listsOf.get(baseVectors);
  if (lists === undefined) {
    const onStep = (): void => onProgress?.(0, queries.length);
    lists = makeIvfLists(baseVectors, { dimension, signal, onStep });
    listsOf.set(baseVectors, lists);
  }
  return settled(await nearestInLists(await lists, asked, { ...run, probes }));
}

function boundsOf(vectors: Float32Array, dimension: number): Promise<BoundedRows> {
  const bounded = boundedOf.get(vectors) ?? boundRows(vectors, dimension);
  boundedOf.set(vectors, bounded);
  return bounded;
}

/** Gathers the given rows. Returns the same array if these are all rows in order. */
export function pickRows(vectors: Float32Array, rows: Uint32Array, dimension: number): Float32Array {
  if (rows.length * dimension === vectors.length && rows.every((row, place) => row === place)) return vectors;
  return gatherRows(vectors, rows, dimension);
}
