import { describe, expect, it } from "vitest";
import { swapAnyTokens, swapNeighbours } from "../../../../src/pearl/augmentation/token/swap-words.js";
import { createRandom } from "../../../../src/random.js";

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
