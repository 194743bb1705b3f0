/** Jaro-Winkler similarity against published values. */
import { describe, expect, it } from "vitest";
import { jaroWinkler } from "../../../src/match/spelling/soft-words.js";

describe("Jaro-Winkler", () => {
  // Winkler's own table (1994) and the examples of the literature, to three digits.
  it.each([
    ["MARTHA", "MARHTA", 0.961],
    ["DWAYNE", "DUANE", 0.84],
    ["DIXON", "DICKSONX", 0.813],
    ["SHACKLEFORD", "SHACKELFORD", 0.982],
    ["DUNNINGHAM", "CUNNIGHAM", 0.896],
    ["NICHLESON", "NICHULSON", 0.956],
    ["JONES", "JOHNSON", 0.832],
    ["MASSEY", "MASSIE", 0.933],
    ["ABROMS", "ABRAMS", 0.922],
    ["abc", "xyz", 0],
    ["", "a", 0],
    ["a", "a", 1],
  ])("gives %s and %s %d", (a, b, winkler) => {
    expect(jaroWinkler(a, b)).toBeCloseTo(winkler, 3);
  });
});
