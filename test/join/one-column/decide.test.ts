import { describe, expect, it } from "vitest";
import { likelyPairs } from "../../../src/join/one-column/decide.js";
import { noLabels } from "../../../src/join/one-column/labels.js";
import type { Rankings } from "../../../src/match/estimates/estimate.js";

const scores = [4, 3.5, 1];
const rankings = {
  right: { keep: 3, rows: Int32Array.of(0, 1, 2), scores: Float32Array.from(scores) },
} as unknown as Rankings;
/** The probability of each left row with the one right row, whose best pair is the first. */
function probabilities(...matches: number[]): Record<number, number> {
  const known = new Map(matches.length === 0 ? [] : [[0, new Set(matches)]]);
  const labels = { ...noLabels, matches: known };
  const found = likelyPairs(rankings, { left: 0, right: 0, score: 4, estimate: 0.6 }, labels);
  return Object.fromEntries(found.map(({ left, probability }) => [left, probability]));
}

describe("all likely pairs of a row", () => {
  it("have the estimate of its best pair, less by their odds", () => {
    expect(probabilities()).toEqual({ 0: 0.6, 1: 0.6 * Math.exp(-0.5), 2: 0.6 * Math.exp(-3) });
  });

  it("are no likelier because another is known to match, among the candidates or not", () => {
    const open = probabilities();
    expect(probabilities(0)).toEqual({ ...open, 0: 1 });
    expect(probabilities(1)).toEqual({ ...open, 1: 1 });
    expect(probabilities(7)).toEqual({ ...open, 7: 1 });
  });
});
