import { describe, expect, it } from "vitest";
import { equalGroups, likelyPairs } from "../../src/link/grouping.js";

describe("groups of equal rows", () => {
  const cells = [["a"], ["b"], ["a"], ["a"], ["\u200b"], ["\u200b"]];
  const groups = (...known: readonly [number, number, boolean][]): number[] => [
    ...equalGroups(
      cells.length,
      (row) => cells[row],
      known.map(([left, right, match]) => ({ left, right, match })),
    ),
  ];

  it("leave out what is empty, and follow decisions", () => {
    expect(groups()).toEqual([0, 1, 0, 0, 4, 5]);
    expect(groups([0, 1, true], [0, 2, false])).toEqual([0, 0, 2, 0, 4, 5]);
  });

  it("keep what is the same although a decision contradicts it", () => {
    expect(groups([0, 1, true], [1, 4, true], [0, 4, false])).toEqual([0, 0, 0, 0, 0, 5]);
  });
});

describe("likely pairs", () => {
  const explain = () => ({ prior: 0, columns: [], rows: [] }) as never;
  const grouping = (likely: ArrayLike<number>) => ({
    rows: Array.from(likely, (_, place) => ({ row: place + 1, entity: 0, isSame: false })),
    groups: likely,
    likely,
    explain,
  });

  it("are each row of another entity with the first row of its group", () => {
    const found = likelyPairs(grouping([0, 1, 0, 0, 1]), Int32Array.of(1, 2, 3, 1, 4));
    expect(found.map(({ row, other }) => [row, other])).toEqual([
      [3, 1],
      [5, 2],
    ]);
  });

  it("of a large group take no more time for each of its rows", () => {
    const rows = 50_000;
    const started = performance.now();
    expect(likelyPairs(grouping(new Int32Array(rows)), new Int32Array(rows).fill(1))).toEqual([]);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
