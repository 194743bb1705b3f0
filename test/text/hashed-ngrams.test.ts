import { describe, expect, it } from "vitest";
import { hashNgrams, normalizedWords } from "../../src/text/hashed-ngrams.js";

const options = { minimum: 3, maximum: 4, buckets: 2 ** 20, limit: 100 };

function buckets(phrase: string, overrides = {}): number[] {
  const target = new Int32Array(200);
  const { count } = hashNgrams(phrase, { ...options, ...overrides }, target);
  return [...target.subarray(0, count)];
}

describe("normalizedWords", () => {
  it("folds case, accents, compatibility forms and letters that NFKD keeps", () => {
    expect(normalizedWords("Zürich, CH")).toEqual(["zurich", ",", "ch"]);
    expect(normalizedWords("Straße № ﬁve")).toEqual(["strasse", "no", "five"]);
    expect(normalizedWords("Łódź")).toEqual(["lodz"]);
    expect(normalizedWords(" \t\u0000 ")).toEqual([]);
  });

  it("keeps the signs that distinguish C++ from C#", () => {
    expect(normalizedWords("C++")).toEqual(["c", "+", "+"]);
    expect(normalizedWords("C#")).toEqual(["c", "#"]);
  });
});

describe("hashNgrams", () => {
  it("writes the 3- and 4-grams of the marked word and the word itself", () => {
    // ^abc$ has ^ab abc bc$ (3), ^abc abc$ (2) and the whole word (1).
    expect(buckets("abc")).toHaveLength(6);
    expect(new Set(buckets("abc")).size).toBe(6);
    // ^a$ is a 3-gram and the whole word at once.
    expect(buckets("a")).toHaveLength(1);
  });

  it("gives equal n-grams equal buckets, wherever they stand", () => {
    const shared = buckets("abcd").filter((bucket) => buckets("abce").includes(bucket));
    // ^ab abc ^abc
    expect(shared).toHaveLength(3);
    expect(buckets("new york")).toEqual([...buckets("new"), ...buckets("york")]);
  });

  it("stops at the limit and reports letters that it did not reach", () => {
    const target = new Int32Array(10);
    expect(hashNgrams("abcdefgh", { ...options, limit: 4 }, target)).toEqual({
      count: 4,
      truncated: true,
    });
    expect([...target.subarray(4)]).toEqual([0, 0, 0, 0, 0, 0]);
    const cut = (phrase: string, limit: number): boolean =>
      hashNgrams(phrase, { ...options, limit }, new Int32Array(limit)).truncated;
    // 4-grams from ^ to d: nothing but short n-grams at the end is left out, and then letters too
    expect([cut("abcdefgh", 14), cut("abcdefgh", 12), cut("abcdefgh i", 14)]).toEqual([false, true, true]);
    expect(hashNgrams("abc", { ...options, limit: 6 }, target)).toEqual({ count: 6, truncated: false });
  });

  it("spreads 20,000 n-grams evenly over few buckets", () => {
    const counts = new Uint32Array(64);
    for (let i = 0; i < 20_000; i++)
      for (const bucket of buckets(i.toString(36), { buckets: 64 })) counts[bucket]++;
    const mean = counts.reduce((sum, count) => sum + count, 0) / 64;
    expect(Math.min(...counts)).toBeGreaterThan(0.8 * mean);
    expect(Math.max(...counts)).toBeLessThan(1.25 * mean);
  });
});
