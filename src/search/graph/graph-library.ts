/** From the name of a graph library to the library. */
import type { GraphLibrary } from "./neighbour-graph.js";

/**
 * The library of that name, loaded when it is first needed.
 * @throws MissingDataError where it is not installed
 */
export async function graphLibrary(name: GraphLibrary["name"]): Promise<GraphLibrary> {
  if (name === "hnsw") return (await import("./hnsw.js")).hnswLibrary();
  return (await import("./faiss.js")).faissLibrary();
}
