import { describe, expect, it } from "vitest";
import { withPairsInside } from "../../src/group/group-pairs.js";
import { prepareTables } from "../../src/match/columns/fields.js";
import { compareTables } from "../../src/match/compare-tables.js";

/** All pairs of one group of rows, of which some are equal: how many pairs join equal rows, and how many others there are. */
async function pairsInside(equal: number, others: number): Promise<{ equal: number; other: number }> {
  const names = [
    ...new Array<string>(equal).fill("Grand Hotel Berlin"),
    ...Array.from({ length: others }, (_, row) => `Hotel Berlin ${row}`),
  ];
  const tables = prepareTables({ name: names }, undefined);
  const compared = await compareTables(tables);
  const { left, right } = await withPairsInside(compared, new Int32Array(names.length));
  const value = (row: number): number => tables.fields[0].left[row];
  const same = right.filter((row, pair) => value(row) === value(left.at(pair)!)).length;
  return { equal: same, other: right.length - same };
}

describe("the pairs of rows within groups", () => {
  it("are all pairs", async () => {
    expect(await pairsInside(90, 30)).toEqual({ equal: (90 * 89) / 2, other: 90 * 30 + (30 * 29) / 2 });
  });

  it("are no more than a hundred of each row with its equals, beside candidates", async () => {
    const { equal, other } = await pairsInside(400, 30);
    expect(other).toBe(400 * 30 + (30 * 29) / 2);
    expect(equal).toBeGreaterThan(250 * 100);
    expect(equal).toBeLessThan(400 * 150);
  });
});
