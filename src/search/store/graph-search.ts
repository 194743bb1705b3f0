/** Searches a graph for candidates, compares them exactly, and adds the rows that the graph does not cover. */
import { InterruptedError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import type { Candidates, GraphLibrary, NeighbourGraph } from "../graph/neighbour-graph.js";
import type { PrincipalAxes } from "../principal-axes.js";
import type { Generation } from "./generation.js";
import type { ListedRows } from "./listed-rows.js";
import { type BestRows, rankCandidates, type Scan, scanRows, type VectorReader } from "./row-scan.js";

/** A graph over the rows below `rows`. */
export interface CoveringGraph {
  readonly name: GraphLibrary["name"];
  readonly rows: number;
  readonly graph: NeighbourGraph;
  /** The axes onto which the graph projects its vectors; absent where it holds them whole. */
  readonly axes?: PrincipalAxes;
  /** Rows that no path through the graph reaches: they are compared one by one. */
  readonly unreached: ListedRows;
}

/** How a user is told what searches an index of so many rows. */
export function describeGraph({ name, rows, unreached, axes }: CoveringGraph, total: number): string {
  const along = axes === undefined ? "" : ` along ${axes.width} axes`;
  const listed = unreached.count > 0 ? ` (${formatCount(unreached.count)} of them one by one)` : "";
  const rest = total > rows ? `, exact over ${formatCount(total - rows)}` : "";
  return `${name} over ${formatCount(rows)} rows${along}${listed}${rest}`;
}

/** Queries in one call of the library, which blocks. */
const queriesPerCall = 256;
/** Candidates per query at least: exact scores correct the order that the graph's rounding gives them. */
const leastWidth = 32;
/** Beyond this many candidates, a scan of all rows is no slower. */
const widest = 8192;

/** The k best rows of each query. */
export async function searchGraph(
  generation: Generation,
  reader: VectorReader,
  covering: CoveringGraph,
  scan: Scan,
): Promise<BestRows> {
  const { queries, k, signal, onProgress } = scan;
  const { dimension, extent } = generation;
  const count = queries.length / dimension;
  const best: BestRows = { rows: new Int32Array(count * k).fill(-1), scores: new Float64Array(count * k) };
  for (let first = 0; first < count; first += queriesPerCall) {
    if (signal?.aborted) throw new InterruptedError("the search was stopped", { cause: signal.reason });
    const part = queries.subarray(first * dimension, (first + queriesPerCall) * dimension);
    const found = await searchPart(generation, reader, covering, part, k);
    best.rows.set(found.rows, first * k);
    best.scores.set(found.scores, first * k);
    onProgress?.(Math.min(first + queriesPerCall, count), count);
    await new Promise(setImmediate);
  }
  const listed = await covering.unreached.rank(queries, k);
  const found = listed === undefined ? best : merge(best, listed, k);
  if (extent.rows === covering.rows) return found;
  const scanned = { queries, k, from: covering.rows, to: extent.rows, signal };
  return merge(found, await scanRows(generation, reader, scanned), k);
}

/** Asks for more candidates where deleted rows take the places of others. */
async function searchPart(
  generation: Generation,
  reader: VectorReader,
  { graph, rows, unreached }: CoveringGraph,
  queries: Float32Array,
  k: number,
): Promise<BestRows> {
  const { deleted } = generation;
  let gone = 0;
  for (const row of deleted) if (row < rows) gone++;
  // Listed rows come from their list, and must not appear twice.
  const isHidden = (row: number): boolean => deleted.has(row) || unreached.has(row);
  const margin = Math.max(leastWidth, 2 * k);
  const wanted = Math.min(margin, rows - gone);
  for (let width = Math.min(rows, margin); ; width = Math.min(rows, width * 4)) {
    const candidates = await graph.search(queries, width);
    if (gone === 0 || fewestLeft(candidates, deleted) >= wanted) {
      return rankCandidates(generation, queries, candidates, k, isHidden);
    }
    if (width === rows || width >= widest) {
      return scanRows(generation, reader, {
        queries,
        k,
        from: 0,
        to: rows,
        isHidden: (row) => unreached.has(row),
      });
    }
  }
}

/** The number of candidates that are not deleted, for the query with the fewest. */
function fewestLeft({ rows, width }: Candidates, deleted: ReadonlySet<number>): number {
  let fewest = width;
  for (let start = 0; start < rows.length; start += width) {
    const left = rows.subarray(start, start + width).filter((row) => row >= 0 && !deleted.has(row));
    fewest = Math.min(fewest, left.length);
  }
  return fewest;
}

/** The k best of both, per query. */
function merge(left: BestRows, right: BestRows, k: number): BestRows {
  const merged: BestRows = {
    rows: new Int32Array(left.rows.length).fill(-1),
    scores: new Float64Array(left.rows.length),
  };
  for (let start = 0; start < left.rows.length; start += k) {
    let a = start;
    let b = start;
    for (let place = start; place < start + k; place++) {
      const takesLeft = right.rows[b] < 0 || (left.rows[a] >= 0 && left.scores[a] >= right.scores[b]);
      const [from, at] = takesLeft ? [left, a++] : [right, b++];
      merged.rows[place] = from.rows[at];
      merged.scores[place] = from.scores[at];
    }
  }
  return merged;
}
