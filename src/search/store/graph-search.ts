/** Searches a graph for candidates, compares them exactly, and adds the rows that the graph does not cover. */
import { formatCount } from "../../files/count-text.js";
import type { IndexWork } from "../index-types.js";
import type { PrincipalAxes } from "../principal-axes.js";
import { dotRows, gatherRows, isZero } from "../vectors.js";
import type { Generation } from "./generation.js";
import { bestOf, type FoundRow, most, type Query, rankBlocks, rankCandidates, scanRows } from "./row-scan.js";
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
  const { queries, k, only, signal, onProgress } = query;
  const { dimension, rows } = generation;
  const count = queries.length / dimension;
  const found: FoundRow[][] = [];
  for (let first = 0; first < count; first += queriesPerCall) {
    signal?.throwIfAborted();
    const part = queries.subarray(first * dimension, (first + queriesPerCall) * dimension);
    found.push(...(await searchPart(generation, covering, { queries: part, k, only })));
    onProgress?.(found.length, count);
    await new Promise(setImmediate);
  }
  const others: FoundRow[][][] = [];
  const rest = { queries, k, only, signal };
  if (covering.unreached.rows.length > 0) others.push(await covering.unreached.rank(rest));
  if (rows > covering.rows) others.push(await scanRows(generation, rest, { from: covering.rows, to: rows }));
  return others.reduce(
    (best, more) => best.map((hits, place) => bestOf([...hits, ...more[place]], k)),
    found,
  );
}

/** Requests more candidates where rows that are left out take the places of others. */
async function searchPart(
  generation: Generation,
  { search, rows, unreached }: CoveringGraph,
  { queries, k, only }: Query,
): Promise<FoundRow[][]> {
  const isOut = generation.leftOut(only);
  let counted = 0;
  for (const row of only ?? generation.deleted) if (row < rows) counted++;
  const searched = only === undefined ? rows - counted : counted;
  const { members } = unreached;
  const margin = Math.max(leastWidth, 2 * k);
  const wanted = Math.min(margin, searched);
  const { dimension } = generation;
  const found: FoundRow[][] = [];
  let open = Array.from({ length: queries.length / dimension }, (_, query) => query);
  // Of so many candidates, enough are expected to meet the condition.
  const first = Math.ceil((margin * rows) / Math.max(1, searched));
  for (let width = Math.min(rows, widest, first); open.length > 0; width = Math.min(rows, width * 4)) {
    const some = gatherRows(queries, open, dimension);
    const isLast = width === rows || width >= widest;
    const candidates = await search(some, width);
    const lacksRows = (at: number): boolean =>
      searched < rows &&
      candidates.subarray(at * width, (at + 1) * width).filter((row) => row >= 0 && !isOut(row)).length <
        wanted;
    // Listed rows come from their list, and must not appear twice.
    const ranked = rankCandidates(generation, some, candidates, k, (row) => isOut(row) || members.has(row));
    const lacking = [...open.keys()].filter(lacksRows);
    for (const [at, query] of open.entries()) found[query] = ranked[at];
    open = lacking.map((at) => open[at]);
    if (!isLast || open.length === 0) continue;
    const rest = gatherRows(queries, open, dimension);
    const range = { from: 0, to: rows, isHidden: (row: number): boolean => members.has(row) };
    const scanned = await scanRows(generation, { queries: rest, k, only }, range);
    for (const [at, query] of open.entries()) found[query] = scanned[at];
    break;
  }
  return found;
}

/** Candidates among which a row must find itself. */
const checkWidth = 16;
const rowsPerCheck = 256;

/** A list of rows with their vectors, which the first search reads. */
export class ListedRows {
  readonly members: ReadonlySet<number>;
  private vectors: Float32Array | undefined;

  constructor(
    private readonly generation: Generation,
    readonly rows: Int32Array,
  ) {
    this.members = new Set(rows);
  }

  async rank(query: Query): Promise<FoundRow[][]> {
    const { rows, generation } = this;
    const isOut = generation.leftOut(query.only);
    this.vectors ??= await readListed(generation, rows);
    const bounded = { ...query, k: most(query.k, rows.length) };
    const isHidden = (place: number): boolean => isOut(rows[place]);
    const found = await rankBlocks([[0, this.vectors]], bounded, generation.dimension, isHidden);
    return found.map((places) => places.map(({ row, score }) => ({ row: rows[row], score })));
  }
}

/** Vectors of rows in the list's order; consecutive rows in one read. */
async function readListed(generation: Generation, rows: Int32Array): Promise<Float32Array> {
  const { dimension } = generation;
  const count = rows.length;
  if (rows[count - 1] - rows[0] === count - 1) return generation.readVectors(rows[0], count);
  const vectors = new Float32Array(count * dimension);
  for (let place = 0; place < count; place++) {
    vectors.set(await generation.readVectors(rows[place], 1), place * dimension);
  }
  return vectors;
}

/** A search of a graph for the nearest rows of some vectors: [vectors, width], -1 where it finds fewer. */
export type GraphSearch = (vectors: Float32Array, width: number) => Promise<Int32Array>;

/**
 * The rows from `first` on that a graph does not find from their own vectors.
 * @param searches the same graph with growing efforts: each searches for the rows that the earlier ones miss
 */
export async function findUnreached(
  generation: Generation,
  searches: readonly GraphSearch[],
  first: number,
  { signal, onProgress }: IndexWork,
): Promise<Int32Array> {
  const missing = generation.rows - first;
  let unreached = Int32Array.from({ length: missing }, (_, place) => first + place);
  for (const search of searches) {
    const left: number[] = [];
    for (let start = 0; start < unreached.length; start += rowsPerCheck) {
      signal?.throwIfAborted();
      const rows = unreached.subarray(start, start + rowsPerCheck);
      left.push(...(await notFound(generation, search, rows)));
      onProgress?.(missing - unreached.length + start + rows.length, missing);
      await new Promise(setImmediate);
    }
    unreached = Int32Array.from(left);
  }
  return unreached;
}

/** Those of some ascending rows that a search for their own vectors does not return. */
async function notFound(generation: Generation, search: GraphSearch, rows: Int32Array): Promise<Int32Array> {
  const { dimension } = generation;
  const vectors = await readListed(generation, rows);
  const width = Math.min(checkWidth, generation.rows);
  const candidates = await search(vectors, width);
  return rows.filter((row, place) => {
    const found = candidates.subarray(place * width, (place + 1) * width);
    if (found.includes(row) || isZero(vectors, place, dimension)) return false;
    const vector = vectors.subarray(place * dimension, (place + 1) * dimension);
    // An equal vector in its place is as good.
    const [[best]] = rankCandidates(generation, vector, found, 1);
    return best === undefined || best.score < dotRows(vector, 0, vector, 0, dimension) - 1e-5;
  });
}
