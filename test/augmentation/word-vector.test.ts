import { describe, expect, it } from "vitest";
import { outcomesOf } from "../../src/augmentation/rule.js";
import { nearestWords, nearWords } from "../../src/augmentation/word-vector.js";
import { createRandom } from "../../src/random.js";

describe("near words", () => {
  it("equal those of a brute-force search over the kept words", async () => {
    const random = createRandom(5);
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const data = Float32Array.from({ length: 120 }, random);
    const keeps = (word: string): boolean => word !== "w3";
    const found = await nearestWords({ dimension: 3, words, data }, keeps);
    const cosine = (a: string, b: string): number => {
      const [u, v] = [a, b].map((word) =>
        data.subarray(3 * words.indexOf(word), 3 * words.indexOf(word) + 3),
      );
      return u.reduce((sum, value, at) => sum + value * v[at], 0) / (Math.hypot(...u) * Math.hypot(...v));
    };
    const kept = words.filter(keeps);
    for (const word of kept) {
      const others = kept.filter((other) => other !== word && cosine(word, other) >= 0.6);
      const best = others.sort((left, right) => cosine(word, right) - cosine(word, left)).slice(0, 10);
      expect(found.filter(([from]) => from === word).map(([, to]) => to)).toEqual(best);
    }
  });

  it("replace lower-case words, and leave capitals and typed names alone", () => {
    const list = nearWords(new Map([["big", ["huge", "large"]]]));
    expect(outcomesOf(list, "a big house", {})).toEqual(["a huge house", "a large house"]);
    expect(outcomesOf(list, "Big Bend", {})).toEqual([]);
    expect(outcomesOf(list, "big bend", { type: "LOC" })).toEqual([]);
  });
});
