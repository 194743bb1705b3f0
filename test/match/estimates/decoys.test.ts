import { describe, expect, it } from "vitest";
import { decoyPairs, decoyPrecision } from "../../../src/match/estimates/decoys.js";
import type { Rankings } from "../../../src/match/estimates/estimate.js";

/** Right row 0: left rows 3, 1 and 2; left rows 1 and 3 have the same text. Right row 1: left row 3 alone. */
const rankings: Rankings = {
  right: {
    keep: 3,
    rows: Int32Array.of(3, 1, 2, 3, -1, -1),
    scores: Float32Array.of(5, 4, 2, 1, -Infinity, -Infinity),
  },
  spacing: () => undefined,
  leftKeys: Int32Array.of(0, 1, 2, 1),
  rightKeys: Int32Array.of(3, 4),
};

describe("decoys", () => {
  it("are the best candidates with another text than the partner", () => {
    const [first, second] = decoyPairs(
      rankings,
      new Map([
        [0, [3]],
        [1, [3]],
      ]),
    );
    expect(first).toEqual({ right: 0, pair: { left: 2, score: 2, taken: new Set([3, 1]) } });
    expect(second).toEqual({ right: 1, pair: undefined });
  });

  it("say how many rows without a partner match falsely", () => {
    const pair = { left: 2, score: 2 };
    const decoys = Array.from({ length: 40 }, (_, right) => ({
      right,
      pair: right % 2 === 0 ? pair : undefined,
    }));
    // 4 of 40 decoys match: a chance of 4.5 / 41. Of the rows without a partner 20 escaped it.
    const precision = decoyPrecision(decoys, (right) => right < 8, { matched: 40, unmatched: 20 });
    expect(precision).toBeCloseTo(1 - (20 * 4.5) / (41 - 4.5) / 40, 9);
    expect(decoyPrecision(decoys, () => false, { matched: 40, unmatched: 0 })).toBe(1);
    expect(decoyPrecision(decoys, () => true, { matched: 40, unmatched: 400 })).toBe(0);
  });
});
