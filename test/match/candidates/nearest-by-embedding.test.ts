import { describe, expect, it } from "vitest";
import { nearestByEmbedding } from "../../../src/match/candidates/nearest-by-embedding.js";
import { createRandom } from "../../../src/random.js";
import { dotRows, unitRows } from "../../../src/search/vectors.js";

const dimension = 16;
const random = createRandom(9);
const vectors = (rows: number): Float32Array =>
  unitRows(
    Float32Array.from({ length: rows * dimension }, () => random() - 0.5),
    dimension,
  );
const column = { base: { vectors: vectors(300) }, queries: { vectors: vectors(80) }, dimension };
const queries = Uint32Array.from({ length: 60 }, (_, place) => 79 - place);

/** The nearest accepted rows by comparing with every row. */
function nearest(query: number, k: number, accept: (row: number) => boolean = () => true): number[] {
  const score = (row: number): number =>
    dotRows(column.queries.vectors, query, column.base.vectors, row, dimension);
  return Array.from({ length: 300 }, (_, row) => row)
    .filter(accept)
    .sort((a, b) => score(b) - score(a))
    .slice(0, k);
}

describe("nearestByEmbedding", () => {
  it("finds the same rows as comparing with every row", async () => {
    const { k, rows } = await nearestByEmbedding(column, queries, { k: 4 });
    queries.forEach((query, place) => {
      expect([...rows.subarray(place * k, (place + 1) * k)]).toEqual(nearest(query, 4));
    });
  });

  it("finds nearly the same rows in the nearest IVF lists for large tables", async () => {
    const { k, rows } = await nearestByEmbedding(column, queries, { k: 4, manyPairs: 1000 });
    let found = 0;
    queries.forEach((query, place) => {
      const near = new Set(rows.subarray(place * k, (place + 1) * k));
      found += nearest(query, 4).filter((row) => near.has(row)).length;
    });
    // Random vectors do not form clusters: the hardest case.
    expect(found / (4 * queries.length)).toBeGreaterThan(0.9);
  });

  it("makes IVF lists again where the call that made them was aborted", async () => {
    const large = { ...column, base: { vectors: vectors(300) } };
    const stop = new AbortController();
    const aborted = nearestByEmbedding(large, queries, { k: 4, manyPairs: 0, signal: stop.signal });
    const waiting = nearestByEmbedding(large, queries, { k: 4, manyPairs: 0 });
    stop.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect((await waiting).rows).toHaveLength(240);
    expect(await nearestByEmbedding(large, queries, { k: 4, manyPairs: 0 })).toEqual(await waiting);
  });

  it("finds nothing without vectors", async () => {
    const bare = { ...column, base: {} };
    expect(await nearestByEmbedding(bare, queries, { k: 4 })).toEqual({ k: 0, rows: new Int32Array(0) });
  });

  it("finds the same rows of a query whatever else is asked for, also where rows are nearly equal", async () => {
    // Near-copies whose inner products with a query differ in the last bits alone.
    const wide = 600;
    const some = Float32Array.from({ length: 40 * wide }, () => random() - 0.5);
    const rows = Float32Array.from({ length: 60 * wide }, (_, at) => {
      const value = some[at % (6 * wide)];
      return Math.fround(value * (1 + 1e-7 * Math.floor(random() * 3)));
    });
    const base = { vectors: unitRows(rows, wide) };
    const pair = { base, queries: { vectors: unitRows(some, wide) }, dimension: wide };
    for (const manyPairs of [1e9, 0]) {
      const all = Uint32Array.from({ length: 40 }, (_, row) => row);
      const options = { k: 5, manyPairs, total: 40 };
      const whole = await nearestByEmbedding(pair, all, options);
      for (const size of [1, 3, 7, 13])
        for (let from = 0; from < 40; from += size) {
          const part = await nearestByEmbedding(pair, all.slice(from, from + size), options);
          expect(part.rows).toEqual(whole.rows.slice(from * 5, (from + size) * 5));
        }
    }
  });
});
