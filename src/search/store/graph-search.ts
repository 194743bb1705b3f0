/** Searches a graph for candidates, compares them exactly, and adds the rows that the graph does not cover. */
import { formatCount } from "../../files/count-text.js";
import type { PrincipalAxes } from "../principal-axes.js";
import type { Generation } from "./generation.js";
import type { GraphSearch, ListedRows } from "./listed-rows.js";
import { bestOf, type FoundRow, type Query, rankCandidates, scanRows } from "./row-scan.js";
import type { WordLists } from "./word-lists.js";

/** A graph over the rows below `rows`. */
export interface CoveringGraph {
  readonly rows: number;
  readonly search: GraphSearch;
  /** The axes onto which the graph projects its vectors; absent where it holds them whole. */
  readonly axes?: PrincipalAxes;
  /** Rows that no path through the graph reaches: they are compared one by one. */
  readonly unreached: ListedRows;
  /** The rows by words; absent where rows are no phrases. */
  readonly words?: WordLists;
}

export function describeGraph({ rows, unreached, axes }: CoveringGraph, total: number): string {
  const along = axes === undefined ? "" : ` along ${axes.width} axes`;
  const listed = unreached.rows.length;
  const oneByOne = listed > 0 ? ` (${formatCount(listed)} of them one by one)` : "";
  const rest = total > rows ? `, exact over ${formatCount(total - rows)}` : "";
  return `hnsw over ${formatCount(rows)} rows${along}${oneByOne}${rest}`;
}

/** Queries in one call of the library, which blocks. */
const queriesPerCall = 256;
/** Candidates per query at least: exact scores correct the order that the graph's rounding gives them. */
const leastWidth = 32;
/** Beyond this many candidates, a scan of all rows is no slower. */
const widest = 8192;

export async function searchGraph(
  generation: Generation,
  covering: CoveringGraph,
  query: Query,
): Promise<FoundRow[][]> {
  const { queries, k, signal, onProgress } = query;
  const { dimension, rows } = generation;
  const count = queries.length / dimension;
  const found: FoundRow[][] = [];
  for (let first = 0; first < count; first += queriesPerCall) {
    signal?.throwIfAborted();
    const part = queries.subarray(first * dimension, (first + queriesPerCall) * dimension);
    found.push(...(await searchPart(generation, covering, { queries: part, k })));
    onProgress?.(found.length, count);
    await new Promise(setImmediate);
  }
  const others: FoundRow[][][] = [];
  if (covering.unreached.rows.length > 0) others.push(await covering.unreached.rank({ queries, k, signal }));
  if (rows > covering.rows) {
    others.push(await scanRows(generation, { queries, k, signal }, { from: covering.rows, to: rows }));
  }
  return others.reduce(
    (best, more) => best.map((hits, place) => bestOf([...hits, ...more[place]], k)),
    found,
  );
}

/** Requests more candidates where deleted rows take the places of others. */
async function searchPart(
  generation: Generation,
  { search, rows, unreached }: CoveringGraph,
  { queries, k }: Query,
): Promise<FoundRow[][]> {
  const { deleted } = generation;
  let gone = 0;
  for (const row of deleted) if (row < rows) gone++;
  const { members } = unreached;
  const margin = Math.max(leastWidth, 2 * k);
  const wanted = Math.min(margin, rows - gone);
  for (let width = Math.min(rows, margin); ; width = Math.min(rows, width * 4)) {
    const candidates = await search(queries, width);
    const isEnough = (start: number): boolean => {
      const some = candidates.subarray(start, start + width);
      return some.filter((row) => row >= 0 && !deleted.has(row)).length >= wanted;
    };
    const starts = Array.from({ length: candidates.length / width }, (_, query) => query * width);
    if (gone === 0 || starts.every(isEnough)) {
      // Listed rows come from their list, and must not appear twice.
      const isHidden = (row: number): boolean => deleted.has(row) || members.has(row);
      return rankCandidates(generation, queries, candidates, k, isHidden);
    }
    if (width === rows || width >= widest) {
      return scanRows(generation, { queries, k }, { from: 0, to: rows, isHidden: (row) => members.has(row) });
    }
  }
}
