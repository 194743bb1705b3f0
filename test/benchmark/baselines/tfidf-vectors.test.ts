/** TF-IDF against scikit-learn's TfidfVectorizer (test/oracles/tfidf.py). */
import { describe, expect, it } from "vitest";
import {
  fitTfidf,
  indexTfidf,
  sparseCosine,
  tfidfSimilarities,
  tfidfVector,
} from "../../../src/benchmark/baselines/tfidf-vectors.js";
import { charWbNgrams, wordTokens } from "../../../src/text/char-ngrams.js";
import oracle from "../../oracles/tfidf.json" with { type: "json" };

const cases = [
  { name: "characters", analyse: (text: string) => charWbNgrams(text), expected: oracle.characters },
  { name: "words", analyse: wordTokens, expected: oracle.words },
] as const;

describe.each(cases)("TF-IDF over $name", ({ analyse, expected }) => {
  const model = fitTfidf(oracle.phrases, analyse);

  it("learns scikit-learn's vocabulary and idf", () => {
    const idf = Object.fromEntries([...model.vocabulary].map(([term, column]) => [term, model.idf[column]]));
    expect(Object.keys(idf).sort()).toEqual(Object.keys(expected.idf).sort());
    for (const [term, value] of Object.entries(expected.idf)) expect(idf[term]).toBeCloseTo(value, 12);
  });

  it("gives scikit-learn's cosines through the index, and pair by pair", () => {
    const index = indexTfidf(model, oracle.phrases);
    const scores = new Float64Array(oracle.phrases.length);
    oracle.phrases.forEach((phrase, row) => {
      tfidfSimilarities(index, phrase, scores);
      expected.cosines[row].forEach((cosine, column) => {
        const pair = sparseCosine(tfidfVector(model, phrase), tfidfVector(model, oracle.phrases[column]));
        expect(scores[column]).toBeCloseTo(cosine, 10);
        expect(pair).toBeCloseTo(cosine, 10);
      });
    });
  });

  it("gives a text of unknown terms the zero vector", () => {
    expect(tfidfVector(model, "qqzzqq").weights.every((weight) => weight === 0)).toBe(true);
  });
});
