/** The compressed search of the published retrieval protocol: FAISS, through the optional faiss-node. */
import { ArgumentError } from "../errors.js";
import { loadOptional } from "../files/package.js";

/** The part of faiss-node that pearl uses. It takes plain arrays only, and every call blocks. */
interface FaissIndex {
  train(vectors: number[]): void;
  add(vectors: number[]): void;
  search(vectors: number[], k: number): { labels: number[] };
}

interface FaissNode {
  Index: {
    fromFactory(dimension: number, description: string): FaissIndex;
  };
}

/** Queries per call: one array of everything would be huge, and the binding keeps a copy of each. */
const queriesPerCall = 1000;

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
