/** The interface of approximate searches: a graph in a file that gives candidates for queries. */
import type { IndexMetric } from "../index-types.js";

export interface NeighbourGraph {
  /**
   * The nearest rows of each query, as far as an approximate search finds them.
   *
   * @param queries rows of the graph's dimension, flat; few at a time, since the call blocks
   * @param width how many rows per query
   * @returns row numbers, [queries, width], best first, padded with -1
   */
  search(queries: Float32Array, width: number): Int32Array;
  /** Adds the vectors of the rows from `first` on, which must be the next. Not for a graph opened for searching. */
  add(first: number, vectors: Float32Array): void;
  save(path: string): void;
}

export interface GraphSettings {
  readonly dimension: number;
  readonly metric: IndexMetric;
}

export interface GraphLibrary {
  readonly name: "hnsw" | "faiss";
  /** Rows visited in a search. Absent where the library cannot set it, and where a graph along axes gains nothing. */
  readonly efforts?: {
    readonly alongAxes: number;
    /** Ascending: each row is searched for by its own vector, with a greater one where a smaller one misses it. */
    readonly check: readonly number[];
  };
  create(settings: GraphSettings): NeighbourGraph;
  /**
   * A graph from its file, for searching; memory-mapped where the library can.
   * @param effort rows visited in a search; default the library's own
   */
  open(path: string, settings: GraphSettings, effort?: number): NeighbourGraph;
  /** A graph from its file, for adding rows. */
  load(path: string, settings: GraphSettings): NeighbourGraph;
}

/**
 * The library of that name, loaded when it is first needed.
 * @throws MissingDataError where it is not installed
 */
export async function graphLibrary(name: GraphLibrary["name"]): Promise<GraphLibrary> {
  if (name === "hnsw") return (await import("./hnsw.js")).hnswLibrary();
  return (await import("./faiss.js")).faissLibrary();
}
