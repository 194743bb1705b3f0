import { expect, it } from "vitest";
import { SortedRows } from "../../../src/match/weights/left-rows.js";
import { createRandom } from "../../../src/random.js";

it("gives the row of each pair, in any order of asking", () => {
  const random = createRandom(6);
  const rows = 500;
  const below = (count: number): number => Math.floor(count * random());
  // Many rows have no pair, among them the first and the last ones.
  const rowOf = Int32Array.from({ length: 900 }, () => 30 + below(40) * 11).sort();
  const more = Int32Array.from({ length: 50 }, () => below(rows));
  const left = SortedRows.of(rowOf, rows).followedBy(more);
  const expected = [...rowOf, ...more];
  expect(left.length).toBe(expected.length);
  expect(Array.from(expected, (_, pair) => left.at(pair))).toEqual(expected);
  for (let step = 0; step < 5000; step++) {
    const pair = below(expected.length);
    expect(left.at(pair)).toBe(expected[pair]);
  }
  expect([...left.slice(880, 930)]).toEqual(expected.slice(880, 930));
  expect(SortedRows.of(new Int32Array(0), 3).length).toBe(0);
});
