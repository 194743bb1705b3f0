import { describe, expect, it } from "vitest";
import { buildCharacterVocabulary } from "../../src/text/character-vocabulary.js";
import { createWordReader, phraseWords } from "../../src/text/word-units.js";

const vocabulary = buildCharacterVocabulary([
  ["new", 3],
  ["news", 2],
  ["York", 1],
]);
const reader = createWordReader(
  { units: "characters-and-pieces", positions: 12, phraseLength: 4 },
  vocabulary,
);
const ids = (word: string) => [...reader.read(word).units].map((unit) => unit >> 1);
const capitals = (word: string) => [...reader.read(word).units].map((unit) => unit & 1);

describe("words of a phrase", () => {
  it("are runs of letters and digits, and runs of signs, as NLTK's wordpunct cuts them", () => {
    expect(phraseWords("Dr. No's (2nd) A_b…  ok")).toEqual([
      ...["Dr", ".", "No", "'", "s", "(", "2nd", ")", "A_b", "…", "ok"],
    ]);
  });

  it("are the same for composed and decomposed accents", () => {
    expect(phraseWords("Zu\u0308rich")).toEqual(phraseWords("Z\u00fcrich"));
  });
});

describe("units of a word", () => {
  it("are the characters and the pieces between LOVE's marks", () => {
    const word = ids("new");
    expect(word[0]).toBe(1);
    expect(word[4]).toBe(2);
    expect(word.at(-1)).toBe(3);
    // "new" is one piece: it was learned
    expect(word).toHaveLength(1 + 3 + 1 + 1 + 1);
  });

  it("keep case as a separate mark: IBM and ibm share their ids", () => {
    expect(ids("York")).toEqual(ids("york"));
    expect(capitals("York")).toEqual([0, 1, 0, 0, 0, ...capitals("York").slice(5)]);
    expect(capitals("york")).not.toContain(1);
  });

  it("distinguish most unknown characters", () => {
    expect(ids("東")).not.toEqual(ids("京"));
    expect(Math.max(...ids("東京"))).toBeLessThan(reader.rows);
  });

  it("are cut at the limit, and reported", () => {
    const long = reader.read("newsnewsnewsnews");
    expect(long.units).toHaveLength(12);
    expect(long.truncated).toBe(true);
    expect(reader.read("new").truncated).toBe(false);
  });
});
