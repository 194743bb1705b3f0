/** The search for near phrases against brute force, and the ratio against published values. */
import { describe, expect, it } from "vitest";
import { comparableForm, editRatio, leastCommon } from "../../../src/pearl/hard-negatives/edit-ratio.js";
import { nearSearch } from "../../../src/pearl/hard-negatives/near-phrases.js";
import { buildPhraseStore } from "../../../src/pearl/hard-negatives/phrase-store.js";
import { createRandom } from "../../../src/random.js";

/** Phrases of random words, some of them with a few characters changed, a few very long, some in other scripts. */
function makePhrases(count: number, seed: number): string[] {
  const random = createRandom(seed);
  const draw = (alphabet: readonly string[]): string => alphabet[Math.floor(random() ** 2 * alphabet.length)];
  const latin = [..."etaoinshrdlucmfw"];
  const mixed = [...latin, ..."ÉéßЖж東京😀𝒳"];
  const phrases = new Set<string>();
  while (phrases.size < count) {
    const known = [...phrases];
    if (known.length > 10 && random() < 0.5) {
      const characters = [...known[Math.floor(random() * known.length)]];
      for (let edits = 1 + random() * 4; edits > 0; edits--)
        characters.splice(random() * characters.length, random() < 0.5 ? 1 : 0, draw(latin));
      phrases.add(characters.join(""));
      continue;
    }
    const words = random() < 0.04 ? 12 + 20 * random() : 1 + 3 * random();
    const alphabet = random() < 0.1 ? mixed : latin;
    const word = (): string => Array.from({ length: 1 + random() * 9 }, () => draw(alphabet)).join("");
    phrases.add(Array.from({ length: words }, word).join(" "));
  }
  return [...phrases].filter((phrase) => [...phrase].length <= 256);
}

describe("edit ratio", () => {
  it("equals the values that Levenshtein.ratio's documentation gives", () => {
    expect(editRatio("Hello world!", "Holly grail!")).toBeCloseTo(0.583333, 6);
    expect(editRatio("Brian", "Jesus")).toBe(0);
    expect(editRatio("lewenstein", "levenshtein")).toBeCloseTo(0.857142, 5);
  });

  it("counts characters, not UTF-16 units, and leaves letter case out", () => {
    expect(editRatio("a😀b", "a😁b")).toBeCloseTo(2 / 3, 12);
    expect(editRatio("NEW york", "new York")).toBe(1);
    expect(editRatio("", "")).toBe(0);
  });

  it("knows the shortest common subsequence above a ratio, where the bound itself is not above", () => {
    expect(leastCommon(0.7, 20)).toBe(8);
    for (let both = 1; both < 200; both++) {
      const least = leastCommon(0.7, both);
      expect((2 * least) / both).toBeGreaterThan(0.7);
      if (least > 0) expect((2 * (least - 1)) / both).toBeLessThanOrEqual(0.7);
    }
  });
});

describe("near phrases", () => {
  const phrases = makePhrases(900, 7);
  const store = buildPhraseStore(phrases);
  const search = (nearest: number) =>
    nearSearch(store, { minimumRatio: 0.7, nearest, isKnown: () => false })(0, store.size);

  /** For each phrase, all others above the ratio, nearest first, from comparing every pair. */
  const truth = Array.from(store.rows, (row) => {
    const found = phrases
      .map((other, index) => ({ index, ratio: editRatio(phrases[row], other) }))
      .filter(({ index, ratio }) => index !== row && ratio > 0.7);
    return found.sort((a, b) => b.ratio - a.ratio);
  });

  it("finds exactly the pairs that brute force finds, with their ratios, at every length up to 256", () => {
    expect(Math.max(...phrases.map((phrase) => [...comparableForm(phrase)].length))).toBeGreaterThan(128);
    search(phrases.length).forEach((near, place) => {
      const found = near.map((other) => [store.rows[other.place], other.ratio]);
      const expected = truth[place].map(({ index, ratio }) => [index, ratio]);
      expect(new Map(found as [number, number][])).toEqual(new Map(expected as [number, number][]));
    });
  });

  it("keeps the nearest where more are near", () => {
    expect(truth.filter(({ length }) => length > 3).length).toBeGreaterThan(50);
    search(3).forEach((near, place) => {
      expect(near.map(({ ratio }) => ratio)).toEqual(truth[place].slice(0, 3).map(({ ratio }) => ratio));
    });
  });

  it("leaves out and counts empty and long phrases", () => {
    const odd = buildPhraseStore(["cat", " ", "x".repeat(257), "cart"]);
    expect(odd).toMatchObject({ size: 2, empty: 1, tooLong: 1 });
    expect([...odd.rows]).toEqual([0, 3]);
  });
});
