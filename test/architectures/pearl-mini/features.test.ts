/** Phrases as the inputs of the word encoder. */
import { describe, expect, it } from "vitest";
import { wordFeaturizer } from "../../../src/architectures/pearl-mini/features.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import { hashNgrams } from "../../../src/text/hashed-ngrams.js";

const options = { minimum: 3, maximum: 4, buckets: 1024, ngrams: 8, phraseLength: 3 };
const featurizer = wordFeaturizer({ kind: "words", ...options }, ["the", "york", "times"]);

function feedsOf(phrases: readonly string[]): Feeds {
  const feeds: Feeds = {};
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), 0, feeds);
  return feeds;
}
const numbers = (feeds: Feeds, name: string): number[] => Array.from(feeds[name].data, Number);

describe("the word encoder's inputs", () => {
  it("hold each word of the batch once, after the padding", () => {
    const feeds = feedsOf(["the York Times", "York", "zork York"]);
    expect(feeds.phrase_words.dims).toEqual([3, 3]);
    expect(numbers(feeds, "phrase_words")).toEqual([1, 2, 3, 2, 0, 0, 4, 2, 0]);
    expect(numbers(feeds, "word_ids")).toEqual([0, 1, 2, 3, 0]);
    expect(numbers(feeds, "phrase_marks")).toEqual([1, 4, 4, 4, 0, 0, 1, 4, 0]);
  });

  it("hold each word's n-grams, counted from 1, and one over the root of their number", () => {
    const feeds = feedsOf(["york zz"]);
    const buffer = new Int32Array(options.ngrams);
    const width = feeds.word_ngrams.dims[1];
    for (const [row, word] of [
      [1, "york"],
      [2, "zz"],
    ] as const) {
      const { count } = hashNgrams(word, { ...options, limit: options.ngrams }, buffer);
      const expected = [...buffer.slice(0, count)].map((bucket) => bucket + 1);
      while (expected.length < width) expected.push(0);
      expect(numbers(feeds, "word_ngrams").slice(row * width, (row + 1) * width)).toEqual(expected);
      expect(feeds.word_scales.data[row]).toBeCloseTo(1 / Math.sqrt(count), 6);
    }
    expect(feeds.word_scales.data[0]).toBe(0);
  });

  it("are whole for a batch without words", () => {
    const feeds = feedsOf(["", "…"]);
    expect(feeds.phrase_words.dims).toEqual([2, 1]);
    expect(feeds.word_ngrams.dims).toEqual([1, 1]);
  });

  it("split unknown words at inner capitals, if the model asks for it", () => {
    const read = (innerCapitals?: "parted") => {
      const own = wordFeaturizer({ kind: "words", ...options, innerCapitals }, ["eurobasket", "times"]);
      const feeds: Feeds = {};
      own.fill(own.read(["NYTimes", "EuroBasket"]).rows, Int32Array.of(0, 1), 0, feeds);
      return numbers(feeds, "word_ids");
    };
    expect(read("parted")).toEqual([0, 0, 2, 1]);
    expect(read()).toEqual([0, 0, 1]);
  });

  it("give unknown words the number of the nearest known one, if the model asks for it", () => {
    const own = wordFeaturizer({ kind: "words", ...options, unknownWords: "nearest" }, ["the", "times"]);
    const feeds: Feeds = {};
    own.fill(own.read(["Tiems timess times", "tmes"]).rows, Int32Array.of(0, 1), 0, feeds);
    expect(numbers(feeds, "word_ids")).toEqual([0, 2, 2, 2, 0]);
    // each keeps its own n-grams
    expect(numbers(feeds, "phrase_words")).toEqual([1, 2, 3, 4, 0, 0]);
    const width = feeds.word_ngrams.dims[1];
    const rows = [1, 2, 3].map((row) => numbers(feeds, "word_ngrams").slice(row * width, (row + 1) * width));
    expect(new Set(rows.map(String)).size).toBe(3);
  });

  it("count phrases that were cut", () => {
    expect(featurizer.read(["a b c d", "the york", "extraordinarily"]).truncated).toBe(2);
  });
});
