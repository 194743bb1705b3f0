import { describe, expect, it } from "vitest";
import { alignWords, wordLikeness } from "../../../src/match/evidence/phrase.js";

const align = (left: string, right: string) => {
  const met = alignWords(left.split(" "), right.split(" "));
  return { left: [...met.left], right: [...met.right], shortened: met.shortened };
};

describe("alignWords", () => {
  it("matches equal words in any position, each once", () => {
    expect(align("new york new", "york new")).toEqual({ left: [1, 1, 0], right: [1, 1], shortened: 0 });
  });

  it("matches joined words, initials and abbreviations", () => {
    expect(align("air forces monthly", "airforces monthly")).toMatchObject({
      left: [1, 1, 1],
      right: [1, 1],
    });
    expect(align("fcc v pacifica", "federal communications commission v pacifica")).toMatchObject({
      left: [0.9, 1, 1],
      right: [0.9, 0.9, 0.9, 1, 1],
      shortened: 1,
    });
    expect(align("intl court", "international court").shortened).toBe(1);
    expect(align("c anderson", "charles anderson").shortened).toBe(1);
  });

  it("matches no short word with one of other signs", () => {
    expect(align("c compiler", "c++ compiler").left).toEqual([0, 1]);
    expect(align("f", "f#").left).toEqual([0]);
    expect(align("canal", "canal+").left[0]).toBeGreaterThan(0.7);
  });

  it("matches a misspelt word in part, and a different one not at all", () => {
    const [, met] = align("georg hackenschmidt", "george hackenshmidt").left;
    expect(met).toBeGreaterThan(0.85);
    expect(met).toBeLessThan(1);
    expect(align("henry kissinger", "walter mondale").left).toEqual([0, 0]);
  });

  it("never matches different numbers, and matches equal ones in other words", () => {
    expect(wordLikeness("1998", "1999").likeness).toBe(0);
    expect(wordLikeness("viii", "vii").likeness).toBe(0);
    expect(wordLikeness("viii", "8").likeness).toBe(1);
    expect(wordLikeness("third", "3").likeness).toBe(1);
  });
});
