/** Hierarchical navigable small worlds (Malkov and Yashunin 2016) by usearch, memory-mapped when searched. */
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type { BatchMatches, Index } from "usearch";
import { MissingDataError, messageOf } from "../../errors.js";
import type { IndexMetric } from "../index-types.js";
import { gatherRows, isZero } from "../vectors.js";

type Usearch = typeof import("usearch");

/** A graph that gives candidates for queries. */
export type NeighbourGraph = ReturnType<typeof graphOf>;

export interface GraphSettings {
  readonly dimension: number;
  readonly metric: IndexMetric;
}

/**
 * Edges per row; twice as many on the lowest layer. On 100,000 rows of high intrinsic dimension, 32 took twice as long to
 * build and found no more neighbours at equal speed; neither did 512 signs (Hamming distance) instead of 8-bit numbers.
 */
const connectivity = 16;
const expansionAdd = 128;
/** Rows visited in a search: at half a million rows of high intrinsic dimension, 128 found 3 % fewer neighbours. */
const expansionSearch = 256;
/**
 * The same along principal axes: on half a million rows of an earlier pearl-mini, 128 found 98.6 % of the nearest rows
 * (five sets of 2,000 queries, 98.1 to 99.0 %); 160 found 98.8 % in a sixth more time.
 */
export const effortAlongAxes = 128;
/**
 * Efforts, ascending, at which a new graph must find each row by its own vector. At most a search's, also along axes: a search
 * finds whatever is found with these.
 */
export const checkedEfforts = [expansionSearch / 8, expansionSearch / 2];

/**
 * The graph stores rows as 8-bit numbers, which makes it half as large and twice as fast as with float16. Comparing more
 * candidates than requested with the stored vectors restores the precision. The 8 bits keep angles only, so inner
 * products of vectors of any length use float16.
 */
function create(usearch: Usearch, { dimension, metric }: GraphSettings, effort = expansionSearch): Index {
  return new usearch.Index({
    dimensions: dimension,
    metric: usearch.MetricKind.IP,
    quantization: metric === "cosine" ? usearch.ScalarKind.I8 : usearch.ScalarKind.F16,
    connectivity,
    expansion_add: expansionAdd,
    expansion_search: effort,
    multi: false,
  });
}

const absent = 0xffff_ffff_ffff_ffffn;

function graphOf(index: Index, dimension: number) {
  const threads = availableParallelism();
  return {
    /**
     * The nearest rows of each query, as far as an approximate search finds them.
     *
     * @param queries rows of the graph's dimension, flat; few at a time, since the call blocks
     * @param width how many rows per query
     * @returns row numbers, [queries, width], best first, padded with -1
     */
    search(queries: Float32Array, width: number): Int32Array {
      const count = queries.length / dimension;
      const found = index.search(queries, width, threads);
      const rows = new Int32Array(count * width).fill(-1);
      for (let place = 0; place < found.keys.length; place++) {
        const key = found.keys[place];
        if (key !== absent) rows[place] = Number(key);
      }
      // Where a query has fewer neighbours than requested, the rest of its places is undefined.
      if ("counts" in found) {
        const { counts } = found as BatchMatches;
        for (let query = 0; query < count; query++) {
          rows.fill(-1, query * width + Number(counts[query]), (query + 1) * width);
        }
      }
      return rows;
    },
    /** Adds the vectors of the rows from `first` on, which must be the next. Not for a graph opened for searching. */
    add(first: number, vectors: Float32Array): void {
      const places = Array.from({ length: vectors.length / dimension }, (_, place) => place);
      // A zero vector has no neighbours, and many of them would be reachable only through one another.
      const kept = places.filter((place) => !isZero(vectors, place, dimension));
      if (kept.length === 0) return;
      const keys = BigUint64Array.from(kept, (place) => BigInt(first + place));
      index.add(keys, gatherRows(vectors, kept, dimension), threads);
    },
    save: (path: string): void => index.save(path),
  };
}

/**
 * Graphs by usearch.
 * @throws MissingDataError where usearch has no build for this platform
 */
export function hnswLibrary() {
  const usearch = loadUsearch();
  return {
    create: (settings: GraphSettings) => graphOf(create(usearch, settings), settings.dimension),
    /** A graph from its file, memory-mapped, for searching. @param effort rows visited in a search */
    open(path: string, settings: GraphSettings, effort?: number) {
      const index = create(usearch, settings, effort);
      index.view(path);
      return graphOf(index, settings.dimension);
    },
    /** A graph from its file, for adding rows. */
    load(path: string, settings: GraphSettings) {
      const index = create(usearch, settings);
      index.load(path);
      return graphOf(index, settings.dimension);
    },
  };
}

function loadUsearch(): Usearch {
  try {
    // Required, not imported: its ES module takes twice as long to load, a third of the time to open an index.
    return createRequire(import.meta.url)("usearch") as Usearch;
  } catch (error) {
    const [reason] = messageOf(error).split("\n", 1);
    throw new MissingDataError(
      `the backend hnsw needs the package usearch, which has no build for ${process.platform}-${process.arch} or is ` +
        `not installed (${reason}). The backend exact searches the same rows without it.`,
      { cause: error },
    );
  }
}
