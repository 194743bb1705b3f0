/** Jaro-Winkler similarity against published values. */
import { describe, expect, it } from "vitest";
import { jaroSimilarity, jaroWinkler } from "../../../src/match/evidence/jaro-winkler.js";

describe("Jaro-Winkler", () => {
  // Winkler's own table (1994) and the examples of the literature, to three digits.
  it.each([
    ["MARTHA", "MARHTA", 0.944, 0.961],
    ["DWAYNE", "DUANE", 0.822, 0.84],
    ["DIXON", "DICKSONX", 0.767, 0.813],
    ["SHACKLEFORD", "SHACKELFORD", 0.97, 0.982],
    ["DUNNINGHAM", "CUNNIGHAM", 0.896, 0.896],
    ["NICHLESON", "NICHULSON", 0.926, 0.956],
    ["JONES", "JOHNSON", 0.79, 0.832],
    ["MASSEY", "MASSIE", 0.889, 0.933],
    ["ABROMS", "ABRAMS", 0.889, 0.922],
    ["abc", "xyz", 0, 0],
    ["", "a", 0, 0],
    ["a", "a", 1, 1],
  ])("gives %s and %s Jaro %d and Jaro-Winkler %d", (a, b, jaro, winkler) => {
    expect(jaroSimilarity(a, b)).toBeCloseTo(jaro, 3);
    expect(jaroWinkler(a, b)).toBeCloseTo(winkler, 3);
  });

  it("is not affected by longer strings before", () => {
    const long = "x".repeat(1000);
    expect(jaroSimilarity(long, "y")).toBe(0);
    expect(jaroWinkler("MARTHA", "MARHTA")).toBeCloseTo(0.961, 3);
  });
});
