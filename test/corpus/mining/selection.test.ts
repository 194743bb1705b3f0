/** Which near phrases are hard negatives, and which never are. */
import { describe, expect, it } from "vitest";
import {
  compactCosine,
  indexKnownPairs,
  isKnownPair,
  shareVectors,
  storeVectors,
} from "../../../src/corpus/mining/known-pairs.js";
import { selectNegatives } from "../../../src/pearl/hard-negatives/edit-ratio.js";
import { createRandom } from "../../../src/random.js";

describe("known pairs", () => {
  const phrases = [
    "U.S.A.",
    "usa",
    "colour",
    "color",
    "hue",
    "bank",
    "tank",
    "shore",
    "!!",
    "?!",
    "Zürich",
    "zurich",
  ];
  const row = (phrase: string): number => phrases.indexOf(phrase);
  const pairs = [
    { phrase: "colour", synonym: "hue" },
    { phrase: "hue", synonym: "color" },
    { phrase: "color", synonym: "colour" },
    { phrase: "bank", synonym: "Shore" },
    { phrase: "bank", synonym: "bank" },
    { phrase: "nowhere", synonym: "here" },
  ];
  const known = indexKnownPairs(phrases, pairs);
  const isKnown = (a: string, b: string): boolean => isKnownPair(known, row(a), row(b));

  it("are equal but for case, accents, spaces and punctuation", () => {
    expect(isKnown("U.S.A.", "usa")).toBe(true);
    expect(isKnown("Zürich", "zurich")).toBe(true);
    expect(isKnown("!!", "?!")).toBe(false);
  });

  it("are the file's pairs, both ways, in any case", () => {
    expect(isKnown("bank", "shore")).toBe(true);
    expect(isKnown("shore", "bank")).toBe(true);
    expect(isKnown("bank", "tank")).toBe(false);
  });

  it("survive circles, and share a synonym", () => {
    expect(isKnown("colour", "color")).toBe(true);
    const chained = indexKnownPairs(
      ["a", "b", "c", "d"],
      [
        { phrase: "a", synonym: "b" },
        { phrase: "b", synonym: "c" },
        { phrase: "c", synonym: "d" },
      ],
    );
    expect(isKnownPair(chained, 0, 2)).toBe(true);
    expect(isKnownPair(chained, 0, 3)).toBe(false);
  });
});

describe("selection", () => {
  const options = { margin: 0.3, listed: 12, floor: 0 };

  const candidates = (ratios: number[], cosines: number[]) =>
    ratios.map((ratio, index) => ({ index, ratio, cosine: cosines[index] }));

  it("scales cosines among the candidates, the phrase itself being 1, and lists the widest margin first", () => {
    // The lowest cosine is 0.8: the scale is (cosine - 0.8) / 0.2.
    const near = candidates([0.9, 0.8, 0.75, 0.8, 0.72], [0.95, 0.8, 0.9, 0.86, 0.88]);
    const selected = selectNegatives(near, options);
    expect(selected.map(({ index }) => index)).toEqual([1, 3, 4]);
    expect(selected.map(({ cosine }) => Number(cosine.toFixed(6)))).toEqual([0, 0.3, 0.4]);
  });

  it("does not make a single near-synonym a negative because it is the farthest", () => {
    const lone = candidates([0.9], [0.95]);
    expect(selectNegatives(lone, { ...options, floor: 0.7 })).toEqual([]);
    expect(selectNegatives(lone, { ...options, floor: 0.95 })).toHaveLength(1);
  });

  it("lists no more than asked, and nothing if the encoder gives all candidates the phrase's vector", () => {
    const ratios = new Array<number>(20).fill(0.8);
    const near = candidates(
      ratios,
      ratios.map((_, index) => index / 100),
    );
    expect(selectNegatives(near, { ...options, listed: 4 }).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(selectNegatives(candidates(ratios, new Array<number>(20).fill(1)), options)).toEqual([]);
  });
});

describe("compact vectors", () => {
  it("give cosines within 0.01 of the exact ones, and 0 with a zero vector", () => {
    const random = createRandom(3);
    const dimension = 96;
    const data = Float32Array.from({ length: 40 * dimension }, () => random() - 0.4);
    data.fill(0, 0, dimension);
    const vectors = shareVectors(40, dimension);
    storeVectors(vectors, 0, data);
    const row = (index: number) => data.subarray(index * dimension, (index + 1) * dimension);
    const dot = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, value, index) => sum + value * b[index], 0);
    for (let other = 1; other < 40; other++) {
      const exact = dot(row(1), row(other)) / Math.sqrt(dot(row(1), row(1)) * dot(row(other), row(other)));
      expect(Math.abs(compactCosine(vectors, 1, other) - exact)).toBeLessThan(0.01);
      expect(compactCosine(vectors, 0, other)).toBe(0);
    }
  });
});
