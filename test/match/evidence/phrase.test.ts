import { describe, expect, it } from "vitest";
import {
  foldPhrase,
  haveSameLetters,
  numberValue,
  readJoinPhrase,
  splitFolded,
} from "../../../src/match/evidence/phrase.js";

const words = (text: string): string[] => splitFolded(foldPhrase(text));

describe("a phrase parsed for comparison", () => {
  it("ignores case, accents, apostrophes and thousands separators", () => {
    expect(foldPhrase("  Peters’ Plátanna ")).toBe("peters platanna");
    expect(foldPhrase("O'Brien")).toBe("obrien");
    expect(words("SB-242,084")).toEqual(["sb", "242084"]);
    expect(words("Home & Garden")).toEqual(words("home and garden"));
  });

  it("keeps signs behind a word, and a text of signs alone as its word, but no dashes and points", () => {
    expect(words("C++, C# or C (a+b)")).toEqual(["c++", "c#", "or", "c", "a", "b"]);
    expect([words("!!!"), words("€"), words("-"), words("...")]).toEqual([["!!!"], ["€"], [], []]);
    expect(haveSameLetters(readJoinPhrase("C"), readJoinPhrase("C++"))).toBe(false);
  });

  it("keeps vowels of Indic scripts and voicing marks of kana, which are no accents", () => {
    expect(words("राम और रोम")).toEqual(["राम", "और", "रोम"]);
    expect(new Set(["ハハ", "パパ", "ババ"].map(foldPhrase)).size).toBe(3);
    expect(foldPhrase("ﾊﾟﾊﾟ")).toBe(foldPhrase("パパ"));
  });

  it("splits joined words at inner capitals, but not names", () => {
    expect(words("NYTimes")).toEqual(["ny", "times"]);
    expect(words("AirForces Monthly")).toEqual(["air", "forces", "monthly"]);
    expect(words("McDonald")).toEqual(["mcdonald"]);
    expect(words("eBay")).toEqual(["ebay"]);
  });

  it("expands ranges of years, across the century too", () => {
    expect(readJoinPhrase("2005–06 OFC Championship").numbers).toEqual(["2005", "2006"]);
    expect(readJoinPhrase("1999-00 season").numbers).toEqual(["1999", "2000"]);
    // The dash of UTF-8 read as Latin-1.
    expect(readJoinPhrase("2005â\u0080\u009306 Cup").words).toEqual(readJoinPhrase("2005 06 Cup").words);
  });

  it("reads the first 1,000 characters of a text, since pairs take time with the product of their lengths", () => {
    const { folded, words, compact } = readJoinPhrase("lorem ipsum ".repeat(20_000));
    expect(folded.length).toBe(1000);
    expect(words.length).toBe(167);
    expect(compact.length).toBeLessThan(1000);
  });

  it("is the same as another only if the whole text is", () => {
    const long = "lorem ipsum ".repeat(100);
    const same = (a: string, b: string): boolean => haveSameLetters(readJoinPhrase(a), readJoinPhrase(b));
    expect(same(`${long} dolor`, `${long.replaceAll(" ", " - ")} Dolor!`)).toBe(true);
    expect(same(`${long} dolor`, `${long} color`)).toBe(false);
    expect(same(`${long} dolor`, long)).toBe(false);
  });

  it("compares numbers by value", () => {
    for (const word of ["8", "008", "viii", "eight", "eighth"]) expect(numberValue(word)).toBe("8");
    expect(readJoinPhrase("8th of May").numbers).toEqual(["8"]);
    expect(numberValue("ix")).toBe("9");
    expect(numberValue("xxiv")).toBe("24");
    for (const word of ["i", "x", "mix", "iiii", "vx", "civic"]) expect(numberValue(word)).toBeUndefined();
  });

  it("separates words in parentheses, unless all words are", () => {
    expect(readJoinPhrase("Dumb (Nirvana song)")).toMatchObject({ main: "dumb", aside: [false, true, true] });
    expect(readJoinPhrase("(What's the Story)")).toMatchObject({
      main: "whatsthestory",
      aside: [false, false, false],
    });
    expect(readJoinPhrase("")).toMatchObject({ compact: "", words: [], numbers: [] });
  });
});
