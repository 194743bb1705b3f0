import { describe, expect, it } from "vitest";
import { batchByLength } from "../../src/encoder/batching.js";
import { batchByCost } from "../../src/longest-first.js";

describe("batchByLength", () => {
  const lengths = Array.from({ length: 1000 }, (_, i) => 1 + ((i * 7919) % 40));

  it("puts every row into exactly one batch that is long enough for it", () => {
    const batches = batchByLength(lengths, 300, 64);
    const seen = batches.flatMap(({ rows }) => [...rows]).sort((a, b) => a - b);
    expect(seen).toEqual(lengths.map((_, i) => i));
    for (const { rows, length } of batches) {
      for (const row of rows) expect(lengths[row]).toBeLessThanOrEqual(length);
      expect(rows.length).toBeLessThanOrEqual(64);
      expect(rows.length === 1 || rows.length * length <= 300).toBe(true);
    }
  });

  it("spends under 5 % of its tokens on padding when there are many rows of each length", () => {
    const batches = batchByLength(lengths, 2048);
    const cells = batches.reduce((sum, { rows, length }) => sum + rows.length * length, 0);
    const used = lengths.reduce((sum, length) => sum + length, 0);
    expect(cells / used).toBeLessThan(1.05);
  });

  it("puts a row longer than the budget into its own batch, and makes no batch for no rows", () => {
    expect(batchByLength([5000, 2], 100).map(({ rows }) => [...rows])).toEqual([[0], [1]]);
    expect(batchByLength([], 100)).toEqual([]);
  });
});

describe("batchByCost", () => {
  const lengths = Array.from({ length: 1000 }, (_, i) => 1 + ((i * 7919) % 40));
  const summary = (lengths: number[], costs: Parameters<typeof batchByCost>[1]) =>
    batchByCost(lengths, costs).map(({ rows, length }) => `${rows.length} of ${length}`);

  it("puts every row into exactly one batch that is long enough for it, longest first", () => {
    const batches = batchByCost(lengths, { cells: 300, most: 64, run: 50 });
    const seen = batches.flatMap(({ rows }) => [...rows]);
    expect(seen.map((row) => lengths[row])).toEqual(lengths.toSorted((a, b) => b - a));
    expect(seen.toSorted((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
    for (const { rows, length } of batches) {
      expect(length).toBe(lengths[rows[0]]);
      expect(rows.length).toBeLessThanOrEqual(64);
      expect(rows.length * length).toBeLessThanOrEqual(300);
    }
  });

  it("takes another run where padding costs more than that", () => {
    const mixed = [...Array(10).fill(4), ...Array(3).fill(8), 16];
    // alone: 16 + 24 + 40 cells; the sixteen with the eights: 64; all together: 224
    expect(summary(mixed, { cells: 1000, run: 1 })).toEqual(["1 of 16", "3 of 8", "10 of 4"]);
    expect(summary(mixed, { cells: 1000, run: 30 })).toEqual(["4 of 16", "10 of 4"]);
    expect(summary(mixed, { cells: 1000, run: 200 })).toEqual(["14 of 16"]);
  });

  it("finds the least cost of all ways to cut where the length changes or a batch is full", () => {
    const some = [9, 7, 7, 5, 4, 4, 4, 3, 2, 2, 1];
    for (const costs of [
      { cells: 20, most: 3, run: 6 },
      { cells: 30, most: 9, run: 2 },
      { cells: 12, most: 9, run: 11 },
    ]) {
      const price = (ends: number[]) => {
        let [sum, start] = [0, 0];
        for (const end of ends) {
          const cells = (end - start) * some[start];
          const full = Math.max(1, Math.min(costs.most, Math.floor(costs.cells / some[start])));
          if (end - start > full || (end - start < full && some[end] === some[end - 1]))
            return Number.POSITIVE_INFINITY;
          sum += cells + costs.run;
          start = end;
        }
        return sum;
      };
      const ways = Array.from({ length: 2 ** (some.length - 1) }, (_, way) =>
        some.flatMap((_, i) => (i === some.length - 1 || way & (1 << i) ? [i + 1] : [])),
      );
      const found = batchByCost(some, costs).reduce(
        (sum, { rows, length }) => sum + rows.length * length + costs.run,
        0,
      );
      expect(found).toBe(Math.min(...ways.map(price)));
    }
  });

  it("cuts what is too long or too much, and makes no batch for no rows", () => {
    expect(batchByCost([5000, 2], { cells: 100, run: 1e9 }).map(({ rows }) => [...rows])).toEqual([[0], [1]]);
    expect(summary(Array(10).fill(7), { cells: 30, run: 5 })).toEqual(["4 of 7", "4 of 7", "2 of 7"]);
    expect(batchByCost([], { cells: 100, run: 1 })).toEqual([]);
  });
});
