import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { buildCharacterVocabulary, characterVocabularySchema } from "../../src/text/character-vocabulary.js";

describe("the vocabulary of words", () => {
  it("contains lower-case letters once, in order, and frequent pieces", () => {
    const vocabulary = buildCharacterVocabulary([
      ["Zoo", 3],
      ["zoom", 2],
    ]);
    expect(vocabulary.characters).toEqual(["m", "o", "z"]);
    expect(vocabulary.pieces.slice(0, 2)).toEqual(["##oo", "zoo"]);
  });

  it("keeps the most frequent characters where there are too many", () => {
    const frequent = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + i));
    const words = [["a", 1] as const, ...frequent.map((character) => [character, 5] as const)];
    expect(buildCharacterVocabulary(words, { pieces: 0 })).toEqual({ characters: frequent, pieces: [] });
  });

  it("is refused where a file contains something else", () => {
    for (const value of [undefined, [], { characters: "abc" }, { characters: ["a"], pieces: [1] }])
      expect(safeParse(characterVocabularySchema, value).success).toBe(false);
  });
});
