/** What columns hold, of large tables by a part of their values. */
import { expect, it } from "vitest";
import { alignColumns, contentOf, overlapOf } from "../../../src/match/columns/align.js";

const values = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, row) => `Name ${from + row} of ${(from + row) * 7}`);

it("are compared by the same part of the values of both tables, in any order of their rows", () => {
  const [left, right] = [values(0, 5000), values(3000, 9000)];
  const whole = overlapOf(contentOf(left), contentOf(right));
  expect(whole).toBeCloseTo(0.4, 10);
  const [some, others] = [contentOf(left, 900), contentOf(right.toReversed(), 900)];
  expect([some.every, others.every]).toEqual([8, 8]);
  expect(overlapOf(some, others)).toBeCloseTo(whole, 1);
  expect(contentOf(left.toReversed(), 900).values).toEqual(some.values);
  // Words are those of all rows.
  expect(some.words).toEqual(contentOf(left).words);
});

it("are all compared where they are few, in a table of any size", () => {
  const cities = ["Oslo", "Riga", "Lyon", "Turin", "Paris"];
  const left = { company: values(0, 50), city: values(0, 50).map((_, row) => cities[row % 5]) };
  const ort = Array.from({ length: 450_000 }, (_, row) => cities[row % 5]);
  const right = { firma: ort.map((_, row) => `x${row}`), ort };
  const names = { left: ["company", "city"], right: ["firma", "ort"] };
  expect(alignColumns(left, right, names)).toEqual([["city", "ort"]]);
});
