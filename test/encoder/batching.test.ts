import { describe, expect, it } from "vitest";
import { batchByLength, paddedLength } from "../../src/encoder/batching.js";

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

describe("paddedLength", () => {
  it("makes 16 lengths of all up to 512, never shorter ones, and none beyond what the model reads", () => {
    const lengths = Array.from({ length: 512 }, (_, i) => i + 1);
    const padded = lengths.map((length) => paddedLength(length, 512));
    expect(new Set(padded).size).toBe(16);
    padded.forEach((length, i) => {
      expect(length).toBeGreaterThanOrEqual(lengths[i]);
    });
    expect([1, 8, 9, 65, 300].map((length) => paddedLength(length))).toEqual([8, 8, 16, 96, 384]);
    expect(paddedLength(98, 100)).toBe(100);
    expect(paddedLength(101, 100)).toBe(101);
  });
});
