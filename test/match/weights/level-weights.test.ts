import { describe, expect, it } from "vitest";
import { monotoneLogRatio } from "../../../src/match/weights/level-weights.js";
import { createRandom } from "../../../src/random.js";

describe("monotone log-ratio", () => {
  it("is the plain log-ratio where that rises already", () => {
    const weights = monotoneLogRatio([0.1, 0.2, 0.7], [0.6, 0.3, 0.1]);
    expect(Array.from(weights)).toEqual([Math.log(0.1 / 0.6), Math.log(0.2 / 0.3), Math.log(0.7 / 0.1)]);
  });

  it("pools neighbours in the wrong order", () => {
    // Ratios 1, 3, 1: the last two become (0.3 + 0.1) / (0.1 + 0.1) = 2.
    const weights = monotoneLogRatio([0.1, 0.3, 0.1], [0.1, 0.1, 0.1]);
    expect(Array.from(weights)).toEqual([0, Math.log(0.4 / 0.2), Math.log(0.4 / 0.2)]);
  });

  it("never falls, and keeps the sum of the first distribution", () => {
    const random = createRandom(3);
    for (let round = 0; round < 200; round++) {
      const size = 1 + Math.floor(random() * 12);
      const match = Array.from({ length: size }, () => random() + 1e-3);
      const other = Array.from({ length: size }, () => random() + 1e-3);
      const weights = monotoneLogRatio(match, other);
      for (let level = 1; level < size; level++)
        expect(weights[level]).toBeGreaterThanOrEqual(weights[level - 1]);
      // Pooling moves mass between levels only: the sum of other × ratio is that of match.
      const expected = match.reduce((sum, value) => sum + value, 0);
      const sum = other.reduce((total, value, level) => total + value * Math.exp(weights[level]), 0);
      expect(sum).toBeCloseTo(expected, 9);
    }
  });
});
