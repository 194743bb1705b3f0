import { describe, expect, it } from "vitest";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { compareTables } from "../../../src/match/compare-tables.js";
import { withKnownPairs } from "../../../src/match/review/known-candidates.js";
import { placeOf } from "../../../src/match/weights/pair-table.js";
import { tableWithDuplicates, twoTables } from "../people.js";

const { left, right } = twoTables(60, 20);
const ofTwo = await compareTables(prepareTables(left, right), { threads: 1 });
const ofOne = await compareTables(prepareTables(tableWithDuplicates(60).table, undefined), { threads: 1 });

describe("candidates with judged pairs", () => {
  it.each([
    ["two tables", ofTwo],
    ["one table", ofOne],
  ])("of %s are all candidates and these pairs, in order, with their levels", (_, compared) => {
    const [first, last] = [0, compared.rows[0] - 1];
    const known = [
      { left: last, right: first, match: true },
      { left: first, right: compared.rows[1] - 1, match: false },
      { left: compared.left.at(5)!, right: compared.right[5], match: true },
    ].filter(({ left, right }) => left !== right);
    const found = withKnownPairs(compared, [...known, ...known]);
    const levelsOf = (pairs: typeof found, place: number): number[] =>
      pairs.levels.map((ofClass) => ofClass[pairs.classOf[place]]);
    let added = 0;
    for (let pair = 0; pair < found.left.length; pair++) {
      const rows = [found.left.at(pair)!, found.right[pair]] as const;
      expect(placeOf(found, ...rows)).toBe(pair);
      const before = placeOf(compared, ...rows);
      if (before >= 0) expect(levelsOf(found, pair)).toEqual(levelsOf(compared, before));
      else {
        const levels = found.columns.map(() => new Int8Array(1));
        compared.comparison.compare(...rows, levels, 0);
        expect(levelsOf(found, pair)).toEqual(levels.map(([level]) => level));
        added++;
      }
    }
    expect(added).toBe(found.left.length - compared.left.length);
    expect(added).toBe(compared.isOneTable ? 1 : 2);
  });

  it("are the same object where all of them are candidates", () => {
    const known = [{ left: ofTwo.left.at(3), right: ofTwo.right[3], match: true }];
    expect(withKnownPairs(ofTwo, known)).toBe(ofTwo);
    expect(withKnownPairs(ofOne, [{ left: 4, right: 4, match: true }])).toBe(ofOne);
  });
});
