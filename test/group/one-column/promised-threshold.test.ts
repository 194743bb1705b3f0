/** Which links are doubtful, and what a promise about one column rests on. */
import { describe, expect, it } from "vitest";
import { linkTable } from "../../../src/group/links.js";
import {
  answeredGroups,
  doubtfulLinks,
  groupedPrecision,
  groupedPromise,
  groupsAt,
  isDenied,
} from "../../../src/group/one-column/promised-threshold.js";
import { createRandom } from "../../../src/random.js";

it("takes links that are spread evenly around the threshold, however many are asked for, and each phrase once", () => {
  const random = createRandom(11);
  const size = 60;
  const pairs: (readonly [number, number])[] = [];
  for (let left = 0; left < size; left++)
    for (let right = left + 1; right < size; right++) if (random() < 0.3) pairs.push([left, right]);
  const scores = Float32Array.from(pairs, () => random());
  const links = {
    left: Int32Array.from(pairs, ([left]) => left),
    right: Int32Array.from(pairs, ([, right]) => right),
    scores,
  };
  const threshold = 0.5;
  const groups = Int32Array.from({ length: size }, (_, row) => row % 3);
  const found = {
    ...{ threshold, groups, representatives: new Int32Array(3), mean: 1, grouped: 57 },
    probability: new Float64Array(size).fill(0.9),
  };
  const isJudged = (left: number, right: number): boolean => (left + right) % 5 === 0;
  const options = { count: 10, rowOf: Int32Array.from(groups, (_, row) => row + 100), isJudged };
  const doubtful = doubtfulLinks(linkTable(size, links), found, options);
  const free = new Set(Array.from({ length: size }, (_, row) => row));
  const expected = [8, 4, 12, 2, 10, 6, 14, 1, 9, 5].map((sixteenth) => {
    const wanted = threshold - 0.2 + (0.4 * sixteenth) / 16;
    const [nearest] = [...pairs.keys()]
      .filter((link) => pairs[link].every((row) => free.has(row)))
      .filter((link) => !isJudged(pairs[link][0] + 100, pairs[link][1] + 100))
      .sort((a, b) => Math.abs(scores[a] - wanted) - Math.abs(scores[b] - wanted));
    for (const row of pairs[nearest]) free.delete(row);
    return pairs[nearest];
  });
  expect(doubtful.map(({ left, right }) => [left - 100, right - 100])).toEqual(expected);
  for (const { left, right, accepted, probability } of doubtful) {
    expect(accepted).toBe((left - right) % 3 === 0);
    if (accepted) expect(probability).toBeCloseTo(0.81);
    else expect(probability).toBeLessThanOrEqual(0.5);
  }
  expect(doubtfulLinks(linkTable(size, links), found, { ...options, count: 3 })).toEqual(
    doubtful.slice(0, 3),
  );
  // Where more are asked for, none that is far from the threshold.
  const all = doubtfulLinks(linkTable(size, links), found, { ...options, count: 500 });
  expect(all.length).toBeGreaterThan(12);
  const scoreOf = new Map(pairs.map(([a, b], link) => [`${a + 100} ${b + 100}`, scores[link]]));
  for (const { left, right } of all)
    expect(Math.abs(scoreOf.get(`${left} ${right}`)! - threshold)).toBeLessThan(0.201);
});

describe("answers", () => {
  /** Ten phrases of each thing: their similarity falls by .04 with each step between them; other things are farther. */
  const size = 200;
  const similarity = (a: number, b: number): number =>
    Math.floor(a / 10) === Math.floor(b / 10) ? 1 - 0.04 * Math.abs(a - b) : 0.3 + 0.001 * ((a * b) % 7);
  const all = [...Array(size * size).keys()].filter((key) => Math.floor(key / size) < key % size);
  const [left, right] = [all.map((key) => Math.floor(key / size)), all.map((key) => key % size)];
  const scores = Float32Array.from(left, (a, pair) => similarity(a, right[pair]));
  const links = linkTable(size, { left: Int32Array.from(left), right: Int32Array.from(right), scores });
  const table = { phrases: left.map(String).slice(0, size), links, similarity, counts: Array(size).fill(1) };
  const judged = (least: number, pairs: readonly (readonly [number, number])[]) =>
    pairs.map(([left, right]) => ({ left, right, match: similarity(left, right) > least }));
  /** Pairs of one thing: 24 that are one to eight steps apart. */
  const steps = Array.from(
    { length: 24 },
    (_, at) => [10 * (at % 20), 10 * (at % 20) + 1 + (at % 8)] as const,
  );

  it("lower a threshold that is too strict, and raise one that is too loose", async () => {
    const strict = await groupsAt(table, 0.96);
    const found = await answeredGroups(table, strict, judged(0.75, steps));
    expect(found.threshold).toBeGreaterThan(0.7);
    expect(found.threshold).toBeLessThan(0.82);
    expect(new Set(found.groups).size).toBeLessThan(new Set(strict.groups).size);
    const loose = await groupsAt(table, 0.2);
    expect(new Set(loose.groups).size).toBe(1);
    const different = Array.from(
      { length: 20 },
      (_, thing) => [thing * 10, (thing * 10 + 15) % size] as const,
    );
    expect((await answeredGroups(table, loose, judged(0.5, different))).threshold).toBeGreaterThan(0.25);
  });

  it("lower nothing where no pair was rejected, and say nothing far from the threshold", async () => {
    const strict = await groupsAt(table, 0.96);
    const all = await answeredGroups(table, strict, judged(0, steps));
    expect([all.threshold, [...all.groups]]).toEqual([0.96, [...strict.groups]]);
    const far = Array.from({ length: 20 }, (_, thing) => [thing * 10, thing * 10 + 9] as const);
    expect(await answeredGroups(table, strict, judged(0.9, far))).toBe(strict);
  });

  it("move it no farther than they reach", async () => {
    const loose = await groupsAt(table, 0.7);
    const near = steps.filter(([a, b]) => Math.abs(a - b) <= 2);
    const raised = await answeredGroups(table, loose, judged(0.99, [...near, ...near, ...near, ...near]));
    expect(raised.threshold).toBeCloseTo(0.96, 6);
  });
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
