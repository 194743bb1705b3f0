import { describe, expect, it } from "vitest";
import { groupBy } from "../../../src/by-key.js";
import { assignOneToOne } from "../../../src/join/one-column/assignment.js";
import { createRandom } from "../../../src/random.js";

interface WeightedPair {
  readonly left: number;
  readonly right: number;
  readonly weight: number;
}

/** The left row of each right row, or -1. */
function assign(pairs: readonly WeightedPair[], rights: number): number[] {
  const byRight = groupBy(pairs, ({ right }) => right);
  return assignOneToOne(Array.from({ length: rights }, (_, right) => byRight.get(right) ?? [])).map(
    (choice) => choice?.left ?? -1,
  );
}

/** The best total by trying every assignment. */
function bestTotal(pairs: readonly WeightedPair[], rights: number): number {
  const weight = new Map(pairs.map((pair) => [`${pair.left} ${pair.right}`, pair.weight]));
  const lefts = [...new Set(pairs.map(({ left }) => left))];
  const search = (right: number, free: readonly number[]): number => {
    if (right === rights) return 0;
    let best = search(right + 1, free);
    for (const left of free) {
      const value = weight.get(`${left} ${right}`);
      if (value === undefined || value <= 0) continue;
      best = Math.max(
        best,
        value +
          search(
            right + 1,
            free.filter((other) => other !== left),
          ),
      );
    }
    return best;
  };
  return search(0, lefts);
}

const total = (pairs: readonly WeightedPair[], leftOf: readonly number[]): number =>
  pairs.reduce((sum, { left, right, weight }) => sum + (leftOf[right] === left ? weight : 0), 0);

describe("assignOneToOne", () => {
  it("reaches the best total that trying every assignment finds", () => {
    const random = createRandom(7);
    for (let trial = 0; trial < 300; trial++) {
      const [lefts, rights] = [1 + Math.floor(random() * 6), 1 + Math.floor(random() * 6)];
      const pairs: WeightedPair[] = [];
      for (let left = 0; left < lefts; left++) {
        for (let right = 0; right < rights; right++) {
          if (random() < 0.6) pairs.push({ left, right, weight: Math.round(random() * 20 - 2) / 10 });
        }
      }
      const leftOf = assign(pairs, rights);
      const used = [...leftOf].filter((left) => left >= 0);
      expect(new Set(used).size).toBe(used.length);
      expect(total(pairs, leftOf)).toBeCloseTo(bestTotal(pairs, rights), 9);
    }
  });

  it("gives one row its second best choice if that frees the only choice of another", () => {
    const pairs = [
      { left: 0, right: 0, weight: 0.9 },
      { left: 1, right: 0, weight: 0.8 },
      { left: 0, right: 1, weight: 0.7 },
    ];
    expect(assign(pairs, 2)).toEqual([1, 0]);
  });

  it("assigns nothing to a row with no choice of positive weight", () => {
    expect(assign([{ left: 0, right: 0, weight: 0 }], 1)).toEqual([-1]);
  });
});
