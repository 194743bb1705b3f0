/** Exact search against a plain loop in double precision. */
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { type ExactSearchOptions, exactNeighbours } from "../../src/search/exact.js";

function randomRows(count: number, dimension: number, seed: number): Float32Array {
  const random = createRandom(seed);
  return Float32Array.from({ length: count * dimension }, () => random() - 0.5);
}

/** The score matrix, summed in double precision. */
function allScores(
  queries: Float32Array,
  candidates: Float32Array,
  { dimension, metric = "cosine" }: ExactSearchOptions,
): number[][] {
  const rowsOf = (flat: Float32Array): number[][] =>
    Array.from({ length: flat.length / dimension }, (_, row) => {
      const values = [...flat.slice(row * dimension, (row + 1) * dimension)];
      const length = metric === "cosine" ? Math.hypot(...values) || 1 : 1;
      return values.map((value) => value / length);
    });
  const right = rowsOf(candidates);
  return rowsOf(queries).map((a) =>
    right.map((b) => a.reduce((sum, value, index) => sum + value * b[index], 0)),
  );
}

describe("exact nearest neighbours", () => {
  it.each(["cosine", "inner-product"] as const)("equal a plain loop by %s", async (metric) => {
    const options = { dimension: 24, metric, k: 5 } as const;
    const queries = randomRows(40, 24, 1);
    const candidates = randomRows(300, 24, 2);
    const ranking = await exactNeighbours(queries, candidates, options);
    allScores(queries, candidates, options).forEach((scores, query) => {
      const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, 5);
      expect([...ranking.indices.slice(query * 5, query * 5 + 5)]).toEqual(best);
      best.forEach((candidate, place) => {
        expect(ranking.scores[query * 5 + place]).toBeCloseTo(scores[candidate], 5);
      });
    });
  });

  it("find the same rows across block borders", async () => {
    const dimension = 4;
    const queries = randomRows(2100, dimension, 3);
    const candidates = randomRows(8300, dimension, 4);
    const copies = new Float32Array(candidates);
    // A copy of each of these queries lies at a border of a block, and must win.
    const borders = [0, 4095, 4096, 8191, 8192, 8299];
    borders.forEach((candidate, place) => {
      const query = place * 400;
      copies.set(queries.subarray(query * dimension, (query + 1) * dimension), candidate * dimension);
    });
    const ranking = await exactNeighbours(queries, copies, { dimension });
    expect(borders.map((_, place) => ranking.indices[place * 400])).toEqual(borders);
  });

  it("put the first of equal candidates first", async () => {
    const queries = Float32Array.of(1, 0, 0, 1);
    const candidates = Float32Array.of(2, 0, 0, 3, 5, 0, 1, 1, 1, 0);
    const ranking = await exactNeighbours(queries, candidates, { dimension: 2, k: 2 });
    expect([...ranking.indices]).toEqual([0, 2, 1, 3]);
  });

  it("count who is above and level with the right answer", async () => {
    const queries = randomRows(30, 8, 5);
    const candidates = randomRows(200, 8, 6);
    candidates.copyWithin(8, 0, 8); // candidate 1 equals candidate 0
    const answers = Array.from({ length: 30 }, (_, query) => (query === 29 ? [] : [query]));
    const ranking = await exactNeighbours(queries, candidates, { dimension: 8, answers });
    allScores(queries, candidates, { dimension: 8 }).forEach((scores, query) => {
      if (query === 29) return;
      expect(ranking.above[query]).toBe(scores.filter((score) => score > scores[query] + 1e-6).length);
      expect(ranking.level[query]).toBe(query <= 1 ? 2 : 1);
    });
  });

  it("give a zero vector the cosine 0 with everything", async () => {
    const ranking = await exactNeighbours(Float32Array.of(0, 0), Float32Array.of(1, 0, -1, 0), {
      dimension: 2,
      k: 2,
    });
    expect([...ranking.scores]).toEqual([0, 0]);
    expect([...ranking.indices]).toEqual([0, 1]);
  });

  it("pad with -1 if there are fewer candidates than neighbours requested", async () => {
    const ranking = await exactNeighbours(Float32Array.of(1), Float32Array.of(1, 2), {
      dimension: 1,
      k: 3,
      metric: "inner-product",
    });
    expect([...ranking.indices]).toEqual([1, 0, -1]);
  });

  it("refuse NaN and incomplete rows", async () => {
    const fine = Float32Array.of(1, 2);
    await expect(exactNeighbours(Float32Array.of(1, Number.NaN), fine, { dimension: 2 })).rejects.toThrow(
      "queries: row 0 holds NaN",
    );
    await expect(exactNeighbours(fine, fine, { dimension: 3 })).rejects.toThrow(
      "not a multiple of the dimension 3",
    );
  });

  it("stop when the signal aborts", async () => {
    const rows = randomRows(10, 4, 7);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(exactNeighbours(rows, rows, { dimension: 4, signal })).rejects.toThrow("enough");
  });
});
