/** The graphs of a generation as files beside its vectors: opened, grown as rows come, removed. */
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError } from "../errors.js";
import type { Generation } from "./generation.js";
import type { CoveringGraph } from "./graph-search.js";
import type { IndexMetric, IndexWork } from "./index-types.js";
import { findUnreached, ListedRows } from "./listed-rows.js";
import { type GraphLibrary, graphLibrary } from "./neighbour-graph.js";

/** Rows that no graph covers are searched exactly; from so many on the graph is extended. */
const rowsOutsideGraph = 5_000;

/** A graph's file is named by its library and the rows that it covers. */
const graphName = /^(hnsw|faiss)-(\d+)$/;
/** The list of rows that a graph does not find lies beside it. */
const listSuffix = ".unreached";
const graphPath = (folder: string, name: string, rows: number): string => join(folder, `${name}-${rows}`);

/** Opens the graph that covers most rows; undefined where there is none. */
export async function openGraph(
  generation: Generation,
  metric: IndexMetric,
): Promise<CoveringGraph | undefined> {
  const { folder, extent, dimension } = generation;
  const graphs = (await readdir(folder)).flatMap((file) => {
    const match = graphName.exec(file);
    if (match === null || Number(match[2]) > extent.rows) return [];
    return [{ name: match[1] as GraphLibrary["name"], rows: Number(match[2]) }];
  });
  const [best] = graphs.sort((left, right) => right.rows - left.rows);
  if (best === undefined) return undefined;
  const library = await graphLibrary(best.name);
  const path = graphPath(folder, best.name, best.rows);
  const graph = library.open(path, { dimension, metric });
  return { ...best, graph, unreached: await ListedRows.read(`${path}${listSuffix}`, generation) };
}

/**
 * Makes the graph of a generation, or adds the rows that it does not cover yet where they have become many.
 * @param current the graph that is open
 * @returns the graph that is to be searched from now on
 * @throws InterruptedError; the rows are not touched
 */
export async function growGraph(
  name: GraphLibrary["name"],
  generation: Generation,
  metric: IndexMetric,
  current: CoveringGraph | undefined,
  { signal, onProgress }: IndexWork,
): Promise<CoveringGraph | undefined> {
  const { folder, extent, dimension } = generation;
  const library = await graphLibrary(name);
  const covered = current?.name === name ? current.rows : 0;
  const missing = extent.rows - covered;
  if (missing === 0 || (covered > 0 && missing < rowsOutsideGraph)) return current;
  const settings = { dimension, metric };
  const graph =
    covered > 0 ? library.load(graphPath(folder, name, covered), settings) : library.create(settings);
  for (let first = covered; first < extent.rows; first += library.rowsPerCall) {
    if (signal?.aborted) {
      throw new InterruptedError("stopped while making the graph; all rows are safe, and searched exactly", {
        cause: signal.reason,
      });
    }
    const count = Math.min(library.rowsPerCall, extent.rows - first);
    graph.add(first, await generation.readVectors(first, count));
    onProgress?.(first + count - covered, missing);
    await new Promise(setImmediate);
  }
  const path = graphPath(folder, name, extent.rows);
  graph.save(`${path}.partial`);
  if (library.checkEffort !== undefined) {
    const saved = library.open(`${path}.partial`, settings, library.checkEffort);
    const joined = await findUnreached(generation, saved, covered, { signal, onProgress });
    const listed = covered > 0 ? current?.unreached : undefined;
    await (listed ?? new ListedRows(generation, new Int32Array(0))).save(`${path}${listSuffix}`, joined);
  }
  await syncFile(`${path}.partial`);
  await rename(`${path}.partial`, path);
  await removeGraphs(folder, path);
  return openGraph(generation, metric);
}

/** A renamed file must not turn out empty after a power cut. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync();
  await file.close();
}

/** Removes a generation's graphs with their lists, all but one where it is named. */
export async function removeGraphs(folder: string, except?: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const plain = file.endsWith(listSuffix) ? file.slice(0, -listSuffix.length) : file;
    if (graphName.test(plain) && join(folder, plain) !== except)
      await rm(join(folder, file), { force: true });
  }
}
