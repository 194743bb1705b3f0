import { describe, expect, it } from "vitest";
import { changeLetterCase } from "../../../src/augmentation/token/spelling.js";
import { createRandom } from "../../../src/random.js";

const outcomes = (phrase: string): Set<string | undefined> => {
  const random = createRandom(5);
  return new Set(Array.from({ length: 60 }, () => changeLetterCase(phrase, random, {})));
};

describe("the rule of letter case", () => {
  it("writes a name in lower case, in capitals and in title case, and never unchanged", () => {
    expect(outcomes("The New York Times")).toEqual(new Set(["the new york times", "THE NEW YORK TIMES"]));
    expect(outcomes("WORLD BANK")).toEqual(new Set(["world bank", "World Bank"]));
    expect(outcomes("iPhone of Zürich")).toEqual(
      new Set(["iphone of zürich", "IPHONE OF ZÜRICH", "Iphone of Zürich"]),
    );
  });

  it("does not apply where there are no letters", () => {
    expect(outcomes("1984 – 2001")).toEqual(new Set([undefined]));
  });
});
