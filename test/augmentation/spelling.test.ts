import { describe, expect, it } from "vitest";
import {
  addPunctuation,
  changeLetterCase,
  swapAnyTokens,
  swapNeighbours,
} from "../../src/augmentation/spelling.js";
import { createRandom } from "../../src/random.js";

const words = (text: string) => text.match(/[\p{L}\p{N}']+/gu)?.sort();

describe("punctuation", () => {
  it("adds between one mark and a third as many as words, and keeps the words in order", () => {
    const phrase = "one two three four five six";
    const random = createRandom(9);
    const added = new Set<number>();
    for (let drawn = 0; drawn < 100; drawn++) {
      const twin = addPunctuation(phrase, random, {}) as string;
      const tokens = twin.split(" ");
      expect(tokens.filter((token) => !/^[.;?:!,]$/.test(token)).join(" ")).toBe(phrase);
      expect(words(twin)).toEqual(words(phrase));
      added.add(tokens.length - 6);
    }
    expect([...added].sort()).toEqual([1, 2]);
  });

  it("does not apply to an empty phrase", () => {
    expect(addPunctuation(" ", createRandom(1), {})).toBeUndefined();
  });
});

describe("swap-words", () => {
  it("keeps the words and swaps two neighbours", () => {
    const random = createRandom(5);
    const seen = new Set<string>();
    for (let drawn = 0; drawn < 50; drawn++) seen.add(swapNeighbours("a b c d", random, {}) as string);
    expect([...seen].sort()).toEqual(["a b d c", "a c b d", "b a c d"]);
  });

  it("leaves punctuation in its place", () => {
    expect(swapNeighbours("Smith, John", createRandom(1), {})).toBe("John, Smith");
    expect(swapNeighbours("(red) wine", createRandom(1), {})).toBe("(wine) red");
  });

  it("does not apply to one word, or to words that are equal", () => {
    for (const phrase of ["word", "", "bye bye", "& Co", "..."]) {
      expect(swapNeighbours(phrase, createRandom(1), {}), phrase).toBeUndefined();
    }
  });

  it("swaps any two tokens as the published code does, with spaces around punctuation", () => {
    const random = createRandom(2);
    const seen = new Set<string>();
    for (let drawn = 0; drawn < 80; drawn++) seen.add(swapAnyTokens("Smith, John", random, {}) as string);
    expect([...seen].sort()).toEqual([", Smith John", "John , Smith", "Smith John ,"]);
    expect(swapAnyTokens("word", random, {})).toBeUndefined();
  });
});

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
