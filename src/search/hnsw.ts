/** Hierarchical navigable small worlds (Malkov and Yashunin 2016) by usearch, memory-mapped when searched. */
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type { BatchMatches, Index } from "usearch";
import type { GraphLibrary, GraphSettings, NeighbourGraph } from "./neighbour-graph.js";
import { orderNodes } from "./node-order.js";

// Required, not imported: its module for import takes twice the time to load, a third of what opening an index takes.
const usearch = createRequire(import.meta.url)("usearch") as typeof import("usearch");

/**
 * Edges per row; twice as many on the lowest layer. On 100,000 rows of high intrinsic dimension 32 took twice as long to
 * build and found no more neighbours at equal speed; nor did 512 signs (Hamming distance) instead of 8-bit numbers.
 */
const connectivity = 16;
/** Rows looked at while a row is added. */
const expansionAdd = 128;
/** Rows looked at while searching: at half a million rows of high intrinsic dimension, 128 found 3 % fewer neighbours. */
const expansionSearch = 256;
/**
 * The same along axes: of half a million rows of an earlier pearl-mini's 128 found 98.6 % of the nearest (five sets of
 * 2,000 queries, 98.1 to 99.0 %), 160 found 98.8 % in a sixth more time.
 */
const effortAlongAxes = 128;

/**
 * Rows lie in the graph as 8-bit numbers, which makes it half as large and twice as fast as with float16; what is
 * lost is made good by comparing more candidates than were asked for with the stored vectors. The 8 bits keep angles
 * only, so for inner products of vectors of any length float16 is taken.
 */
function create({ dimension, metric }: GraphSettings, effort = expansionSearch): Index {
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

/** A vector of length 1 in 8-bit numbers has this length. */
const smallLength = 127;

const absent = 0xffff_ffff_ffff_ffffn;

function graphOf(index: Index, { dimension, metric }: GraphSettings): NeighbourGraph {
  const threads = availableParallelism();
  return {
    async search(queries, width) {
      const count = queries.length / dimension;
      const found = index.search(queries, width, threads);
      const rows = new Int32Array(count * width).fill(-1);
      for (let place = 0; place < found.keys.length; place++) {
        const key = found.keys[place];
        if (key !== absent) rows[place] = Number(key);
      }
      // Where a query has fewer neighbours than asked for, the rest of its places holds nothing of meaning.
      if ("counts" in found) {
        const { counts } = found as BatchMatches;
        for (let query = 0; query < count; query++) {
          rows.fill(-1, query * width + Number(counts[query]), (query + 1) * width);
        }
      }
      if (metric !== "cosine") return { rows, width };
      const cosines = new Float32Array(rows.length);
      found.distances.forEach((distance, place) => {
        cosines[place] = (1 - distance) / smallLength ** 2;
      });
      return { rows, width, cosines };
    },
    async add(first, vectors) {
      const keys: bigint[] = [];
      const kept = new Float32Array(vectors.length);
      for (let start = 0; start < vectors.length; start += dimension) {
        const vector = vectors.subarray(start, start + dimension);
        // A zero vector is nobody's neighbour, and many of them would be one another's only way in.
        if (vector.every((value) => value === 0)) continue;
        kept.set(vector, keys.length * dimension);
        keys.push(BigInt(first + start / dimension));
      }
      if (keys.length === 0) return;
      index.add(BigUint64Array.from(keys), kept.subarray(0, keys.length * dimension), threads);
    },
    save(path) {
      index.save(path);
      orderNodes(path);
    },
  };
}

/** usearch as a graph library. */
export const hnsw: GraphLibrary = {
  name: "hnsw",
  rowsPerCall: 256,
  // At most a search's effort, along axes too: what is found so is found by a search.
  checkEfforts: [expansionSearch / 8, expansionSearch / 2],
  effortAlongAxes,
  create: (settings) => graphOf(create(settings), settings),
  open(path, settings, effort) {
    const index = create(settings, effort);
    index.view(path);
    return graphOf(index, settings);
  },
  load(path, settings) {
    const index = create(settings);
    index.load(path);
    return graphOf(index, settings);
  },
};
