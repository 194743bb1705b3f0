import { describe, expect, it } from "vitest";
import { indexWords, wordFinder } from "../../../src/architectures/pearl-mini/vocabulary.js";

describe("a vocabulary in shared memory", () => {
  it("numbers lines as a map would, for words in any script and of any length", () => {
    const words = Array.from({ length: 5000 }, (_, i) => `w${(i * 7919) % 4999}`);
    words.push("été", "東京", "😀", "a", "a".repeat(300), "w", "constructor", "__proto__");
    const numberOf = wordFinder(indexWords(`${words.join("\n")}\n`));
    const map = new Map(words.map((word, i) => [word, i + 1]));
    for (const word of words) expect(numberOf(word)).toBe(map.get(word));
    for (const word of ["", "w5000", "w1 ", "W1", "aa", "東", "\ud83d", "été\n東京", "a\n"])
      expect(numberOf(word)).toBe(0);
  });

  it("skips empty lines, and can be empty", () => {
    const numberOf = wordFinder(indexWords("\nb\n\na"));
    expect([numberOf("b"), numberOf("a"), numberOf("")]).toEqual([1, 2, 0]);
    expect(wordFinder(indexWords(""))("a")).toBe(0);
  });

  it("lies in memory that threads share", () => {
    for (const part of Object.values(indexWords("a\nb")))
      expect(part.buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});
