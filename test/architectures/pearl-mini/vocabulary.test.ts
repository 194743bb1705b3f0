/** Words are found by number in shared memory as in a map. */
import { describe, expect, it } from "vitest";
import { indexWords, wordFinder } from "../../../src/architectures/pearl-mini/vocabulary.js";
import { createRandom } from "../../../src/random.js";

const finder = (text: string) => wordFinder(indexWords(new TextEncoder().encode(text)));

describe("wordFinder", () => {
  it("gives the numbers that a map gives", () => {
    const random = createRandom(3);
    const letters = [..."abcdeé山👍0"];
    const word = () =>
      Array.from({ length: 1 + random() * 5 }, () => letters[Math.floor(random() * letters.length)]).join("");
    const words = Array.from({ length: 3000 }, word);
    const numbers = new Map(words.map((own, i) => [own, i + 1]));
    const numberOf = finder(words.join("\n"));
    for (const own of [...words, ...Array.from({ length: 3000 }, word)])
      expect(numberOf(own), own).toBe(numbers.get(own) ?? 0);
  });

  it("counts no empty lines, and knows no word that is longer, shorter or empty", () => {
    const numberOf = finder("\nyork\n\n東京\nnew york\n");
    expect(["york", "東京", "new york"].map(numberOf)).toEqual([1, 2, 3]);
    expect(["", "yor", "yorks", "東", "new york times and so on", "\n"].map(numberOf)).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it("finds nothing in an empty file", () => {
    expect(finder("")("a")).toBe(0);
  });
});
