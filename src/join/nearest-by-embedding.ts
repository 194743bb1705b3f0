/** Nearest rows by embedding: exact for tables of moderate size, a graph (HNSW) where both are large. */
import { InterruptedError } from "../errors.js";
import { exactNeighbours } from "../search/exact.js";
import { graphLibrary, type NeighbourGraph } from "../search/neighbour-graph.js";
import type { ColumnPair } from "./rank-rows.js";

/** Nearest base rows of each query: [queries, k], -1 for none. */
export interface NearRows {
  readonly k: number;
  readonly rows: Int32Array;
}

/** Finds the nearest base rows of some query rows of a column. */
export type NearestByEmbedding = (queries: Uint32Array) => Promise<NearRows>;

const queriesPerCall = 512;
/** Rows that a search in the graph looks at: what it misses, the candidates by terms mostly have. */
const searchEffort = 64;

/** The graph over a table's vectors serves both the other table's rows and the table's own. */
const graphs = new WeakMap<Float32Array, Promise<NeighbourGraph>>();

export interface NearestOptions {
  readonly k: number;
  /** Rows meet only within equal numbers. */
  readonly blocks?: { readonly base: Uint32Array; readonly queries: Uint32Array };
  /**
   * Rows on both sides from which on a graph is built, which then costs less than comparing all with all.
   * Default 50,000.
   */
  readonly graphRows?: number;
  readonly signal?: AbortSignal;
}

/** Prepares the search; a graph is built when it is first needed. */
export function nearestByEmbedding(
  { base, queries, dimension }: ColumnPair,
  { k, blocks, graphRows = 50_000, signal }: NearestOptions,
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
    if (base.terms.count < graphRows || wanted.length < graphRows) return exact(wanted, undefined);
    let graph = graphs.get(baseVectors);
    if (graph === undefined) {
      graph = buildGraph(baseVectors, dimension, signal);
      graphs.set(baseVectors, graph);
    }
    return searchGraph(await graph, queryVectors, wanted, { dimension, k, signal });
  };
}

/** The rows of some numbers, one after the other. All rows in order are given as they are. */
function pickRows(vectors: Float32Array, rows: Uint32Array, dimension: number): Float32Array {
  if (rows.length * dimension === vectors.length && rows.every((row, place) => row === place)) return vectors;
  const picked = new Float32Array(rows.length * dimension);
  rows.forEach((row, place) => {
    picked.set(vectors.subarray(row * dimension, (row + 1) * dimension), place * dimension);
  });
  return picked;
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

async function buildGraph(
  vectors: Float32Array,
  dimension: number,
  signal: AbortSignal | undefined,
): Promise<NeighbourGraph> {
  const library = await graphLibrary("hnsw");
  const graph = library.create({ dimension, metric: "cosine" }, searchEffort);
  const rows = vectors.length / dimension;
  for (let first = 0; first < rows; first += library.rowsPerCall) {
    await pause(signal);
    // The library takes no shared memory.
    graph.add(first, vectors.slice(first * dimension, (first + library.rowsPerCall) * dimension));
  }
  return graph;
}

async function searchGraph(
  graph: NeighbourGraph,
  vectors: Float32Array,
  wanted: Uint32Array,
  { dimension, k, signal }: { dimension: number; k: number; signal?: AbortSignal },
): Promise<NearRows> {
  const rows = new Int32Array(wanted.length * k).fill(-1);
  for (let first = 0; first < wanted.length; first += queriesPerCall) {
    await pause(signal);
    const part = wanted.subarray(first, first + queriesPerCall);
    const found = graph.search(new Float32Array(pickRows(vectors, part, dimension)), k);
    for (let query = 0; query < part.length; query++) {
      const best = found.rows.subarray(query * found.width, query * found.width + Math.min(k, found.width));
      rows.set(best, (first + query) * k);
    }
  }
  return { k, rows };
}

/** Lets others run, and ends where the caller has stopped the work. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) throw new InterruptedError("the join was stopped", { cause: signal.reason });
  await new Promise(setImmediate);
}
