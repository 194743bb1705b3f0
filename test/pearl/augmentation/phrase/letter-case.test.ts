import { describe, expect, it } from "vitest";
import { letterCaseRule } from "../../../../src/pearl/augmentation/phrase/letter-case.js";
import { createRandom } from "../../../../src/random.js";

const outcomes = (phrase: string): Set<string | undefined> => {
  const random = createRandom(5);
  return new Set(Array.from({ length: 60 }, () => letterCaseRule.draw(phrase, random, {})));
};

describe("the rule of letter case", () => {
  it("writes a name in small letters, in capitals, and with a capital for each word, but never as it stands", () => {
    expect(outcomes("The New York Times")).toEqual(new Set(["the new york times", "THE NEW YORK TIMES"]));
    expect(outcomes("WORLD BANK")).toEqual(new Set(["world bank", "World Bank"]));
    expect(outcomes("iPhone of Zürich")).toEqual(
      new Set(["iphone of zürich", "IPHONE OF ZÜRICH", "Iphone of Zürich"]),
    );
  });

  it("does not apply to what has no letters", () => {
    expect(outcomes("1984 – 2001")).toEqual(new Set([undefined]));
  });
});
