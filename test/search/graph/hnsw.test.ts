/** What the graph tells of its candidates is near enough to the truth to leave distant ones out by it. */
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { hnswLibrary } from "../../../src/search/graph/hnsw.js";
import { dotRows, unitRows } from "../../../src/search/vectors.js";

const hnsw = hnswLibrary();
const dimension = 64;
const random = createRandom(8);
const vectors = unitRows(
  Float32Array.from({ length: 500 * dimension }, () => random() - 0.5),
  dimension,
);

describe("candidates of hnsw", () => {
  it("come with cosines at most a tenth below the true ones, as 8 bits cut them off, the greatest first", async () => {
    const graph = hnsw.create({ dimension, metric: "cosine" });
    await graph.add(0, vectors);
    const queries = vectors.slice(0, 20 * dimension);
    const { rows, width, cosines } = await graph.search(queries, 12);
    rows.forEach((row, place) => {
      const exact = dotRows(queries, Math.floor(place / width), vectors, row, dimension);
      expect(cosines![place]).toBeGreaterThan(exact - 0.1);
      expect(cosines![place]).toBeLessThan(exact + 0.02);
      if (place % width > 0) expect(cosines![place]).toBeLessThanOrEqual(cosines![place - 1]);
    });
  });

  it("come without cosines where lengths count", async () => {
    const graph = hnsw.create({ dimension, metric: "inner-product" });
    await graph.add(0, vectors);
    expect((await graph.search(vectors.slice(0, dimension), 3)).cosines).toBeUndefined();
  });
});
