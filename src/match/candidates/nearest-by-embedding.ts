/** Finds candidates by embedding: exactly for tables of moderate size, in the nearest IVF lists for large ones. */

import { exactNeighbours } from "../../search/exact.js";
import { type IvfLists, makeIvfLists, nearestInLists } from "../../search/ivf-lists.js";
import { gatherRows } from "../../search/vectors.js";
import type { ColumnPair } from "../columns/column-pair.js";

/** The nearest base rows of each query: [queries, k], -1 for none. */
export interface NearRows {
  readonly k: number;
  readonly rows: Int32Array;
}

/** Finds the nearest base rows of some query rows of a column. */
export type NearestByEmbedding = (queries: Uint32Array) => Promise<NearRows>;

/** Up to this many pairs of rows the search is exact; beyond it, IVF lists are many times faster. */
export const exactPairs = 5e8;
/** IVF lists searched per query. Candidates by terms make up for most of what they miss. */
const probes = 8;

/** IVF lists by table, as they serve the rows of the other table and of the table itself. */
const listsOf = new WeakMap<Float32Array, Promise<IvfLists>>();

export interface NearestOptions {
  readonly k: number;
  /** Block numbers: only rows with equal ones are compared. */
  readonly blocks?: { readonly base: Uint32Array; readonly queries: Uint32Array };
  /** Number of pairs of rows above which IVF lists are used. Default `exactPairs`. */
  readonly manyPairs?: number;
  readonly signal?: AbortSignal;
}

/** Prepares the search. IVF lists are built when first needed. */
export function nearestByEmbedding(
  { base, queries, dimension }: ColumnPair,
  { k, blocks, manyPairs = exactPairs, signal }: NearestOptions,
): NearestByEmbedding {
  const baseVectors = base.vectors;
  const queryVectors = queries.vectors;
  if (baseVectors === undefined || queryVectors === undefined || k === 0) {
    return () => Promise.resolve({ k: 0, rows: new Int32Array(0) });
  }
  const exact = async (wanted: Uint32Array, within: Uint32Array | undefined): Promise<NearRows> => {
    const vectors = pickRows(queryVectors, wanted, dimension);
    const candidates = within === undefined ? baseVectors : pickRows(baseVectors, within, dimension);
    const { indices } = await exactNeighbours(vectors, candidates, {
      dimension,
      k,
      metric: "inner-product",
      signal,
    });
    return { k, rows: within === undefined ? indices : indices.map((row) => (row < 0 ? -1 : within[row])) };
  };
  if (blocks !== undefined) return (wanted) => byBlock(wanted, blocks, k, exact);
  return async (wanted) => {
    if (base.terms.count * wanted.length <= manyPairs) return exact(wanted, undefined);
    let lists = listsOf.get(baseVectors);
    if (lists === undefined) {
      lists = makeIvfLists(baseVectors, { dimension, signal });
      listsOf.set(baseVectors, lists);
    }
    const vectors = pickRows(queryVectors, wanted, dimension);
    return { k, rows: await nearestInLists(await lists, vectors, { k, probes, signal }) };
  };
}

/** Gathers the given rows. Returns the same array if these are all rows in order. */
function pickRows(vectors: Float32Array, rows: Uint32Array, dimension: number): Float32Array {
  if (rows.length * dimension === vectors.length && rows.every((row, place) => row === place)) return vectors;
  return gatherRows(vectors, rows, dimension);
}

async function byBlock(
  wanted: Uint32Array,
  blocks: { readonly base: Uint32Array; readonly queries: Uint32Array },
  k: number,
  exact: (queries: Uint32Array, base: Uint32Array) => Promise<NearRows>,
): Promise<NearRows> {
  const members = groupRows(blocks.base, (row) => row, blocks.base.length);
  const places = groupRows(blocks.queries, (place) => wanted[place], wanted.length);
  const rows = new Int32Array(wanted.length * k).fill(-1);
  for (const [block, inBlock] of places) {
    const candidates = members.get(block);
    if (candidates === undefined) continue;
    if (candidates.length <= k) {
      for (const place of inBlock) rows.set(candidates, place * k);
      continue;
    }
    const found = await exact(
      Uint32Array.from(inBlock, (place) => wanted[place]),
      Uint32Array.from(candidates),
    );
    inBlock.forEach((place, index) => {
      rows.set(found.rows.subarray(index * k, (index + 1) * k), place * k);
    });
  }
  return { k, rows };
}

function groupRows(
  blocks: Uint32Array,
  rowOf: (place: number) => number,
  count: number,
): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let place = 0; place < count; place++) {
    const block = blocks[rowOf(place)];
    const group = groups.get(block);
    if (group === undefined) groups.set(block, [place]);
    else group.push(place);
  }
  return groups;
}
