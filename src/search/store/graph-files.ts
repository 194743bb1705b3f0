/** The graphs of a generation: opens, extends and removes their files. */
import { readSync } from "node:fs";
import { open, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { PearlError } from "../../errors.js";
import { type FileSum, fileSum } from "../../files/checksums/checksum.js";
import { exists, replaceFile, writeWholeFile } from "../../files/whole-file.js";
import { checkedEfforts, effortAlongAxes, hnswLibrary, type NeighbourGraph } from "../graph/hnsw.js";
import type { IndexWork } from "../index-types.js";
import { keptShare, type PrincipalAxes, principalAxes, project } from "../principal-axes.js";
import type { Generation } from "./generation.js";
import { type CoveringGraph, findUnreached, type GraphSearch, ListedRows } from "./graph-search.js";
import { damaged, writeTrouble } from "./manifest.js";
import { makeWordLists, WordLists } from "./word-lists.js";

/** Rows outside the graph are searched exactly; from this many on the graph is extended. */
const rowsOutsideGraph = 5_000;
/** Rows added in one call: enough for a library's threads, few enough not to block the program for long. */
const rowsPerCall = 256;

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

/** A graph's file name holds how many rows it covers and, where it has axes, how many. */
const graphName = /^hnsw-(\d+)(?:-(\d+)axes)?$/;
/** Files beside a graph: the list of rows that it does not find, its axes, and the lists of rows by words. */
const listSuffix = ".unreached";
const axesSuffix = ".axes";
const wordsSuffix = ".words";
const suffixes = [listSuffix, axesSuffix, wordsSuffix];

/** Path of a graph over `rows` rows, along `width` axes if it has any. */
function graphPath({ folder }: Generation, rows: number, width: number | undefined): string {
  return join(folder, `hnsw-${rows}${width === undefined ? "" : `-${width}axes`}`);
}

/**
 * Opens the graph, after its files were compared with their checksums; undefined where there is none.
 * @throws VectorIndexError where they are damaged, MissingDataError where its library is not installed
 */
export async function openGraph(generation: Generation): Promise<CoveringGraph | undefined> {
  const best = Object.keys(generation.graph).flatMap((name) => graphName.exec(name) ?? []);
  if (best.length === 0) return undefined;
  await generation.check("changed", "graph");
  const path = join(generation.folder, best[0]);
  const library = hnswLibrary();
  const axes =
    best[2] === undefined ? undefined : await readAxes(path, Number(best[2]), generation.dimension);
  const effort = axes === undefined ? undefined : effortAlongAxes;
  return {
    rows: Number(best[1]),
    search: searchOf(library.open(path, settingsOf(generation, axes), effort), axes),
    axes,
    unreached: new ListedRows(generation, await readList(path)),
    words: await openWords(generation, path),
  };
}

/**
 * Builds the graph of a generation, or extends it if many rows are outside it. An aborted build leaves the rows as
 * they are.
 * @param current the graph that is open
 * @returns the graph to search from now on
 * @throws MissingDataError where the library is not installed
 */
export async function growGraph(
  generation: Generation,
  current: CoveringGraph | undefined,
  work: IndexWork,
): Promise<CoveringGraph | undefined> {
  const { rows } = generation;
  const missing = rows - (current?.rows ?? 0);
  if (missing === 0 || (current !== undefined && missing < rowsOutsideGraph)) return current;
  const library = hnswLibrary();
  const grown = current !== undefined && (await stillFits(current, generation)) ? current : undefined;
  const axes = grown === undefined ? await findAxes(generation) : grown.axes;
  const settings = settingsOf(generation, axes);
  const graph =
    grown === undefined
      ? library.create(settings)
      : library.load(graphPath(generation, grown.rows, axes?.width), settings);
  const covered = grown?.rows ?? 0;
  await addRows(graph, axes, generation, covered, work);
  const path = graphPath(generation, rows, axes?.width);
  // The graph gets its name last: where it exists, everything that belongs to it is complete.
  await replaceFile(path, async (unnamed) => {
    graph.save(unnamed);
    if (axes !== undefined) await writeWholeFile(`${path}${axesSuffix}`, axes.axes);
    if (generation.phraseColumn !== undefined)
      await writeWholeFile(`${path}${wordsSuffix}`, await makeWordLists(generation));
    const searches = checkedEfforts.map((effort) => searchOf(library.open(unnamed, settings, effort), axes));
    const joined = await findUnreached(generation, searches, covered, work);
    const listed = Int32Array.from([...(grown?.unreached.rows ?? []), ...joined]);
    await writeWholeFile(`${path}${listSuffix}`, listed);
  }).catch((error: unknown) => {
    throw error instanceof PearlError || work.signal?.aborted ? error : writeTrouble(error, path);
  });
  // Recorded before the earlier one goes: a kill between the two leaves both.
  await generation.recordGraph(await sumsOf(path));
  await removeGraphs(generation.folder, path);
  return openGraph(generation);
}

async function sumsOf(path: string): Promise<Record<string, FileSum>> {
  const files: Record<string, FileSum> = {};
  for (const suffix of ["", ...suffixes])
    if (await exists(`${path}${suffix}`)) files[basename(path) + suffix] = await fileSum(`${path}${suffix}`);
  return files;
}

const settingsOf = ({ dimension, metric }: Generation, axes: PrincipalAxes | undefined) => ({
  dimension: axes?.width ?? dimension,
  metric,
});

/** A search that takes whole vectors, and projects them where the graph has axes. */
function searchOf(graph: NeighbourGraph, axes: PrincipalAxes | undefined): GraphSearch {
  return async (vectors, width) =>
    graph.search(axes === undefined ? vectors : await project(vectors, axes), width);
}

async function addRows(
  graph: NeighbourGraph,
  axes: PrincipalAxes | undefined,
  generation: Generation,
  covered: number,
  { signal, onProgress }: IndexWork,
): Promise<void> {
  const { rows } = generation;
  for (let first = covered; first < rows; first += rowsPerCall) {
    signal?.throwIfAborted();
    const count = Math.min(rowsPerCall, rows - first);
    const vectors = await generation.readVectors(first, count);
    graph.add(first, axes === undefined ? vectors : await project(vectors, axes));
    onProgress?.(first + count - covered, rows - covered);
    await new Promise(setImmediate);
  }
}

/** Axes for a new graph; none where lengths count, since a graph's 8-bit numbers keep directions only. */
async function findAxes(generation: Generation): Promise<PrincipalAxes | undefined> {
  if (generation.metric !== "cosine") return undefined;
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
  const { dimension } = generation;
  const rows = generation.rows - first;
  if (rows <= sampledRows) return generation.readVectors(first, rows);
  const sample = new Float32Array(sampledRows * dimension);
  const runs = sampledRows / rowsPerSample;
  for (let run = 0; run < runs; run++) {
    const from = first + Math.floor((run * (rows - rowsPerSample)) / (runs - 1));
    sample.set(await generation.readVectors(from, rowsPerSample), run * rowsPerSample * dimension);
  }
  return sample;
}

/** The rows that a graph does not find. */
async function readList(path: string): Promise<Int32Array> {
  const bytes = await readFile(`${path}${listSuffix}`);
  return new Int32Array(new Uint8Array(bytes).buffer);
}

/** Undefined where rows are no phrases. */
async function openWords(generation: Generation, path: string): Promise<WordLists | undefined> {
  if (generation.phraseColumn === undefined) return undefined;
  const file = await open(`${path}${wordsSuffix}`, "r");
  generation.opened.push(file);
  return WordLists.of((from, length) => {
    const values = new Uint32Array(length);
    readSync(file.fd, values, 0, values.byteLength, 4 * from);
    return values;
  });
}

async function readAxes(path: string, width: number, dimension: number): Promise<PrincipalAxes> {
  const bytes = await readFile(`${path}${axesSuffix}`);
  const axes = new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
  if (axes.length === width * dimension && axes.every(Number.isFinite)) return { width, dimension, axes };
  throw damaged(`${path}${axesSuffix}`, "it does not fit the index");
}

/** Removes a generation's graphs and their companion files, except the named one. */
export async function removeGraphs(folder: string, except?: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const suffix = suffixes.find((end) => file.endsWith(end)) ?? "";
    const plain = file.slice(0, file.length - suffix.length);
    if (graphName.test(plain) && join(folder, plain) !== except)
      await rm(join(folder, file), { force: true });
  }
}
