import { describe, expect, it } from "vitest";
import { byMoreThanChance } from "../../../src/match/candidates/chance.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { candidateLimits, manyRows, perRowOfMany } from "../../../src/match/compare-tables.js";

// 1,000 rows, of which 20 may agree by chance: what two rows share must be in less than one of 50 rows, ln 3.9.
const rows = 1000;
const letters = (number: number): string =>
  [...String(number).padStart(4, "0")].map((digit) => "bdfgklmnrs"[Number(digit)]).join("a");
const column = (cell: (row: number) => string, ...changed: readonly [number, string][]): string[] =>
  Array.from({ length: rows }, (_, row) => new Map(changed).get(row) ?? cell(row));
const phone = (row: number): string => String(7_654_321_098 + 104_729_531 * row).slice(0, 10);
const tables = prepareTables(
  {
    name: column((row) => `${letters(row)}anu ${letters(2000 + row)}ozo`, [504, `${letters(3)}anu Ekker`]),
    city: column((row) => `${letters(row % 20)}stadt`),
    street: column((row) => `${letters(5000 + (row % 200))}gasse`),
    height: column((row) => (row * 1.75 + 0.05).toFixed(2)),
    phone: column(phone, [525, phone(5).slice(0, -1)]),
  },
  undefined,
);
const placeOf = new Map([...tables.order[0]].map((row, place) => [row, place]));

describe("two rows of a large table agree", () => {
  const isLikely = byMoreThanChance(tables, rows)!;
  const agree = (a: number, b: number): boolean => isLikely(placeOf.get(a)!, placeOf.get(b)!);

  it("by chance, where they share only a city that one in 20 rows has, or nothing", () => {
    expect([agree(3, 523), agree(523, 3), agree(3, 524)]).toEqual([false, false, false]);
  });

  it("by more than chance, where they share a street of five rows, or a word of their names", () => {
    expect([agree(3, 403), agree(3, 504), agree(504, 3), agree(2, 504)]).toEqual([true, true, true, false]);
  });

  it("by more than chance, where they share a city, and the telephone number has a slip", () => {
    expect([agree(5, 525), agree(525, 5), agree(4, 525), agree(6, 525)]).toEqual([true, true, false, false]);
  });

  it("by more than chance, where fewer than one in 100 rows have numbers as near", () => {
    expect([agree(700, 704), agree(700, 707)]).toEqual([true, false]);
  });

  it("always, where the table is small", () => {
    expect(byMoreThanChance(tables, 10 * rows)).toBeUndefined();
  });
});

describe("candidates of each row of one table", () => {
  it("get fewer as it grows, without a step", () => {
    const sizes = Array.from({ length: 60 }, (_, step) => Math.round(10_000 * 1.07 ** step));
    const found = sizes.map((size) => candidateLimits(size, true));
    expect(found[0]).toEqual({ k: 15, kOther: 8, postings: 20_000 });
    expect(candidateLimits(manyRows, true)).toEqual({
      ...{ k: perRowOfMany.k, kOther: perRowOfMany.kOther },
      postings: perRowOfMany.postings,
    });
    found.slice(1).forEach(({ k, kOther, postings }, at) => {
      const before = found[at];
      expect([0, 1]).toContain(before.k - k);
      expect([0, 1]).toContain(before.kOther - kOther);
      expect(before.postings / postings).toBeGreaterThanOrEqual(1);
      expect(before.postings / postings).toBeLessThan(1.08);
    });
  });
});
