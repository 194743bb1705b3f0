/** TF-IDF against scikit-learn's TfidfVectorizer (test/oracles/tfidf.py). */
import { describe, expect, it } from "vitest";
import { learnTerms, tfidfBaseline, tfidfWordsBaseline } from "../../../src/benchmark/baselines/tfidf.js";
import { charWbNgrams, wordTokens } from "../../../src/text/char-ngrams.js";
import oracle from "../../oracles/tfidf.json" with { type: "json" };

const cases = [
  {
    baseline: tfidfBaseline(),
    analyse: (text: string) => charWbNgrams(text),
    expected: oracle.characters,
  },
  { baseline: tfidfWordsBaseline(), analyse: wordTokens, expected: oracle.words },
] as const;

describe.each(cases)("the baseline $baseline.name", ({ baseline, analyse, expected }) => {
  const fitted = baseline.fit(oracle.phrases, []);

  it("learns scikit-learn's vocabulary and idf", () => {
    const idf = Object.fromEntries(
      [...learnTerms(oracle.phrases, analyse)].map(([term, { idf }]) => [term, idf]),
    );
    expect(Object.keys(idf).sort()).toEqual(Object.keys(expected.idf).sort());
    for (const [term, value] of Object.entries(expected.idf)) expect(idf[term]).toBeCloseTo(value, 12);
  });

  it("gives scikit-learn's cosines through the index, and pair by pair", () => {
    const scores = new Float64Array(oracle.phrases.length);
    oracle.phrases.forEach((phrase, row) => {
      fitted.all(phrase, scores);
      expected.cosines[row].forEach((cosine, column) => {
        expect(scores[column]).toBeCloseTo(cosine, 10);
        expect(fitted.pair(phrase, oracle.phrases[column])).toBeCloseTo(cosine, 10);
      });
    });
  });

  it("gives a text of unknown terms no similarity with anything", () => {
    const scores = new Float64Array(oracle.phrases.length).fill(1);
    fitted.all("qqzzqq", scores);
    expect(scores.every((score) => score === 0)).toBe(true);
    expect(fitted.pair("qqzzqq", "qqzzqq")).toBe(0);
  });
});
