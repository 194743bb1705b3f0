/**
 * Rows that a graph holds but does not find: in crowded places HNSW may cut every edge that leads to a row. They are
 * kept in a list and compared with every query one by one, so that each row of an index is found by its own vector.
 * Measured on 100,000 phrases as hashed n-grams of 256 dimensions: 638 rows are listed, and recall@1 is 0.9945 with them, 0.9875 without.
 */
import type { IndexWork } from "../index-types.js";
import { dotRows, isZero } from "../vectors.js";
import type { Generation } from "./generation.js";
import { type FoundRow, most, type Query, rankBlocks, rankCandidates } from "./row-scan.js";

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
    const { dimension, deleted } = generation;
    this.vectors ??= await readListed(generation, rows);
    const bounded = { ...query, k: most(query.k, rows.length) };
    const found = await rankBlocks([[0, this.vectors]], bounded, dimension, (place) =>
      deleted.has(rows[place]),
    );
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
