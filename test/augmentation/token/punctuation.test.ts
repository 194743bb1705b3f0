import { describe, expect, it } from "vitest";
import { addPunctuation } from "../../../src/augmentation/token/spelling.js";
import { createRandom } from "../../../src/random.js";

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
