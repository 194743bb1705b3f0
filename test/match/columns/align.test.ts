/** What columns hold, of large tables by a part of their values. */
import { expect, it } from "vitest";
import { contentOf, overlapOf, sampling } from "../../../src/match/columns/align.js";

const values = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, row) => `Name ${from + row} of ${(from + row) * 7}`);

it("are compared by the same part of the values of both tables, in any order of their rows", () => {
  const [left, right] = [values(0, 5000), values(3000, 9000)];
  const whole = overlapOf(contentOf(left, 1).values, contentOf(right, 1).values);
  expect(whole).toBeCloseTo(0.4, 10);
  const [some, others] = [contentOf(left, 7), contentOf(right.toReversed(), 7)];
  expect(some.values.size).toBeGreaterThan(600);
  expect(some.values.size).toBeLessThan(830);
  expect(overlapOf(some.values, others.values)).toBeCloseTo(whole, 1);
  expect(contentOf(left.toReversed(), 7).values).toEqual(some.values);
  // Words are few, and those of all rows.
  expect(some.words).toEqual(contentOf(left, 1).words);
});

it("are compared whole up to 200,000 rows", () => {
  const table = (rows: number) => ({ name: { length: rows } as unknown as string[] });
  expect(sampling(table(200_000), table(3))).toBe(1);
  expect(sampling(table(3), table(200_001))).toBe(2);
  expect(sampling({}, {})).toBe(1);
});
