import { describe, expect, it } from "vitest";
import { cellWords, splitIdeographs } from "../../../src/match/cells/cell-words.js";
import { dateNumber, dayOf, isDayFirst, readDate } from "../../../src/match/cells/dates.js";
import { cellNumber } from "../../../src/match/cells/numbers.js";

describe("words of a cell", () => {
  it.each([
    ["Sony CD-MR80D", ["sony", "cdmr80d"]],
    ["Dvořák, Antonín", ["dvorak", "antonin"]],
    ["5.60 Cu. Ft. (white)", ["5.60", "cu", "ft", "white"]],
    ["$2,399.00", ["2399"]],
    ["O'Brien & Sons", ["obrien", "sons"]],
    ["Fran\\u00E7oise Zou00EB", ["francoise", "zoe"]],
    ["Vujovi\\u0107, u00C9dith Mu00FCller, Strau00DFe", ["vujovic", "edith", "muller", "strasse"]],
    ["sku0012 sku0041 sku0107", ["sku0012", "sku0041", "sku0107"]],
    ["sku00C1 sku00E100", ["sku00c1", "sku00e100"]],
    ["Ren? Moli?re", ["ren", "molire"]],
    ["Moli\ufffdre", ["molire"]],
    ["why? because", ["why", "because"]],
    ["415/398-5700", ["415", "3985700"]],
    ["  ", []],
    ["-120", ["-120"]],
    ["−1 234,50 €", ["-1234.50"]],
    ["12 EUR", ["12", "eur"]],
    ["123abc", ["123abc"]],
    ["a .75 inch pipe for 1'234.56", ["a", "0.75", "inch", "pipe", "for", "1234.56"]],
    ["192.168.10.25 eth0", ["192.168.10.25", "eth0"]],
    ["राम/रोम", ["राम", "रोम"]],
    ["C, C++ and (F#)", ["c", "c++", "and", "f#"]],
    ["a+b #1 x#", ["a", "b", "1", "x#"]],
    ["Acme Limited", ["acme", "ltd"]],
    ["Muster Aktiengesellschaft", ["muster", "ag"]],
    ["!!!", ["!!!"]],
    [" € ", ["€"]],
    ["-", []],
    ["... ?", []],
  ])("splits %s", (text, words) => {
    expect(cellWords(text)).toEqual(words);
  });

  it("keeps 80 words of a long cell", () => {
    expect(cellWords("word ".repeat(500))).toHaveLength(80);
  });
});

describe("signs of a cell", () => {
  it.each([
    ["株式会社山田電機", ["株", "式", "会", "社", "山", "田", "電", "機"]],
    ["山田　ﾃﾞｼﾞﾀﾙ(株)", ["山", "田", "デジタル".normalize("NFKD"), "株"]],
    ["ソニー製テレビLX-997", ["ソニー", "製", "テレビ".normalize("NFKD"), "lx997"]],
    ["が３丁目", ["が".normalize("NFKD"), "3", "丁", "目"]],
  ])("are words of their own in %s, but for katakana", (text, signs) => {
    expect(splitIdeographs(text)).toEqual(signs);
  });

  it("are not split in scripts that have spaces or combine letters", () => {
    for (const text of ["Sony CD-MR80D", "ООО Ромашка", "삼성 전자", "ไทย สยาม", "שלום", "النور"]) {
      const words = cellWords(text);
      expect(splitIdeographs(text, words), text).toEqual(words);
    }
  });

  it("are 80 of a long cell", () => {
    expect(splitIdeographs("東京都".repeat(50))).toHaveLength(80);
  });
});

describe("numbers and dates of a cell", () => {
  it("reads numbers with thousands separators and currency signs, and no others", () => {
    expect(cellNumber("$1,234.50")).toBe(1234.5);
    expect(cellNumber("-3")).toBe(-3);
    expect(cellNumber("12 EUR")).toBe(12);
    expect(cellNumber("3 rooms of 4")).toBeNaN();
  });

  it("reads numbers as other countries write them", () => {
    for (const text of ["1'234.56", "1’234.56", "1.234,56", "1 234,56", "1\u202f234,56 €", "1,234.56"])
      expect(cellNumber(text), text).toBe(1234.56);
    for (const text of ["12,34,567", "1,234,567", "1.234.567", "1 234 567"])
      expect(cellNumber(text), text).toBe(1234567);
    expect([".75", ",75", "0,125", "−5.2", "1.234", "1,234"].map(cellNumber)).toEqual([
      ...[0.75, 0.75, 0.125, -5.2, 1.234, 1234],
    ]);
    for (const text of ["192.168.100.200", "10.0.0.1"]) expect(cellNumber(text), text).toBeNaN();
    expect(["192.168.100.256", "192.168.100.200 €", "1.200.000.000"].map(cellNumber)).toEqual([
      ...[192168100256, 192168100200, 1_200_000_000],
    ]);
    for (const text of ["1.2.3", "12 34", "1,2,3", "-", ".", ""]) expect(cellNumber(text), text).toBeNaN();
  });

  it("reads the same day in every notation", () => {
    for (const text of [
      "1999-04-05",
      "19990405",
      "4/5/1999",
      "5 April 1999",
      "April 5, 1999",
      "1999/4/5 10:00",
      "5th April 1999",
      "Monday, 5 Apr. 1999",
      "4/5/99",
      "5 avril 1999",
      "5 de abril de 1999",
    ])
      expect(dateNumber(text), text).toBe(19990405);
    expect(readDate("25.12.2001")).toEqual([2001, 12, 25]);
    expect(readDate("3.12.1980")).toEqual([1980, 12, 3]);
    expect(readDate("3/12/1980")).toEqual([1980, 3, 12]);
    expect(readDate("1999-13-05")).toBeUndefined();
    expect(readDate("12345678")).toBeUndefined();
    expect(readDate("5. März 2001")).toEqual([2001, 3, 5]);
    expect(readDate("Sept. 5, 2001")).toEqual([2001, 9, 5]);
    expect(readDate("Donnerstag, 5. Mai 2001")).toEqual([2001, 5, 5]);
    expect(readDate("segunda-feira, 7 de maio de 2001")).toEqual([2001, 5, 7]);
    expect(readDate("Markets 12 2008")).toBeUndefined();
  });

  it("reads the order of day and month off a column that shows it", () => {
    expect(isDayFirst(["12/04/1999", "13/04/1999", "99/99/1999", "4.13.1999"])).toBe(true);
    expect(isDayFirst(["12/04/1999", "04/13/99"])).toBe(false);
    expect(isDayFirst(["13/04/1999", "04/13/1999"])).toBeUndefined();
    expect(isDayFirst(["12/04/1999", "1999-04-13", "1.2"])).toBeUndefined();
    expect(readDate("12/04/1999", true)).toEqual([1999, 4, 12]);
    expect(readDate("04/13/1999", true)).toEqual([1999, 4, 13]);
  });

  it("counts days over the end of a month", () => {
    expect(dayOf(20000301) - dayOf(20000228)).toBe(2);
  });
});
