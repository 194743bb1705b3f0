/** Finds candidates by embedding: exactly for tables of moderate size, in the nearest IVF lists for large ones. */

import { placesByNumber } from "../../places-by-number.js";
import { type BoundedRows, boundRows, nearestBounded } from "../../search/bounded-search.js";
import { exactNeighbours } from "../../search/exact.js";
import { type IvfLists, makeIvfLists, nearestInLists } from "../../search/ivf-lists.js";
import { productSlack, settledRanking } from "../../search/ranking.js";
import { dotRows, gatherRows } from "../../search/vectors.js";
import type { Field } from "../columns/fields.js";
import { textCount } from "../columns/texts.js";
import type { ColumnPair, RankedColumn } from "../columns.js";
import { chosenPlaces } from "../weights/chosen-places.js";
import type { AddPair } from "./pair-set.js";

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

/** What is made of a table once. Where the call that makes it fails, or is aborted, the next one makes it. */
async function madeOnce<Made>(
  known: WeakMap<Float32Array, Promise<Made>>,
  vectors: Float32Array,
  make: () => Promise<Made>,
): Promise<Made> {
  for (let other = known.get(vectors); other !== undefined; other = known.get(vectors)) {
    const made = await other.catch(() => undefined);
    if (made !== undefined) return made;
  }
  const own = make();
  known.set(vectors, own);
  own.catch(() => known.delete(vectors));
  return own;
}

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
interface EmbeddedPair
  extends Pick<ColumnPair, "dimension">,
    Readonly<Record<"base" | "queries", Pick<RankedColumn, "vectors">>> {}

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
  const rows = baseVectors.length / dimension;
  if (rows * total > manyPairs) {
    const onStep = (): void => onProgress?.(0, queries.length);
    const lists = madeOnce(listsOf, baseVectors, () =>
      makeIvfLists(baseVectors, { dimension, signal, onStep }),
    );
    return settled(await nearestInLists(await lists, asked, { ...run, probes }));
  }
  const bounded =
    rows * queries.length < boundedPairs
      ? boundedOf.get(baseVectors)
      : madeOnce(boundedOf, baseVectors, () => boundRows(baseVectors, dimension));
  const { indices } = await (bounded === undefined
    ? exactNeighbours(asked, baseVectors, { ...run, dimension, metric: "inner-product" })
    : nearestBounded(asked, await bounded, run));
  return settled(indices);
}

/** Gathers the given rows. Returns the same array if these are all rows in order. */
export function pickRows(vectors: Float32Array, rows: Uint32Array, dimension: number): Float32Array {
  if (rows.length * dimension === vectors.length && rows.every((row, place) => row === place)) return vectors;
  return gatherRows(vectors, rows, dimension);
}

/** Embeddings of the values of the naming column, [values, dimension] at unit length. */
export interface NamingVectors {
  readonly data: Float32Array;
  readonly dimension: number;
}

const leastCosine = 0.3;

interface NameSearch {
  readonly vectors: NamingVectors;
  readonly k: number;
  readonly isOneTable: boolean;
  readonly signal?: AbortSignal;
  onShare(share: number): void;
}

/** Rows whose naming values have near embeddings; of equal values, `k` rows at most. */
export async function nearNames(
  { set, left, right }: Field,
  { vectors: { data, dimension }, k, isOneTable, signal, onShare }: NameSearch,
  add: AddPair,
): Promise<void> {
  const sideOf = (values: Int32Array) => {
    const { starts, order } = placesByNumber(values, textCount(set.texts));
    const rowsOf = (value: number): Uint32Array => order.subarray(starts[value], starts[value + 1]);
    const filled = chosenPlaces(starts.length - 1, (value) => starts[value] < starts[value + 1]);
    return { rowsOf, filled, vectors: pickRows(data, Uint32Array.from(filled), dimension) };
  };
  const ofLeft = sideOf(left);
  const ofRight = isOneTable ? ofLeft : sideOf(right);
  const directions = [{ queries: ofLeft, base: ofRight, take: add }];
  if (!isOneTable) directions.push({ queries: ofRight, base: ofLeft, take: (row, found) => add(found, row) });
  for (const [at, { queries, base, take }] of directions.entries()) {
    const total = queries.filled.length;
    const onProgress = (done: number): void => onShare((at + done / total) / directions.length);
    const limits = { k: k + (isOneTable ? 1 : 0), total, signal, onProgress };
    const places = Uint32Array.from(queries.filled.keys());
    const near = await nearestByEmbedding({ base, queries, dimension }, places, limits);
    queries.filled.forEach((value, place) => {
      let open = k;
      for (let at = place * near.k; at < (place + 1) * near.k && near.rows[at] >= 0 && open > 0; at++) {
        const other = base.filled[near.rows[at]];
        if (dotRows(data, value, data, other, dimension) <= leastCosine) continue;
        const partners = base.rowsOf(other);
        const count = Math.min(open, partners.length);
        // Rows with equal values get different partners, so that every row with the value is met.
        queries.rowsOf(value).forEach((row, first) => {
          for (let step = 0; step < count; step++) take(row, partners[(first + step) % partners.length]);
        });
        open -= count;
      }
    });
  }
}
