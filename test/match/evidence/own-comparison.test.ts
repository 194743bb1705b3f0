import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/errors.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { rowWords } from "../../../src/match/columns/row-words.js";
import { missing } from "../../../src/match/evidence/levels.js";
import { type ComparisonOptions, withComparisons } from "../../../src/match/evidence/own-comparison.js";
import { comparisonSettings, rowComparison } from "../../../src/match/evidence/pair-evidence.js";
import { pairLevels } from "../../../src/match/evidence/pair-levels.js";
import type { RowPairs } from "../../../src/match/weights/left-rows.js";

type Compare = NonNullable<ComparisonOptions["compare"]>[string];
const moduleOf = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
/** The share of the longer cell that both begin with, and who is called with which cells first. */
const beginning = moduleOf(`export default (a, b) => {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return a < b ? same / Math.max(a.length, b.length) : NaN;
}`);

/** The comparison of a column, and the level of two of its cells. */
async function compared(cells: readonly string[], how: Compare, kindOf: "number" | "date" | "code" = "code") {
  const table = { column: cells };
  const options = await withComparisons([table], {
    compare: { column: how },
    ...(kindOf === "code" && { kindOf: { column: kindOf } }),
  });
  const tables = prepareTables(table, undefined, options);
  const comparison = rowComparison(comparisonSettings(tables, rowWords(tables)));
  const column = comparison.columns.findIndex(({ field }) => field === 0);
  const row = (cell: string): number => tables.order[0].indexOf(cells.indexOf(cell));
  const level = (a: string, b: string): number => {
    const levels = comparison.columns.map(() => new Int8Array(1));
    comparison.compare(row(a), row(b), levels, 0);
    return levels[column][0];
  };
  return { comparison, level, kind: tables.fields[0].kind, scale: comparison.columns[column] };
}

describe("a tolerance", () => {
  it("of 5 % has levels for within it, within ten steps of it, and beyond", async () => {
    const cells = ["100", "105.2", "105.3", "167", "168", "-100", "none", "0", "100.50", "100.00"];
    const { level, kind, scale } = await compared(cells, "5%", "number");
    expect(kind).toBe("number");
    // 5.2 of 105.2 are 4.94 %, 5.3 of 105.3 are 5.03 %; 1 - .95 ** 10 is .4013: 67 of 167 are .4012, 68 of 168 are .4048.
    expect(["105.2", "105.3", "167", "168", "-100"].map((other) => level("100", other))).toEqual([
      2, 1, 1, 0, 0,
    ]);
    expect(level("105.2", "100")).toBe(2);
    expect(level("0", "100")).toBe(0);
    expect(level("100", "100.00")).toBeGreaterThanOrEqual(3);
    expect(level("100", "none")).toBe(missing);
    expect(scale).toMatchObject({ levels: 5, differs: 2, agrees: 3, hasSlips: true });
  });

  it("without a percent sign is a difference, also of whole numbers that would be codes", async () => {
    const cells = ["1990", "1992", "1993", "2010", "2011", "n.d."];
    const { level, kind } = await compared(cells, 2, "number");
    expect(kind).toBe("number");
    expect(["1992", "1993", "2010", "2011", "n.d."].map((other) => level("1990", other))).toEqual([
      2,
      1,
      1,
      0,
      missing,
    ]);
  });

  it("of dates is in days, over the end of a month", async () => {
    const cells = ["2001-02-27", "2001-03-02", "2001-03-03", "2001-03-29", "2001-03-30", "2 March 2001"];
    const { level, kind } = await compared(cells, "3", "date");
    expect(kind).toBe("date");
    // 2001 is no leap year: 27 February to 2 March are 3 days, to 29 March 30 days.
    expect(cells.slice(1, 5).map((other) => level("2001-02-27", other))).toEqual([2, 1, 1, 0]);
    expect(level("2001-03-02", "2 March 2001")).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ["0", "above 0"],
    ["-2", "above 0"],
    ["100%", "between 0% and 100%"],
    ["1.2.3", "there is no such module"],
  ])("%s is refused", async (how, says) => {
    await expect(compared(["1.5", "2.5"], how, "number")).rejects.toThrow(says);
  });

  it("is refused for a column of other cells", async () => {
    await expect(compared(["ab", "cd"], 2, "number")).rejects.toThrow(/^--compare column: no cell of column/);
    await expect(compared(["A1", "B2"], 2)).rejects.toThrow("column is of kind code");
    await expect(compared(["2001-02-27", "2001-03-02"], "5%", "date")).rejects.toThrow("of kind date");
  });
});

describe("a module", () => {
  it("gives the level of the value that it returns for the cells as they are written, sorted", async () => {
    const cells = ["AB-12 34", "AB-12 35", "AB-99 99", "ZZ", "ab-12 34", " AB-12 36 "];
    const { level, scale } = await compared(cells, beginning);
    // 7 of 8 letters are .875: level 3 of .5, .7, .8, .9; 3 of 8 are .375.
    expect(level("AB-12 34", "AB-12 35")).toBe(3);
    expect(level("AB-12 35", "AB-12 34")).toBe(3);
    expect(level("AB-12 34", " AB-12 36 ")).toBe(3);
    expect(level("AB-12 34", "AB-99 99")).toBe(0);
    expect(level("AB-12 34", "ZZ")).toBe(0);
    // One value in two writings is not compared.
    expect(level("AB-12 34", "ab-12 34")).toBeGreaterThanOrEqual(7);
    expect(scale).toMatchObject({ levels: 13, differs: 1, agrees: 3 });
  });

  it("may have levels of its own", async () => {
    const module = moduleOf(
      "export const levels = [0.2, 0.9]; export default (a) => ({ a: 0.1, b: 0.2, c: 0.9, d: 1 })[a]",
    );
    const { level, scale } = await compared(["a", "b", "c", "d", "e"], module);
    expect(["a", "b", "c", "d"].map((cell) => level(cell, "e"))).toEqual([0, 1, 2, 2]);
    expect(scale).toMatchObject({ differs: 1, agrees: 2 });
  });

  it.each([
    ["() => 1.5", /returned 1.5, not a number from 0 to 1, for "a1" and "b2" of column column$/],
    ["() => NaN", /returned NaN/],
    ["() => '1'", /returned 1, not a number/],
    ["() => { throw new Error('no\\n way') }", /failed \(no way\), for "a1" and "b2" of column column$/],
  ])("whose function is %s is named with the cells", async (source, says) => {
    const { level } = await compared(["a1", "b2", "c3"], moduleOf(`export default ${source}`));
    expect(() => level("b2", "a1")).toThrow(ArgumentError);
    expect(() => level("b2", "a1")).toThrow(says);
  });

  it.each([
    ["./no/such.mjs", "there is no such module"],
    [moduleOf("export const compare = () => 1"), "it has no default function"],
    [moduleOf("export default 1"), "it has no default function"],
    [moduleOf("export default () => 1; export const levels = [0.9, 0.5]"), "levels are not ascending"],
    [moduleOf("export default () => 1; export const levels = [0.5, 2]"), "levels are not ascending"],
    [moduleOf("throw new Error('out of order')"), "cannot be imported: out of order"],
  ])("that cannot be used is refused before rows are compared: %s", async (module, says) => {
    await expect(compared(["a1", "b2"], module)).rejects.toThrow(says);
  });

  it("gives the same levels in worker threads", async () => {
    const cells = Array.from({ length: 60 }, (_, row) => `C${row % 5}00-${row}`);
    const { comparison } = await compared(cells, beginning);
    const all = cells.flatMap((_, a) => cells.slice(a + 1).map((_, other) => [a, a + 1 + other] as const));
    const pairs: RowPairs = {
      left: Int32Array.from(all, ([a]) => a),
      right: Int32Array.from(all, ([, b]) => b),
    };
    const alone = await pairLevels(comparison, pairs, { threads: 1 });
    expect(new Set(alone[0]).size).toBeGreaterThan(1);
    expect(await pairLevels(comparison, pairs, { threads: 2, itemsPerThread: 500 })).toEqual(alone);
  });
});

it("columns that are not compared are refused with the reason", async () => {
  const table = { name: ["Ann", "Bob", "Eve"], price: ["1.5", "2.5", "3.5"], note: ["", "", ""] };
  const refused = async (name: string, ignore: string[] = []) => {
    const options = await withComparisons([table], { compare: { [name]: beginning }, ignore });
    return () => prepareTables(table, undefined, options);
  };
  expect(await refused("price", ["price"])).toThrow("--compare price: the column is not compared (ignored)");
  expect(await refused("note")).toThrow("not compared (nearly empty)");
  expect(await refused("cost")).toThrow("not compared (not named, or in one table alone)");
});

it("a comparison of each of two columns that are compared with each other is refused", async () => {
  const [left, right] = [
    { name: ["Ann"], price: ["1.5"] },
    { name: ["Ann"], cost: ["1.6"] },
  ];
  const on = ["name", "price=cost"];
  const options = await withComparisons([left, right], { compare: { price: 1, cost: 2 }, on });
  expect(() => prepareTables(left, right, options)).toThrow(
    "--compare price and --compare cost are about columns that are compared with each other. Leave one out.",
  );
  const one = await withComparisons([left, right], { compare: { cost: 2 }, on });
  expect(prepareTables(left, right, one).fields.map(({ own }) => own)).toContainEqual({
    within: 2,
    isShare: false,
  });
});
