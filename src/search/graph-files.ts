/** The graphs of a generation as files beside its vectors: opened, grown as rows come, removed. */
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError } from "../errors.js";
import type { Generation } from "./generation.js";
import type { CoveringGraph } from "./graph-search.js";
import type { IndexMetric, IndexWork } from "./index-types.js";
import { findUnreached, ListedRows } from "./listed-rows.js";
import { type GraphLibrary, graphLibrary, type NeighbourGraph } from "./neighbour-graph.js";
import { keptShare, type PrincipalAxes, principalAxes } from "./principal-axes.js";
import { projectedGraph, readAxes, saveAxes } from "./projected-graph.js";

/** Rows that no graph covers are searched exactly; from so many on the graph is extended. */
const rowsOutsideGraph = 5_000;

/**
 * Share of the vectors' squares that the axes of a graph keep at least. What is lost puts neighbours in a wrong order, which
 * comparing the candidates whole puts right: of the 595 numbers of an earlier pearl-mini 128 axes kept 85 %, and the
 * nearest of 100,000 rows was among the first 32 along them for 99.9 % of misspelt phrases.
 */
const keptByAxes = 0.82;
/** Where axes keep less than this of rows that come later, a graph along others is made. */
const leastKept = 0.75;
/** Rows that axes are made from. */
const sampledRows = 8192;
const rowsPerSample = 64;

/** A graph's file is named by its library, the rows that it covers and, where it has axes, their number. */
const graphName = /^(hnsw|faiss)-(\d+)(?:-(\d+)axes)?$/;
/** The list of rows that a graph does not find lies beside it, and so do its axes. */
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
 * @throws VectorIndexError where its axes are damaged
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
  // The graph's name comes last: where it stands, all that belongs to it is there.
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
      throw new InterruptedError("stopped while making the graph; all rows are safe, and searched exactly", {
        cause: signal.reason,
      });
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

/** Axes for a new graph. Where lengths count, none: a graph's small numbers keep directions only. */
async function findAxes(
  { effortAlongAxes }: GraphLibrary,
  generation: Generation,
  metric: IndexMetric,
): Promise<PrincipalAxes | undefined> {
  if (effortAlongAxes === undefined || metric !== "cosine") return undefined;
  const sample = await readSample(generation, 0);
  return principalAxes(sample, { dimension: generation.dimension, kept: keptByAxes });
}

/** Whether the axes of a graph fit the rows that it does not cover: they may be of another kind. */
async function stillFits({ axes, rows }: CoveringGraph, generation: Generation): Promise<boolean> {
  if (axes === undefined) return true;
  return (await keptShare(await readSample(generation, rows), axes)) >= leastKept;
}

/** Vectors of rows from `first` on, in runs at even distances: an index may be sorted. */
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

/** A renamed file must not turn out empty after a power cut. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync();
  await file.close();
}

/** Removes a generation's graphs with what lies beside them, all but one where it is named. */
export async function removeGraphs(folder: string, except?: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const suffix = [listSuffix, axesSuffix].find((end) => file.endsWith(end)) ?? "";
    const plain = file.slice(0, file.length - suffix.length);
    if (graphName.test(plain) && join(folder, plain) !== except)
      await rm(join(folder, file), { force: true });
  }
}
