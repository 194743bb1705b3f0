/** FAISS through the optional faiss-node: a graph behind the index, and the published protocol's compressed search. */
import { ArgumentError } from "../../errors.js";
import { loadOptional } from "../optional-package.js";
import type { GraphLibrary, NeighbourGraph } from "./neighbour-graph.js";

/** The part of faiss-node that pearl uses. It takes plain arrays only, and every call blocks. */
interface FaissIndex {
  train(vectors: number[]): void;
  add(vectors: number[]): void;
  search(vectors: number[], k: number): { labels: number[] };
  ntotal(): number;
  write(path: string): void;
}

interface FaissNode {
  Index: {
    fromFactory(dimension: number, description: string, metric?: number): FaissIndex;
    read(path: string): FaissIndex;
  };
}

/** FAISS' METRIC_INNER_PRODUCT. */
const innerProduct = 0;

/** Queries per call: one array of everything would be huge, and the binding keeps a copy of each. */
const queriesPerCall = 1000;

/** HNSW with 32 edges a row. */
const graphDescription = "HNSW32";
/** The binding cannot set the effort of a search, but FAISS visits at least as many rows as are requested. */
const leastWidth = 128;

/**
 * FAISS as a graph library.
 * @throws MissingDataError where faiss-node is not installed.
 */
export function faissLibrary(): GraphLibrary {
  const faiss = loadOptional<FaissNode>("faiss-node", "an index with the backend faiss");
  return {
    name: "faiss",
    create: ({ dimension }) =>
      graphOf(faiss.Index.fromFactory(dimension, graphDescription, innerProduct), dimension),
    open: (path, { dimension }) => graphOf(faiss.Index.read(path), dimension),
    load: (path, { dimension }) => graphOf(faiss.Index.read(path), dimension),
  };
}

/** FAISS numbers vectors in the order they are added, as pearl does. */
function graphOf(index: FaissIndex, dimension: number): NeighbourGraph {
  return {
    search(queries, width) {
      const wide = Math.min(Math.max(width, leastWidth), index.ntotal());
      const count = queries.length / dimension;
      const rows = new Int32Array(count * width).fill(-1);
      const kept = Math.min(width, wide);
      for (let first = 0; first < count; first += queriesPerCall) {
        const part = queries.subarray(first * dimension, (first + queriesPerCall) * dimension);
        const { labels } = index.search(Array.from(part), wide);
        for (let query = 0; query < labels.length / wide; query++) {
          const best = labels.slice(query * wide, query * wide + kept);
          rows.set(best, (first + query) * width);
        }
      }
      return rows;
    },
    add: (_first, vectors) => index.add(Array.from(vectors)),
    save: (path) => index.write(path),
  };
}

/** Parts of a vector in the published protocol; the dimension must be a multiple of it. */
export const subquantisers = 24;
const lists = 100;

/** Nearest candidate of each query, as a row number (-1 where the list that was searched is empty). */
export type TopOneSearch = (candidates: Float32Array, queries: Float32Array) => Int32Array;

/**
 * Prepares FAISS' IVFPQ index: L2 quantiser, 100 lists, 24 codes of 8 bits, 1 list searched (FAISS' default).
 *
 * @param dimension a multiple of 24
 * @throws MissingDataError where faiss-node is not installed.
 */
export function faissTopOne(dimension: number): TopOneSearch {
  const faiss = loadOptional<FaissNode>(
    "faiss-node",
    "the published retrieval protocol",
    " The fair protocol needs nothing: --protocol fair",
  );
  return (candidates, queries) => {
    // "np": no polysemous codes, as in the reference; they take minutes and change no result.
    const index = faiss.Index.fromFactory(dimension, `IVF${lists},PQ${subquantisers}x8np`);
    const rows = Array.from(candidates);
    // Adding to an untrained index aborts the process: FAISS needs at least 256 vectors for its codes.
    if (candidates.length / dimension < 256) {
      throw new ArgumentError("the published retrieval protocol needs a dictionary of at least 256 names");
    }
    index.train(rows);
    index.add(rows);
    const nearest = new Int32Array(queries.length / dimension);
    for (let first = 0; first < nearest.length; first += queriesPerCall) {
      const slice = Array.from(queries.subarray(first * dimension, (first + queriesPerCall) * dimension));
      nearest.set(index.search(slice, 1).labels, first);
    }
    return nearest;
  };
}
