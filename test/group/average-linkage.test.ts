import { describe, expect, it } from "vitest";
import { groupBy } from "../../src/by-key.js";
import { averageLinkage, groupsFrom } from "../../src/group/average-linkage.js";
import { everyPair } from "../../src/match/weights/pair-classes.js";
import { createRandom } from "../../src/random.js";

/** Average linkage by trying all pairs of groups at every step. */
function byBruteForce(size: number, weight: (a: number, b: number) => number, least: number): number[][] {
  let groups = Array.from({ length: size }, (_, row) => [row]);
  for (;;) {
    let best = { mean: -Infinity, a: -1, b: -1 };
    groups.forEach((first, a) => {
      groups.slice(a + 1).forEach((second, step) => {
        const all = first.flatMap((x) => second.map((y) => weight(Math.min(x, y), Math.max(x, y))));
        const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
        if (mean > best.mean) best = { mean, a, b: a + 1 + step };
      });
    });
    if (best.mean < least) return groups.map((rows) => rows.sort((x, y) => x - y)).sort(([x], [y]) => x - y);
    const merged = [...groups[best.a], ...groups[best.b]];
    groups = [...groups.filter((_, index) => index !== best.a && index !== best.b), merged];
  }
}

const membersOf = (groupOf: Int32Array): number[][] => [
  ...groupBy(groupOf.keys(), (row) => groupOf[row]).values(),
];

/** Two likely pairs, and one less likely between them. */
const twoPairs = {
  left: Int32Array.of(0, 2, 1),
  right: Int32Array.of(1, 3, 2),
  classOf: Int32Array.of(0, 0, 1),
  weights: Float64Array.of(4, 2),
};

describe("average linkage", () => {
  it("finds the groups of trying everything, with all pairs as candidates or few", async () => {
    const random = createRandom(4);
    for (let round = 0; round < 40; round++) {
      const size = 12;
      const weights = new Map<number, number>();
      for (let a = 0; a < size; a++)
        for (let b = a + 1; b < size; b++)
          weights.set(a * size + b, (a % 3 === b % 3 ? 3 : -3) + 5 * random() - 2.5);
      const weigh = (a: number, b: number): number => weights.get(a * size + b)!;
      const all = [...weights.keys()];
      const pairs = {
        left: Int32Array.from(all, (key) => Math.floor(key / size)),
        right: Int32Array.from(all, (key) => key % size),
        classOf: everyPair(all.length),
        weights: Float64Array.from(all, (key) => Math.min(5, Math.max(-5, weights.get(key)!))),
      };
      const clipped = (a: number, b: number): number => Math.min(5, Math.max(-5, weigh(a, b)));
      const found = groupsFrom(size, await averageLinkage(size, pairs, { weigh }), 0);
      expect(membersOf(found)).toEqual(byBruteForce(size, clipped, 0));
    }
  });

  it("finds the groups of trying everything by similarities, where rows that are unlike begin apart", async () => {
    const random = createRandom(6);
    for (let round = 0; round < 20; round++) {
      const size = 12;
      const points = Array.from({ length: size }, () => random());
      const weigh = (a: number, b: number): number => 1 - Math.abs(points[a] - points[b]);
      const all = [...Array(size * size).keys()].filter((key) => Math.floor(key / size) < key % size);
      const pairs = {
        left: Int32Array.from(all, (key) => Math.floor(key / size)),
        right: Int32Array.from(all, (key) => key % size),
        classOf: everyPair(all.length),
        weights: all.map((key) => weigh(Math.floor(key / size), key % size)),
      };
      for (const least of [0.95, 0.9, 0.8]) {
        const found = groupsFrom(size, await averageLinkage(size, pairs, { weigh, least }), least);
        expect(membersOf(found)).toEqual(byBruteForce(size, weigh, least));
      }
    }
  });

  it("does not merge two groups over a chain of one likely pair", async () => {
    const merges = await averageLinkage(4, twoPairs, { weigh: () => -4 });
    expect(Array.from(groupsFrom(4, merges, 0))).toEqual([0, 0, 1, 1]);
  });

  it("joins rows that are confirmed, even where the pairs beside them were no candidates and are unlikely", async () => {
    const pairs = {
      left: Int32Array.of(0, 1),
      right: Int32Array.of(1, 2),
      classOf: Int32Array.of(0, 0),
      weights: Float64Array.of(1e6),
    };
    const merges = await averageLinkage(3, pairs, { weigh: () => -5 });
    expect(Array.from(groupsFrom(3, merges, 4.5))).toEqual([0, 0, 0]);
  });

  it("merges groups whose unseen pairs turn out likely", async () => {
    const merges = await averageLinkage(4, twoPairs, { weigh: () => 3 });
    expect(Array.from(groupsFrom(4, merges, 0))).toEqual([0, 0, 0, 0]);
    expect(Array.from(groupsFrom(4, merges, 3.5))).toEqual([0, 0, 1, 1]);
  });

  it("says how far it is, also where all rows are connected with each other", async () => {
    const size = 4000;
    const chain = {
      left: Int32Array.from({ length: size - 1 }, (_, row) => row),
      right: Int32Array.from({ length: size - 1 }, (_, row) => row + 1),
      classOf: new Int32Array(size - 1),
      weights: Float64Array.of(4),
    };
    const seen: [number, number][] = [];
    await averageLinkage(size, chain, { weigh: () => -4, onProgress: (...now) => seen.push(now) });
    expect(seen.slice(0, 2)).toEqual([
      [1024, 3999],
      [2048, 3999],
    ]);
    expect(seen.at(-1)).toEqual([3999, 3999]);
  });

  it("takes in thousands of equal rows without going through all of them for each", {
    timeout: 20_000,
  }, async () => {
    const [rows, hubs] = [6000, 15];
    const others = Array.from({ length: hubs }, (_, hub) => rows - hub - 1);
    const left = Int32Array.from(others.flatMap((count, hub) => new Array<number>(count).fill(hub)));
    const right = Int32Array.from(
      others.flatMap((count, hub) => Array.from({ length: count }, (_, row) => hub + 1 + row)),
    );
    const pairs = { left, right, classOf: new Int32Array(left.length), weights: Float64Array.of(9) };
    const merges = await averageLinkage(rows, pairs, { weigh: () => 9 });
    expect(merges).toHaveLength(rows - 1);
    expect(merges.every(({ a, mean }) => a === 0 && mean === 5)).toBe(true);
  });
});
