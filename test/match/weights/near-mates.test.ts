/** What the likely pairs of a fit say about it. */
import { expect, it } from "vitest";
import { contradictingShare, contradictionsApart } from "../../../src/match/weights/near-mates.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";

const columns = ["name", "names opposed"].map((name, field) => ({
  ...{ name, field, from: -1, levels: 5, unit: field, share: 1, differs: 1, agrees: 2, identifies: false },
}));
// Five classes of pairs, by how their names oppose: opposites, codes, rare words, common words, nothing; and one without names.
const table: PairTable = {
  ...{ isOneTable: true, rows: [9, 9] as const, columns },
  left: Int32Array.of(0, 0, 0, 1, 1, 2, 3),
  right: Int32Array.of(1, 2, 3, 4, 5, 6, 7),
  classOf: Int32Array.of(0, 1, 2, 3, 4, 5, 4),
  levels: [Int8Array.of(4, 4, 4, 4, 4, 4), Int8Array.of(0, 1, 2, 3, 4, -1)],
  random: [new Int8Array(0), new Int8Array(0)],
};

it("counts likely pairs whose names say opposites or each have a code or a rare word that the other lacks", () => {
  expect(contradictingShare(table, Float64Array.of(1, 1, 1, 1, 1, 1))).toBeCloseTo(3 / 7, 12);
  expect(contradictingShare(table, Float64Array.of(-1, 0, 3, -1, 2, -1))).toBeCloseTo(1 / 3, 12);
  expect(contradictingShare(table, new Float64Array(6).fill(-1))).toBe(0);
  const [name] = columns;
  expect(contradictingShare({ ...table, columns: [name, name] }, new Float64Array(6).fill(1))).toBe(0);
});

it("keeps contradicting names apart whatever else agrees, and nothing else", () => {
  const match = [Float64Array.of(1, 2, 3, 4, 5), Float64Array.of(-1, 2, 3, 4, 5)];
  const [name, opposed] = contradictionsApart(columns, match);
  expect([...name]).toEqual([1, 2, 3, 4, 5]);
  expect([...opposed.slice(3)]).toEqual([4, 5]);
  expect(Math.max(...opposed.slice(0, 3))).toBeLessThan(-15);
});
