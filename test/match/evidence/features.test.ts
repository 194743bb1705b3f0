import { describe, expect, it } from "vitest";
import { termCosine, termRows } from "../../../src/match/candidates/grams.js";
import {
  type FeatureName,
  featureNames,
  pairFeatures,
  weighPhrase,
} from "../../../src/match/evidence/features.js";
import { foldPhrase } from "../../../src/match/evidence/phrase.js";

/** The features of two phrases in a table of the given ones. */
function viewsOf(left: string, right: string, table: readonly string[] = []): Record<FeatureName, number> {
  const terms = termRows([left, ...table].map(foldPhrase), [right].map(foldPhrase));
  const [a, b] = [left, right].map((text) => weighPhrase(text, terms.statistics));
  const features = new Float64Array(featureNames.length);
  pairFeatures(a, b, { embedding: 0.5, grams: termCosine(terms.right, 0, terms.left, 0) }, features);
  return Object.fromEntries(featureNames.map((name, at) => [name, features[at]])) as Record<
    FeatureName,
    number
  >;
}

describe("features of a pair", () => {
  it("lie between 0 and 1 for any two phrases", () => {
    const phrases = [
      "",
      "A",
      "The New York Times",
      "NYTimes",
      "1998 (song)",
      "(x)",
      "日本",
      "🎉",
      "a".repeat(300),
      "III",
    ];
    const outside: string[] = [];
    for (const left of phrases) {
      for (const right of phrases) {
        for (const [name, value] of Object.entries(viewsOf(left, right))) {
          if (!(value >= 0 && value <= 1 + 1e-6))
            outside.push(`${name} of "${left}" and "${right}": ${value}`);
        }
      }
    }
    expect(outside).toEqual([]);
  });

  it("detect different years, and equal years in different positions", () => {
    const other = viewsOf("1998 Winter Olympics", "2002 Winter Olympics");
    expect(other).toMatchObject({ numbersConflict: 1, yearsConflict: 1, numbersAgree: 0 });
    const same = viewsOf("Winter Olympics 1998", "1998 Winter Olympics");
    expect(same).toMatchObject({ numbersConflict: 0, numbersAgree: 1, sameWords: 1 });
    expect(viewsOf("Winter Olympics", "1998 Winter Olympics")).toMatchObject({ numbersOneSided: 1 });
  });

  it("take opposites for a conflict, as different numbers", () => {
    expect(viewsOf("Robert Downey Sr", "Robert Downey, Junior").numbersConflict).toBe(1);
    expect(viewsOf("Robert Downey Jr.", "Robert Downey, Junior").numbersConflict).toBe(0);
    expect(viewsOf("Robert Downey", "Robert Downey Jr.").numbersConflict).toBe(0);
  });

  it("give a rare word more weight than one in every row", () => {
    const table = Array.from(
      { length: 50 },
      (_, row) => `Diocese of ${String.fromCharCode(97 + (row % 26))}ville${row}`,
    );
    const rare = viewsOf("Diocese of Lucknow", "Lucknow", table);
    const common = viewsOf("Diocese of Lucknow", "Diocese of", table);
    expect(rare.leftCovered).toBeGreaterThan(2 * common.leftCovered);
    expect(common.leftRarest).toBeGreaterThan(2 * rare.leftRarest);
  });

  it("compare the parts inside and outside parentheses", () => {
    expect(viewsOf("Dumb (song)", "Dumb (Nirvana song)")).toMatchObject({
      sameOutsideParentheses: 1,
      parenthesesDiffer: 0,
      mainEdits: 1,
    });
    expect(viewsOf("Dumb (song)", "Dumb (film)")).toMatchObject({ parenthesesDiffer: 1 });
    expect(viewsOf("Dumb", "Dumb (film)")).toMatchObject({ parenthesesOneSided: 1 });
  });

  it("call two texts the same only if they are to their ends", () => {
    const long = "lorem ipsum ".repeat(100);
    const same = { sameLetters: 1, sameOutsideParentheses: 0 };
    expect(viewsOf(`${long} one`, `${long.toUpperCase()} one`)).toMatchObject(same);
    const differ = { sameLetters: 0, sameOutsideParentheses: 0 };
    expect(viewsOf(`${long} one`, `${long} other`)).toMatchObject(differ);
    expect(viewsOf(`(x) ${long} one`, `${long} other`)).toMatchObject(differ);
  });

  it("are 0 without types, and rise as the types disagree", () => {
    const phrase = weighPhrase("Acme", termRows(["acme"], ["acme"]).statistics);
    const differ = (types?: number): number => {
      const features = new Float64Array(featureNames.length).fill(0.5);
      pairFeatures(phrase, phrase, { embedding: 1, grams: 1, types }, features);
      return features[featureNames.indexOf("typesDiffer")];
    };
    expect([differ(undefined), differ(1), differ(0.25), differ(0)]).toEqual([0, 0, 0.75, 1]);
  });
});
