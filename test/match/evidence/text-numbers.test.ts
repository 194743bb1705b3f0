import { describe, expect, it } from "vitest";
import { TextNumbers } from "../../../src/match/columns/texts.js";
import { readValues } from "../../../src/match/columns/value-set.js";
import { hasNumbers, numbersComparison } from "../../../src/match/evidence/levels.js";

function compare(a: string, b: string): number {
  const { set, left } = readValues([a, b], [a, b], "text", new TextNumbers(), [undefined]);
  const { compare } = numbersComparison(set);
  expect(compare(left[0], left[1])).toBe(compare(left[1], left[0]));
  return compare(left[0], left[1]);
}

describe("numbers in texts", () => {
  it.each([
    ["Flat C, 31 Mill Lane", "31C Mill Lane", 4],
    ["Item 007", "7th item", 4],
    ["Building 1241", "Building 1214", 3],
    ["XB-955", "XB 9555", 3],
    ["Flat 2, 31 Mill Lane", "31 Mill Lane", 2],
    ["Flat 2, 31 Mill Lane", "Flat 3, 31 Mill Lane", 1],
    ["Windows 10", "Windows 11", 0],
    ["Windows 10", "Windows", -1],
    ["J. Smith", "R. Smith", 0],
    ["J. Smith", "John Smith", -1],
    ["Ann O'Brien", "R. O'Brien", -1],
  ])("%s, %s: %d", (a, b, level) => {
    expect(compare(a, b)).toBe(level);
  });

  it("are a column's own where enough of its cells have some", () => {
    const having = (cells: string[]): boolean =>
      hasNumbers(readValues(cells, cells, "text", new TextNumbers(), [undefined]).set);
    expect(having(["Oslo 1", "Riga", "Bern", "Rome", "Kyiv", "Nice"])).toBe(true);
    expect(having(["Oslo 1", "Riga", "Bern", "Rome", "Kyiv", "Nice", "Lyon"])).toBe(false);
  });
});
