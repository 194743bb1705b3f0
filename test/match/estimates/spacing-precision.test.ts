import { describe, expect, it } from "vitest";
import { keepPromise, spacingPrecision } from "../../../src/match/estimates/spacing-precision.js";
import { createRandom } from "../../../src/random.js";

describe("spacingPrecision", () => {
  it("is 1 for a match whose row stands alone within twice the distance", () => {
    expect(spacingPrecision(0.2, [0.41, 0.9])).toBe(1);
  });

  it("divides the match among the rows within twice the distance", () => {
    expect(spacingPrecision(0.2, [0.4, 0.39, 0.9])).toBeCloseTo(1 / 3);
  });

  it("is 1 for an exact match unless the table repeats the row", () => {
    expect(spacingPrecision(0, [0.1, 0.2])).toBe(1);
    expect(spacingPrecision(0, [0, 0.2])).toBe(0.5);
  });
});

describe("keepPromise", () => {
  it("keeps the same largest set as trying every prefix", () => {
    const random = createRandom(3);
    for (let trial = 0; trial < 50; trial++) {
      const estimates = Array.from({ length: 40 }, () => Math.round(random() * 20) / 20);
      const target = 0.3 + 0.6 * random();
      const levels = [...new Set(estimates)].filter((level) => level > 0);
      const sizes = levels
        .map((level) => estimates.filter((estimate) => estimate >= level))
        .filter((kept) => kept.reduce((sum, value) => sum + value, 0) / kept.length >= target - 1e-12)
        .map((kept) => kept.length);
      expect(keepPromise(estimates, { target }).length).toBe(Math.max(0, ...sizes));
    }
  });

  it("keeps nothing if even the most certain match is below the target", () => {
    expect(keepPromise([0.5, 0.8, Number.NaN], { target: 0.9 })).toEqual([]);
  });

  it("keeps no match below the floor", () => {
    expect(keepPromise([1, 1, 1, 0.3], { target: 0.8, floor: 0.4 })).toEqual([0, 1, 2]);
  });
});
