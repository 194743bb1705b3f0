/** Graphs along principal axes find what an exact search finds and grow with new rows. */
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { VectorIndexError } from "../../../src/errors.js";
import { createRandom } from "../../../src/random.js";
import { exactNeighbours } from "../../../src/search/exact.js";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { unitRows } from "../../../src/search/vectors.js";

const root = mkdtempSync(join(tmpdir(), "pearl-graphs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dimension = 96;
const rows = 3000;
const options = { dimension, backend: "hnsw" } as const;

/** Rows whose first or last third is strong, and the rest weak: most of each row lies in 32 directions. */
function rowsOf(count: number, seed: number, strong: "first" | "last" = "first"): Float32Array {
  const random = createRandom(seed);
  const isStrong = (index: number): boolean => (strong === "first" ? index < 32 : index >= 64);
  const values = Float32Array.from(
    { length: count * dimension },
    (_, place) => (random() - 0.5) * (isStrong(place % dimension) ? 1 : 0.15),
  );
  return unitRows(values, dimension);
}

/** Queries near rows of the index, like misspelt phrases. */
function nearTo(vectors: Float32Array, count: number): Float32Array {
  const random = createRandom(99);
  return unitRows(
    vectors.slice(0, count * dimension).map((value) => value + 0.15 * (random() - 0.5)),
    dimension,
  );
}

const cellsOf = (count: number): string[][] => Array.from({ length: count }, () => []);
const batchOf = (vectors: Float32Array) => ({ vectors, cells: cellsOf(vectors.length / dimension) });
const graphsIn = (path: string): string[] =>
  readdirSync(join(path, "generation-1"))
    .filter((name) => name.startsWith("hnsw"))
    .sort();

/** Fraction of queries whose first hit is that of an exact search. Every score must be that of the stored vectors. */
async function recall(index: VectorIndex, queries: Float32Array, vectors: Float32Array): Promise<number> {
  const exact = await exactNeighbours(queries, vectors, { dimension, metric: "inner-product" });
  const found = await index.search(queries, { k: 5 });
  const right = found.filter(([hit], query) => Number(hit.key) - 1 === exact.indices[query]);
  found.forEach(([hit], query) => {
    if (Number(hit.key) - 1 === exact.indices[query]) expect(hit.score).toBeCloseTo(exact.scores[query], 5);
    else expect(hit.score).toBeLessThan(exact.scores[query]);
  });
  return right.length / found.length;
}

describe("an index whose vectors lie in few directions", () => {
  const vectors = rowsOf(rows, 1);

  it("has a graph over 32 axes that finds the rows of an exact search, before and after opening again", async () => {
    const path = join(root, "few");
    const index = await VectorIndex.build(path, [batchOf(vectors)], options);
    expect(graphsIn(path)).toEqual([
      "hnsw-3000-32axes",
      "hnsw-3000-32axes.axes",
      "hnsw-3000-32axes.unreached",
    ]);
    const queries = nearTo(vectors, 300);
    expect(await recall(index, queries, vectors)).toBeGreaterThan(0.99);
    await index.close();
    const again = await VectorIndex.open(path);
    expect(await recall(again, queries, vectors)).toBeGreaterThan(0.99);
    expect((await again.describe()).searchedBy).toMatch(/^hnsw over 3,000 rows along 32 axes/);
    await again.close();
  });

  it("grows along its axes with rows of the same kind, and gets new axes with rows of another kind", async () => {
    const path = join(root, "grown");
    const few = vectors.slice(0, 500 * dimension);
    const index = await VectorIndex.build(path, [batchOf(few)], options);
    const more = rowsOf(5000, 2);
    await index.add(batchOf(more));
    await index.optimise();
    expect(graphsIn(path)[0]).toBe("hnsw-5500-32axes");
    expect(graphsIn(path)).toHaveLength(3);
    const both = Float32Array.from([...few, ...more]);
    expect(await recall(index, nearTo(more, 200), both)).toBeGreaterThan(0.98);
    const others = rowsOf(5000, 3, "last");
    await index.add(batchOf(others));
    await index.optimise();
    // Two kinds of rows with 32 directions each: 57 axes or fewer cannot keep enough of both.
    expect(graphsIn(path)).toEqual(["hnsw-10500", "hnsw-10500.unreached"]);
    const all = Float32Array.from([...both, ...others]);
    expect(await recall(index, nearTo(others, 200), all)).toBeGreaterThan(0.98);
    expect(await recall(index, nearTo(more, 200), all)).toBeGreaterThan(0.98);
    await index.close();
  });

  it("is searched exactly if only axes were written before a kill, and refuses damaged axes", async () => {
    const path = join(root, "killed");
    await (await VectorIndex.create(path, options)).close();
    const graph = join(path, "generation-1", "hnsw-3000-32axes");
    const index = await VectorIndex.open(path);
    await index.add(batchOf(vectors));
    writeFileSync(`${graph}.axes`, Buffer.alloc(4 * 32 * dimension));
    expect((await index.describe()).searchedBy).toBe("exact");
    expect(await recall(index, nearTo(vectors, 50), vectors)).toBe(1);
    await index.optimise();
    expect(existsSync(graph)).toBe(true);
    await index.close();
    truncateSync(`${graph}.axes`, 400);
    await expect(VectorIndex.open(path)).rejects.toThrow(VectorIndexError);
    await expect(VectorIndex.open(path)).rejects.toThrow(/axes is damaged.*check \S+ --repair/);
    // The cure that the message names.
    await VectorIndex.rebuildGraph(path);
    const cured = await VectorIndex.open(path);
    expect(await recall(cured, nearTo(vectors, 50), vectors)).toBe(1);
    await cured.close();
  });
});

describe("an index of inner products", () => {
  it("has a graph over whole vectors: axes would lose lengths", async () => {
    const path = join(root, "products");
    const long = rowsOf(1000, 4).map((value, place) => value * (1 + (Math.floor(place / dimension) % 5)));
    const index = await VectorIndex.build(path, [batchOf(long)], { ...options, metric: "inner-product" });
    expect(graphsIn(path)[0]).toBe("hnsw-1000");
    expect(await recall(index, nearTo(long, 100), long)).toBeGreaterThan(0.95);
    await index.close();
  });
});
