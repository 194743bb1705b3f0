/** The untrained floor: cosine of TF-IDF over characters or words, its idf learned from the task's own phrases. */

import { charWbNgrams, wordTokens } from "../../text/char-ngrams.js";
import type { SimilarityModel } from "../model.js";
import {
  type Analyser,
  fitTfidf,
  indexTfidf,
  sparseCosine,
  tfidfSimilarities,
  tfidfVector,
} from "./tfidf-vectors.js";

/** Character 2- to 4-grams within words: scikit-learn's TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)). */
export function tfidfBaseline(): SimilarityModel {
  return tfidfOver("tfidf", "char_wb 2-4", (text) => charWbNgrams(text));
}

/** Words: scikit-learn's TfidfVectorizer() as it comes. */
export function tfidfWordsBaseline(): SimilarityModel {
  return tfidfOver("tfidf-words", "words", wordTokens);
}

function tfidfOver(name: string, terms: string, analyse: Analyser): SimilarityModel {
  return {
    kind: "similarity",
    name,
    fingerprint: `${name}: ${terms}, smooth idf of candidates and queries, unit rows`,
    fit(candidates, queries) {
      const model = fitTfidf([...candidates, ...queries], analyse);
      let index: ReturnType<typeof indexTfidf> | undefined; // pairs alone need none
      return {
        pair: (a, b) => sparseCosine(tfidfVector(model, a), tfidfVector(model, b)),
        all(query, scores) {
          index ??= indexTfidf(model, candidates);
          tfidfSimilarities(index, query, scores);
        },
      };
    },
    dispose: async () => {},
  };
}
