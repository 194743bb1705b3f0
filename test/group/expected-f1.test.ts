import { describe, expect, it } from "vitest";
import { greatestF1 } from "../../src/group/expected-f1.js";
import type { ScoredPairs } from "../../src/match/estimates/scored-pairs.js";
import { everyPair } from "../../src/match/weights/pair-classes.js";

const probability = Float64Array.of(0.9, 0.5, 0.4, 0.4, 0.1);

/** A level that accepts the first pairs. */
function first(count: number, given = probability): ScoredPairs {
  return {
    table: { classOf: everyPair(given.length) } as never,
    probability: given,
    accepted: everyPair(count),
  } as Partial<ScoredPairs> as never;
}

describe("likely groups", () => {
  it("are those of the greatest expected F1: 2 right / (accepted + true)", () => {
    // 2.3 true pairs are expected. F1: 1.8/3.3 = .55, 2.8/4.3 = .65, 3.6/5.3 = .68, 4.4/6.3 = .70, 4.6/7.3 = .63.
    const levels = [5, 4, 3, 2, 1, 0].map((count) => first(count));
    expect(greatestF1(levels).accepted).toHaveLength(4);
  });

  it("are strict where few pairs are likely", () => {
    const few = Float64Array.of(0.99, 0.98, 0.1, 0.1, 0.1);
    const levels = [5, 4, 3, 2, 1].map((count) => first(count, few));
    expect(greatestF1(levels).accepted).toHaveLength(2);
  });
});
