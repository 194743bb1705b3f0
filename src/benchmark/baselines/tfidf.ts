/** The untrained floor: cosine of TF-IDF as scikit-learn computes it, and Jaccard similarity; terms are compared by an inverted index. */
import { charWbNgrams, wordTokens } from "../../text/char-ngrams.js";
import type { SimilarityModel } from "../model.js";

/** The rows that hold each term, with the term's weight in the row: compares a query with all of them at once. */
type InvertedIndex<Term> = ReadonlyMap<Term, { readonly rows: number[]; readonly weights: number[] }>;

type WeightedTerm<Term> = [term: Term, weight: number];

function invertedIndex<Term>(rows: readonly Iterable<WeightedTerm<Term>>[]): InvertedIndex<Term> {
  const index = new Map<Term, { rows: number[]; weights: number[] }>();
  rows.forEach((terms, row) => {
    for (const [term, weight] of terms) {
      const postings = index.get(term);
      if (postings) {
        postings.rows.push(row);
        postings.weights.push(weight);
      } else index.set(term, { rows: [row], weights: [weight] });
    }
  });
  return index;
}

/** Writes the dot product of the query with every row into `scores`: [rows]. */
export function dotProducts<Term>(
  index: InvertedIndex<Term>,
  query: Iterable<WeightedTerm<Term>>,
  scores: Float64Array,
): void {
  scores.fill(0);
  for (const [term, weight] of query) {
    const postings = index.get(term);
    if (!postings) continue;
    const { rows, weights } = postings;
    for (let place = 0; place < rows.length; place++) scores[rows[place]] += weight * weights[place];
  }
}

/** Character 2- to 4-grams within words: scikit-learn's TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)). */
export const tfidfBaseline = (): SimilarityModel =>
  tfidfOver("tfidf", "char_wb 2-4", (text) => charWbNgrams(text));

/** 2- and 3-grams, as string retrieval is compared with (Zaratiana et al.). */
export const shortTfidfBaseline = (): SimilarityModel =>
  tfidfOver("tfidf-2-3", "char_wb 2-3", (text) => charWbNgrams(text, { min: 2, max: 3 }));

/** Words: scikit-learn's TfidfVectorizer with its defaults. */
export const tfidfWordsBaseline = (): SimilarityModel => tfidfOver("tfidf-words", "words", wordTokens);

/** Splits a text into terms; repeated terms count. */
type Analyser = (text: string) => readonly string[];

function tfidfOver(name: string, terms: string, analyse: Analyser): SimilarityModel {
  return {
    kind: "similarity",
    name,
    fingerprint: `${name}: ${terms}, smooth idf of candidates and queries, unit rows`,
    fit(candidates, queries) {
      const terms = learnTerms([...candidates, ...queries], analyse);
      const vectorOf = (text: string) => unitVector(analyse(text), terms);
      let index: InvertedIndex<Term> | undefined; // pairs alone need none
      return {
        pair(a, b) {
          const left = new Map(vectorOf(a));
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

/** Statistics of a term. The object itself is the key of later maps: that is faster than its text. */
interface Term {
  documents: number;
  lastDocument: number;
  /** Smooth idf: ln((1 + all documents) / (1 + documents with the term)) + 1. */
  idf: number;
}

export function learnTerms(documents: readonly string[], analyse: Analyser): Map<string, Term> {
  const terms = new Map<string, Term>();
  documents.forEach((document, row) => {
    for (const text of analyse(document)) {
      const term = terms.get(text);
      if (!term) terms.set(text, { documents: 1, lastDocument: row, idf: 0 });
      else if (term.lastDocument !== row) {
        term.documents++;
        term.lastDocument = row;
      }
    }
  });
  for (const term of terms.values()) term.idf = Math.log((1 + documents.length) / (1 + term.documents)) + 1;
  return terms;
}

/** The weights of a text's known terms, scaled to unit length; empty if it has none. */
function unitVector(texts: readonly string[], terms: ReadonlyMap<string, Term>): WeightedTerm<Term>[] {
  const counts = new Map<Term, number>();
  for (const text of texts) {
    const term = terms.get(text);
    if (term) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const weighted = Array.from(counts, ([term, count]): WeightedTerm<Term> => [term, count * term.idf]);
  const scale = 1 / Math.sqrt(weighted.reduce((sum, [, weight]) => sum + weight * weight, 0));
  for (const entry of weighted) entry[1] *= scale;
  return weighted;
}

/** |A ∩ B| / |A ∪ B|; two phrases without any n-gram are not similar. */
export function jaccardSimilarity(a: string, b: string): number {
  const left = gramSet(a);
  const right = gramSet(b);
  let shared = 0;
  for (const gram of left.keys()) if (right.has(gram)) shared++;
  const union = left.size + right.size - shared;
  return union === 0 ? 0 : shared / union;
}

export function jaccardBaseline(): SimilarityModel {
  return {
    kind: "similarity",
    name: "jaccard",
    fingerprint: "jaccard: sets of char_wb 3-grams, lower case",
    fit(candidates) {
      let index: InvertedIndex<string> | undefined; // pairs alone need none
      let sizes: readonly number[] = [];
      return {
        pair: jaccardSimilarity,
        all(query, scores) {
          if (!index) {
            const sets = candidates.map(gramSet);
            sizes = sets.map(({ size }) => size);
            index = invertedIndex(sets);
          }
          const grams = gramSet(query);
          dotProducts(index, grams, scores);
          for (let row = 0; row < scores.length; row++) {
            if (scores[row] > 0) scores[row] /= grams.size + sizes[row] - scores[row];
          }
        },
      };
    },
  };
}

/** The distinct n-grams, each with the weight 1: a dot product counts the shared ones. */
const gramSet = (text: string): Map<string, number> =>
  new Map(charWbNgrams(text, { min: 3, max: 3 }).map((gram) => [gram, 1]));
