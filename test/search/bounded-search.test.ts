/** Bounded search against exact search, on rows whose axes tell much, little and nothing. */
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { boundRows, nearestBounded } from "../../src/search/bounded-search.js";
import { exactNeighbours } from "../../src/search/exact.js";

const dimension = 96;
const k = 4;

/** Rows near a plane of so many dimensions, of many lengths; the first is zero, and the second repeats the third. */
function rowsNear(count: number, spread: number, noise: number, seed: number): Float32Array {
  const random = createRandom(7);
  const axes = Float32Array.from({ length: spread * dimension }, () => random() - 0.5);
  const own = createRandom(seed);
  const rows = new Float32Array(count * dimension);
  for (let row = 1; row < count; row++) {
    const place = Array.from({ length: spread }, () => own() - 0.5);
    const length = 0.5 + own();
    for (let at = 0; at < dimension; at++) {
      const along = place.reduce((sum, value, axis) => sum + value * axes[axis * dimension + at], 0);
      rows[row * dimension + at] = length * (along + noise * (own() - 0.5));
    }
  }
  rows.copyWithin(dimension, 2 * dimension, 3 * dimension);
  return rows;
}

describe("bounded search", () => {
  it.each([
    ["few axes", 12, 0.01],
    ["exactly the axes", 12, 0],
    ["more axes than are compared", 64, 0.05],
    ["no axes", 1, 5],
  ])("finds what exact search finds where rows lie along %s", async (_, spread, noise) => {
    const candidates = rowsNear(1500, spread, noise, 1);
    const queries = rowsNear(300, spread, noise, 2);
    const found = await nearestBounded(queries, await boundRows(candidates, dimension), { k });
    const exact = await exactNeighbours(queries, candidates, { dimension, k, metric: "inner-product" });
    expect(found.indices.subarray(k)).toEqual(exact.indices.subarray(k));
    exact.scores.forEach((score, place) => expect(found.scores[place]).toBeCloseTo(score, 4));
  });

  it("gives a query of zeros the first candidates, and fewer than k where there are fewer", async () => {
    const queries = new Float32Array(dimension);
    const three = await boundRows(rowsNear(3, 12, 0.1, 3), dimension);
    expect([...(await nearestBounded(queries, three, { k })).indices]).toEqual([0, 1, 2, -1]);
  });

  it("stops with the reason of an aborted signal", async () => {
    const rows = rowsNear(50, 12, 0.1, 4);
    const run = nearestBounded(rows, await boundRows(rows, dimension), {
      k,
      signal: AbortSignal.abort(new Error("enough")),
    });
    await expect(run).rejects.toThrow("enough");
  });
});
