/** Pairs of phrases with two forms of one content word, from a few sentences. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSynsets, type Synset } from "../../../src/text/wordnet.js";
import { testFolder } from "../../table/folder.js";

interface Settings {
  words: number;
  fewest: number;
  phrases: number;
  pairs: number;
  seed: number;
}
const script = new URL("../../../scripts/pearl-mini/data/word-forms.mjs", import.meta.url).href;
const { formPairs } = (await import(script)) as {
  formPairs: (texts: string[], synsets: Synset[], settings: Settings) => Promise<[string, string][]>;
};
const synsets: Synset[] = [];
for await (const synset of readSynsets()) synsets.push(synset);

const { path } = testFolder();
const text = join(path, "text.txt");
writeFileSync(
  text,
  [
    "The school was established in spring.",
    "They wanted to establish a school.",
    "The establishment of the school took years.",
    "It establishes the school, and the establisher did not establish it.",
    "Prices fell and will fall.",
    "She turned up the sound and had to turn down the light.",
    "He saw the London light.",
  ].join("\n"),
);
const settings = { words: 4, fewest: 1, phrases: 80, pairs: 400, seed: 1 };
const pairs = await formPairs([text], synsets, settings);
const has = (one: RegExp, other: RegExp) =>
  pairs.some(([a, b]) => (one.test(a) && other.test(b)) || (one.test(b) && other.test(a)));
const sides = pairs.flat();

describe("scripts/pearl-mini/data/word-forms.mjs", () => {
  it("pairs forms of a lemma and of related lemmas, with function words", () => {
    expect(has(/\bestablished$/, /\bestablishe?s?\b/)).toBe(true);
    expect(has(/establishment/, /\bestablish(?:ed|es)?\b/)).toBe(true);
    expect(has(/\bfell\b/, /\bfall\b/)).toBe(true);
    expect(sides).toContain("was established");
  });

  it("never pairs phrases with the same form or with unrelated lemmas", () => {
    const stems = /establish|school|fall|fell|turn|want|price|see|saw|light|sound|year|spring|take|took/;
    for (const [a, b] of pairs) {
      const [one, other] = [a, b].map((phrase) => phrase.split(" ").filter((word) => stems.test(word)));
      expect([one.length, other.length], `${a} | ${b}`).toEqual([1, 1]);
      expect(one[0], `${a} | ${b}`).not.toBe(other[0]);
    }
    expect(has(/school/, /establish/)).toBe(false);
    // an establisher is a person, not an act of establishing
    expect(sides.filter((phrase) => phrase.includes("establisher"))).toEqual([]);
  });

  it("leaves out function words that change the meaning, particles after verbs, names and long phrases", () => {
    expect(sides.filter((phrase) => /\bnot\b|\bturn(?:ed)? (?:up|down)\b|london/i.test(phrase))).toEqual([]);
    for (const phrase of sides) expect(phrase.split(" ").length).toBeLessThanOrEqual(4);
  });

  it("is deterministic, respects the maximum number of pairs and skips rare lemmas", async () => {
    expect(await formPairs([text], synsets, settings)).toEqual(pairs);
    const few = await formPairs([text], synsets, { ...settings, pairs: 1 });
    expect(few.length).toBeGreaterThan(0);
    expect(few.length).toBeLessThan(pairs.length);
    expect(await formPairs([text], synsets, { ...settings, fewest: 1000 })).toEqual([]);
  });
});
