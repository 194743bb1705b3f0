/** The one interface behind which approximate searches stand: a file made of vectors that gives candidates for queries. */
import type { IndexMetric } from "./index-types.js";

/** Candidates of some queries: row numbers, [queries, width], best first, -1 where there are no more. */
export interface Candidates {
  readonly rows: Int32Array;
  readonly width: number;
  /** Cosines as the graph's small numbers have them, in the places of the rows; absent where it does not tell. */
  readonly cosines?: Float32Array;
}

/** An opened graph. */
export interface NeighbourGraph {
  /**
   * The nearest rows of each query, as far as an approximate search finds them.
   *
   * @param queries rows of the graph's dimension, flat; few at a time, since the call blocks
   * @param width how many rows per query
   */
  search(queries: Float32Array, width: number): Promise<Candidates>;
  /** Adds the vectors of the rows from `first` on, which must be the next. Not for a graph opened to be searched. */
  add(first: number, vectors: Float32Array): Promise<void>;
  /** Writes the graph to a file. */
  save(path: string): void;
}

/** What a graph is made for. */
export interface GraphSettings {
  readonly dimension: number;
  readonly metric: IndexMetric;
}

/** A library that makes graphs. */
export interface GraphLibrary {
  readonly name: "hnsw" | "faiss";
  /** Rows added in one call: large enough for its threads, small enough not to hold up the program. */
  readonly rowsPerCall: number;
  /**
   * Efforts with which every row must be found from its own vector, the least first: a greater one is spent on the rows
   * that a smaller one does not find. Absent where that is not asked of the library.
   */
  readonly checkEfforts?: readonly number[];
  /** Rows looked at in a search along axes; absent where a graph over fewer numbers than the vectors have gains nothing. */
  readonly effortAlongAxes?: number;
  /** An empty graph. */
  create(settings: GraphSettings): NeighbourGraph;
  /**
   * A graph from its file, to be searched; memory-mapped where the library can.
   * @param effort rows looked at in a search; default the library's own
   */
  open(path: string, settings: GraphSettings, effort?: number): NeighbourGraph;
  /** A graph from its file, to be added to. */
  load(path: string, settings: GraphSettings): NeighbourGraph;
}

/** The library of that name, loaded when it is first needed. */
export async function graphLibrary(name: GraphLibrary["name"]): Promise<GraphLibrary> {
  if (name === "hnsw") return (await import("./hnsw.js")).hnsw;
  return (await import("./faiss.js")).faissLibrary();
}
