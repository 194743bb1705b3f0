/** Which links are doubtful, and what a promise about one column rests on. */
import { describe, expect, it } from "vitest";
import { linkTable } from "../../../src/group/links.js";
import {
  doubtfulLinks,
  groupedPrecision,
  groupedPromise,
  isDenied,
} from "../../../src/group/one-column/promised-threshold.js";
import { createRandom } from "../../../src/random.js";

it("takes the links nearest to the threshold, of equally near ones the first, and each phrase once", () => {
  const random = createRandom(11);
  const size = 30;
  const pairs: (readonly [number, number])[] = [];
  for (let left = 0; left < size; left++)
    for (let right = left + 1; right < size; right++) if (random() < 0.3) pairs.push([left, right]);
  // Sixteenths are exact: many are as far above the threshold as others are below it.
  const scores = Float32Array.from(pairs, () => Math.floor(17 * random()) / 16);
  const links = {
    left: Int32Array.from(pairs, ([left]) => left),
    right: Int32Array.from(pairs, ([, right]) => right),
    scores,
  };
  const threshold = 0.5;
  const groups = Int32Array.from({ length: size }, (_, row) => row % 3);
  const found = {
    ...{ threshold, groups, representatives: new Int32Array(3), mean: 1, grouped: 27 },
    probability: new Float64Array(size).fill(0.9),
  };
  const options = { count: size, rowOf: (phrase: number) => phrase + 100 };
  const doubtful = doubtfulLinks(linkTable(size, links), found, options);
  const free = new Set(Array.from({ length: size }, (_, row) => row));
  const expected = [...pairs.keys()]
    .sort((a, b) => Math.abs(scores[a] - threshold) - Math.abs(scores[b] - threshold) || a - b)
    .filter((link) => {
      const isFree = pairs[link].every((row) => free.has(row));
      if (isFree) for (const row of pairs[link]) free.delete(row);
      return isFree;
    });
  expect(expected.length).toBeGreaterThan(8);
  expect(doubtful.map(({ left, right }) => [left - 100, right - 100])).toEqual(
    expected.map((link) => pairs[link]),
  );
  for (const { left, right, accepted, probability } of doubtful) {
    expect(accepted).toBe((left - right) % 3 === 0);
    if (accepted) expect(probability).toBeCloseTo(0.81);
    else expect(probability).toBeLessThanOrEqual(0.5);
  }
  expect(doubtfulLinks(linkTable(size, links), found, { ...options, count: 3 })).toEqual(
    doubtful.slice(0, 3),
  );
});

it("is denied by more contradicted rows than may be wrong, not by just as many", () => {
  const rows = (contradicted: number, count: number) =>
    Array.from({ length: count }, (_, row) => {
      return { probability: 0.9, isSure: false, isContradicted: row < contradicted };
    });
  expect(isDenied(rows(1, 10), 0.9)).toBe(false);
  expect(isDenied(rows(2, 10), 0.9)).toBe(true);
  expect(isDenied(rows(30, 100), 0.7)).toBe(false);
});

describe("rows that were only written anew", () => {
  it("establish a promise if they are enough of many", () => {
    const rows = (count: number, rewritten: number) =>
      Array.from({ length: count }, (_, row) => ({
        probability: 0.93,
        isSure: false,
        isRewritten: row < rewritten,
      }));
    // Wilson's lower bounds of 98 of 100, 19 of 20, and 90 of 100
    expect(groupedPromise(rows(100, 98), 0.9)).toMatchObject({ promise: { established: true }, high: 1 });
    expect(groupedPrecision(rows(100, 98)).low).toBeCloseTo(0.93, 2);
    expect(groupedPromise(rows(20, 19), 0.9).promise.established).toBe(false);
    expect(groupedPromise(rows(100, 90), 0.9).promise.established).toBe(false);
    // Most rows are equal, and may be namesakes.
    const equal = rows(150, 0).map((row) => ({ ...row, isSure: true }));
    expect(groupedPromise([...equal, ...rows(100, 98)], 0.9).promise.established).toBe(false);
  });
});
