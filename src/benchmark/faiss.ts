/** The compressed search of the published retrieval protocol, through the optional faiss-node. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { ArgumentError, MissingDataError, messageOf } from "../errors.js";

/** Into how many parts a vector is cut; its dimension must be a multiple of it. */
export const subquantisers = 24;
const lists = 100;
/** Queries per call: faiss-node takes plain arrays, and one array of everything would be huge. */
const batch = 1000;

/** The part of faiss-node that is used. */
interface FaissIndex {
  train(vectors: number[]): void;
  add(vectors: number[]): void;
  search(vectors: number[], k: number): { labels: number[] };
}

interface FaissNode {
  Index: { fromFactory(dimension: number, description: string): FaissIndex };
}

/** Nearest candidate of each query, as a row number (-1 where the list that was searched is empty). */
export type TopOneSearch = (candidates: Float32Array, queries: Float32Array) => Int32Array;

/**
 * Prepares FAISS' IVFPQ index: L2 quantiser, 100 lists, 24 codes of 8 bits, 1 list searched (FAISS' default).
 *
 * @param dimension a multiple of 24
 * @throws MissingDataError where faiss-node is not installed.
 */
export async function faissTopOne(dimension: number): Promise<TopOneSearch> {
  const faiss = loadFaiss();
  return (candidates, queries) => {
    // "np": no polysemous codes, as the reference's constructor has it; they would cost minutes and change no result.
    const index = faiss.Index.fromFactory(dimension, `IVF${lists},PQ${subquantisers}x8np`);
    const rows = Array.from(candidates);
    // Adding to an untrained index aborts the whole process: FAISS wants at least 256 vectors for its codes.
    if (candidates.length / dimension < 256) {
      throw new ArgumentError("the published retrieval protocol needs a dictionary of at least 256 names");
    }
    index.train(rows);
    index.add(rows);
    const nearest = new Int32Array(queries.length / dimension);
    for (let first = 0; first < nearest.length; first += batch) {
      const slice = Array.from(queries.subarray(first * dimension, (first + batch) * dimension));
      nearest.set(index.search(slice, 1).labels, first);
    }
    return nearest;
  };
}

function loadFaiss(): FaissNode {
  let reason = "it is not installed";
  for (const base of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return createRequire(base)("faiss-node") as FaissNode;
    } catch (error) {
      const text = messageOf(error).split("\n", 1)[0];
      if (!text.startsWith("Cannot find module 'faiss-node'")) reason = text;
    }
  }
  throw new MissingDataError(
    `the published retrieval protocol needs the optional package faiss-node, built against FAISS (${reason}). ` +
      "`pearl doctor` shows the command that installs it. The fair protocol needs nothing: --protocol fair",
  );
}
