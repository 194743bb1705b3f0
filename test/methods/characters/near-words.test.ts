import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { nearWords } from "../../../src/methods/characters/word-list.js";
import { createRandom } from "../../../src/random.js";

describe("words that look alike", () => {
  const random = createRandom(5);
  const letter = () => "abcd"[Math.floor(random() * 4)];
  const words = [
    ...new Set(
      Array.from({ length: 250 }, () =>
        Array.from({ length: 4 + Math.floor(random() * 5) }, letter).join(""),
      ),
    ),
  ];

  it("are not searched among more than two million", () => {
    expect(() => nearWords(new Array(2 ** 21 + 1))).toThrow(
      "words are too many to search for similar spelling: use at most 2097152 (--limit)",
    );
  });

  it("are those that one deletion on each side makes equal, and no others", () => {
    const without = (word: string) => [
      word,
      ...[...word].map((_, i) => word.slice(0, i) + word.slice(i + 1)),
    ];
    const near = nearWords(words, { count: 1000 });
    let pairs = 0;
    words.forEach((word, i) => {
      const expected = words.filter(
        (other, j) => j !== i && without(word).some((a) => without(other).includes(a)),
      );
      pairs += expected.length;
      expect([...near[i]].map((j) => words[j]).sort()).toEqual(expected.sort());
    });
    expect(pairs).toBeGreaterThan(100);
  });

  it("come nearest first, and not more than asked for", () => {
    for (const [i, found] of nearWords(words, { count: 3 }).entries()) {
      expect(found.length).toBeLessThanOrEqual(3);
      const apart = [...found].map((j) => distance(words[i], words[j]));
      expect(apart).toEqual([...apart].sort((a, b) => a - b));
    }
  });

  it("count the same word in other letter case", () => {
    expect([...nearWords(["may", "May", "september"])[0]]).toEqual([1]);
  });
});
