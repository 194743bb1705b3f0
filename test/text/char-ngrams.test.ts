/** The analysers against scikit-learn's, on phrases chosen to be awkward (test/oracles/tfidf.py). */
import { describe, expect, it } from "vitest";
import { charWbNgrams, wordTokens } from "../../src/text/char-ngrams.js";
import oracle from "../oracles/tfidf.json" with { type: "json" };

describe("character n-grams within words", () => {
  it.each(oracle.phrases.map((phrase, row) => [phrase, oracle.characters.terms[row]] as const))(
    "cuts %j as scikit-learn's char_wb does",
    (phrase, expected) => {
      expect(charWbNgrams(phrase)).toEqual(expected);
    },
  );

  it("gives a word no longer than n once, and none of the longer n-grams", () => {
    expect(charWbNgrams("a", { min: 2, max: 4 })).toEqual([" a", "a ", " a "]);
    expect(charWbNgrams("a", { min: 4, max: 5 })).toEqual([" a "]);
  });
});

describe("word tokens", () => {
  it.each(oracle.phrases.map((phrase, row) => [phrase, oracle.words.terms[row]] as const))(
    "finds scikit-learn's words in %j",
    (phrase, expected) => {
      expect(wordTokens(phrase)).toEqual(expected);
    },
  );
});
