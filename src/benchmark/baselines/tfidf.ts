/** The untrained floor: cosine of TF-IDF as scikit-learn computes it, with the idf of the task's own phrases. */
import { charWbNgrams, wordTokens } from "../../text/char-ngrams.js";
import type { SimilarityModel } from "../model.js";
import { dotProducts, type InvertedIndex, invertedIndex } from "./inverted-index.js";

/** Character 2- to 4-grams within words: scikit-learn's TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)). */
export function tfidfBaseline(): SimilarityModel {
  return tfidfOver("tfidf", "char_wb 2-4", (text) => charWbNgrams(text));
}

/** Words: scikit-learn's TfidfVectorizer with its defaults. */
export function tfidfWordsBaseline(): SimilarityModel {
  return tfidfOver("tfidf-words", "words", wordTokens);
}

/** Splits a text into terms; repeated terms count. */
type Analyser = (text: string) => readonly string[];

function tfidfOver(name: string, terms: string, analyse: Analyser): SimilarityModel {
  return {
    kind: "similarity",
    name,
    fingerprint: `${name}: ${terms}, smooth idf of candidates and queries, unit rows`,
    fit(candidates, queries) {
      const idf = inverseFrequencies([...candidates, ...queries], analyse);
      const vectorOf = (text: string) => unitVector(analyse(text), idf);
      let index: InvertedIndex | undefined; // pairs alone need none
      return {
        pair(a, b) {
          const left = vectorOf(a);
          let sum = 0;
          for (const [term, weight] of vectorOf(b)) sum += (left.get(term) ?? 0) * weight;
          return sum;
        },
        all(query, scores) {
          index ??= invertedIndex(candidates.map(vectorOf));
          dotProducts(index, vectorOf(query), scores);
        },
      };
    },
  };
}

/** Smooth idf of each term: ln((1 + documents) / (1 + documents with the term)) + 1. */
export function inverseFrequencies(documents: readonly string[], analyse: Analyser): Map<string, number> {
  const counts = new Map<string, number>();
  for (const document of documents)
    for (const term of new Set(analyse(document))) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, count] of counts) counts.set(term, Math.log((1 + documents.length) / (1 + count)) + 1);
  return counts;
}

/** The weights of a text's known terms, scaled to unit length; empty if it has none. */
function unitVector(terms: readonly string[], idf: ReadonlyMap<string, number>): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) if (idf.has(term)) weights.set(term, (weights.get(term) ?? 0) + 1);
  let squares = 0;
  for (const [term, count] of weights) {
    const weight = count * idf.get(term)!;
    weights.set(term, weight);
    squares += weight * weight;
  }
  const scale = 1 / Math.sqrt(squares);
  for (const [term, weight] of weights) weights.set(term, weight * scale);
  return weights;
}
