import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { indexWords, nearestFinder, wordFinder } from "../../../src/architectures/pearl-mini/vocabulary.js";
import { createRandom } from "../../../src/random.js";

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

describe("the nearest word of a vocabulary", () => {
  const nearest = (words: readonly string[]) =>
    nearestFinder(indexWords(words.join("\n"), { bySpelling: true }));

  it("is the first that is one edit away, as a search through all words finds it", () => {
    const random = createRandom(1);
    const word = () =>
      Array.from({ length: 4 + Math.floor(4 * random()) }, () => "abc"[Math.floor(3 * random())]);
    const words = [...new Set(Array.from({ length: 300 }, () => word().join("")))];
    const numberOf = nearest(words);
    const swapped = (text: string) =>
      Array.from(text.slice(1), (_, i) => text.slice(0, i) + text[i + 1] + text[i] + text.slice(i + 2));
    let found = 0;
    for (let i = 0; i < 2000; i++) {
      const asked = word().join("");
      const isNear = (other: string) =>
        asked.length >= 5 &&
        other.length >= 5 &&
        (distance(asked, other) <= 1 || swapped(asked).includes(other));
      const expected = words.findIndex(isNear) + 1;
      expect(numberOf(asked), asked).toBe(expected);
      if (expected > 0) found++;
    }
    expect(found).toBeGreaterThan(300);
  });

  it("has letters alone, at least five, in any script", () => {
    const numberOf = nearest(["1999", "10999", "time", "московский", "receive"]);
    const asked = ["1998", "10998", "times", "московски", "recieve", "recieved", "", "r".repeat(200)];
    expect(asked.map(numberOf)).toEqual([0, 0, 0, 4, 5, 0, 0, 0]);
  });
});
