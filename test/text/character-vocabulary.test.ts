import { describe, expect, it } from "vitest";
import { buildCharacterVocabulary, checkCharacterVocabulary } from "../../src/text/character-vocabulary.js";

describe("the vocabulary of words", () => {
  it("holds small letters once, in order, and frequent pieces", () => {
    const vocabulary = buildCharacterVocabulary([
      ["Zoo", 3],
      ["zoom", 2],
    ]);
    expect(vocabulary.characters).toEqual(["m", "o", "z"]);
    expect(vocabulary.pieces.slice(0, 2)).toEqual(["##oo", "zoo"]);
  });

  it("keeps the most frequent characters where there are too many", () => {
    const words = [
      ["aab", 5],
      ["c", 1],
    ] as const;
    expect(buildCharacterVocabulary(words, { characters: 2, pieces: 0 })).toEqual({
      characters: ["a", "b"],
      pieces: [],
    });
  });

  it("is refused where a file holds something else", () => {
    for (const value of [undefined, [], { characters: "abc" }, { characters: ["a"], pieces: [1] }])
      expect(() => checkCharacterVocabulary(value, "characters.json")).toThrow(/characters\.json: expected/);
  });
});
