/** The graphs of a generation, files beside its vectors: opens them, extends them with new rows, removes them. */
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError } from "../../errors.js";
import { graphLibrary } from "../graph/graph-library.js";
import type { GraphLibrary, NeighbourGraph } from "../graph/neighbour-graph.js";
import { projectedGraph, readAxes, saveAxes } from "../graph/projected-graph.js";
import type { IndexMetric, IndexWork } from "../index-types.js";
import { keptShare, type PrincipalAxes, principalAxes } from "../principal-axes.js";
import type { Generation } from "./generation.js";
import type { CoveringGraph } from "./graph-search.js";
import { findUnreached, ListedRows } from "./listed-rows.js";

/** Rows outside the graph are searched exactly; from this many on the graph is extended. */
const rowsOutsideGraph = 5_000;

/**
 * Least share of the vectors' sum of squares that a graph's axes keep. The rest would change the order of neighbours, which
 * comparing the candidates whole corrects: of the 595 dimensions of an earlier pearl-mini, 128 axes kept 85 %, and the
 * nearest of 100,000 rows was among the first 32 along them for 99.9 % of misspelt phrases.
 */
const keptByAxes = 0.82;
/** Where axes keep less than this of later rows, a graph along other axes is built. */
const leastKept = 0.75;
/** Rows that axes are made from. */
const sampledRows = 8192;
const rowsPerSample = 64;

/** A graph's file name holds its library, how many rows it covers and, where it has axes, how many. */
const graphName = /^(hnsw|faiss)-(\d+)(?:-(\d+)axes)?$/;
/** Beside a graph lie the list of rows that it does not find, and its axes. */
const listSuffix = ".unreached";
const axesSuffix = ".axes";

interface GraphFile {
  readonly name: GraphLibrary["name"];
  readonly rows: number;
  /** How many axes; undefined for a graph over whole vectors. */
  readonly width?: number;
}

function graphPath(folder: string, { name, rows, width }: GraphFile): string {
  return join(folder, `${name}-${rows}${width === undefined ? "" : `-${width}axes`}`);
}

/**
 * Opens the graph that covers most rows; undefined where there is none.
 * @throws VectorIndexError where its axes are damaged, MissingDataError where its library is not installed
 */
export async function openGraph(
  generation: Generation,
  metric: IndexMetric,
): Promise<CoveringGraph | undefined> {
  const { folder, extent, dimension } = generation;
  const graphs = (await readdir(folder)).flatMap((file): GraphFile[] => {
    const match = graphName.exec(file);
    if (match === null || Number(match[2]) > extent.rows) return [];
    const width = match[3] === undefined ? undefined : Number(match[3]);
    return [{ name: match[1] as GraphLibrary["name"], rows: Number(match[2]), width }];
  });
  const [best] = graphs.sort((left, right) => right.rows - left.rows);
  if (best === undefined) return undefined;
  const path = graphPath(folder, best);
  const [library, unreached, axes] = await Promise.all([
    graphLibrary(best.name),
    ListedRows.read(`${path}${listSuffix}`, generation),
    best.width === undefined ? undefined : readAxes(`${path}${axesSuffix}`, best.width, dimension),
  ]);
  const effort = axes === undefined ? undefined : library.effortAlongAxes;
  const graph = along(axes, library.open(path, settingsOf(generation, metric, axes), effort));
  return { name: best.name, rows: best.rows, graph, axes, unreached };
}

/**
 * Builds the graph of a generation, or extends it once many rows lie outside it.
 * @param current the graph that is open
 * @returns the graph to search from now on
 * @throws InterruptedError (the rows stay as they are), MissingDataError where the library is not installed
 */
export async function growGraph(
  name: GraphLibrary["name"],
  generation: Generation,
  metric: IndexMetric,
  current: CoveringGraph | undefined,
  work: IndexWork,
): Promise<CoveringGraph | undefined> {
  const { folder, extent } = generation;
  const same = current?.name === name ? current : undefined;
  const missing = extent.rows - (same?.rows ?? 0);
  if (missing === 0 || (same !== undefined && missing < rowsOutsideGraph)) return current;
  const library = await graphLibrary(name);
  const grown = same !== undefined && (await stillFits(same, generation)) ? same : undefined;
  const axes = grown === undefined ? await findAxes(library, generation, metric) : grown.axes;
  const settings = settingsOf(generation, metric, axes);
  const covered = grown?.rows ?? 0;
  const bare =
    grown === undefined
      ? library.create(settings)
      : library.load(graphPath(folder, { ...grown, width: axes?.width }), settings);
  const graph = along(axes, bare);
  await addRows(graph, library.rowsPerCall, generation, covered, work);
  const path = graphPath(folder, { name, rows: extent.rows, width: axes?.width });
  graph.save(`${path}.partial`);
  if (library.checkEfforts !== undefined) {
    const efforts = library.checkEfforts.map((effort) =>
      along(axes, library.open(`${path}.partial`, settings, effort)),
    );
    const joined = await findUnreached(generation, efforts, covered, work);
    const listed = grown?.unreached ?? new ListedRows(generation, new Int32Array(0));
    await listed.save(`${path}${listSuffix}`, joined);
  }
  if (axes !== undefined) await saveAxes(`${path}${axesSuffix}`, axes);
  // The graph gets its name last: where it exists, everything that belongs to it is complete.
  await syncFile(`${path}.partial`);
  await rename(`${path}.partial`, path);
  await removeGraphs(folder, path);
  return openGraph(generation, metric);
}

async function addRows(
  graph: NeighbourGraph,
  rowsPerCall: number,
  generation: Generation,
  covered: number,
  { signal, onProgress }: IndexWork,
): Promise<void> {
  const { rows } = generation.extent;
  for (let first = covered; first < rows; first += rowsPerCall) {
    if (signal?.aborted) {
      throw new InterruptedError(
        "stopped while building the graph; all rows are safe and are searched exactly",
        {
          cause: signal.reason,
        },
      );
    }
    const count = Math.min(rowsPerCall, rows - first);
    await graph.add(first, await generation.readVectors(first, count));
    onProgress?.(first + count - covered, rows - covered);
    await new Promise(setImmediate);
  }
}

function settingsOf({ dimension }: Generation, metric: IndexMetric, axes: PrincipalAxes | undefined) {
  return { dimension: axes?.width ?? dimension, metric };
}

function along(axes: PrincipalAxes | undefined, graph: NeighbourGraph): NeighbourGraph {
  return axes === undefined ? graph : projectedGraph(graph, axes);
}

/** Axes for a new graph; none where lengths count, since a graph's 8-bit numbers keep directions only. */
async function findAxes(
  { effortAlongAxes }: GraphLibrary,
  generation: Generation,
  metric: IndexMetric,
): Promise<PrincipalAxes | undefined> {
  if (effortAlongAxes === undefined || metric !== "cosine") return undefined;
  const sample = await readSample(generation, 0);
  return principalAxes(sample, { dimension: generation.dimension, kept: keptByAxes });
}

/** Whether the axes of a graph fit the rows outside it, which may be of another kind. */
async function stillFits({ axes, rows }: CoveringGraph, generation: Generation): Promise<boolean> {
  if (axes === undefined) return true;
  return (await keptShare(await readSample(generation, rows), axes)) >= leastKept;
}

/** Vectors of rows from `first` on, in evenly spaced runs: an index may be sorted. */
async function readSample(generation: Generation, first: number): Promise<Float32Array> {
  const { dimension, extent } = generation;
  const rows = extent.rows - first;
  if (rows <= sampledRows) return generation.readVectors(first, rows);
  const sample = new Float32Array(sampledRows * dimension);
  const runs = sampledRows / rowsPerSample;
  for (let run = 0; run < runs; run++) {
    const from = first + Math.floor((run * (rows - rowsPerSample)) / (runs - 1));
    sample.set(await generation.readVectors(from, rowsPerSample), run * rowsPerSample * dimension);
  }
  return sample;
}

/** A renamed file must not be empty after a power cut. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync();
  await file.close();
}

/** Removes a generation's graphs and their companion files, except the named one. */
export async function removeGraphs(folder: string, except?: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const suffix = [listSuffix, axesSuffix].find((end) => file.endsWith(end)) ?? "";
    const plain = file.slice(0, file.length - suffix.length);
    if (graphName.test(plain) && join(folder, plain) !== except)
      await rm(join(folder, file), { force: true });
  }
}
