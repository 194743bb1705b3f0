/** The untrained floor: cosine of TF-IDF as scikit-learn computes it, and Jaccard similarity; terms are compared by an inverted index. */

import { groupBy } from "../../by-key.js";
import { disjointSets } from "../../disjoint-sets.js";
import { indexTerms, termRows } from "../../match/candidates/grams.js";
import { TermSearch } from "../../match/candidates/term-search.js";
import type { TableColumns } from "../../match/columns/align.js";
import { rowsOf } from "../../match/columns/fields.js";
import { foldPhrase } from "../../match/evidence/phrase.js";
import { charWbNgrams, wordTokens } from "../../text/char-ngrams.js";
import type { SimilarityModel } from "../models.js";

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
function dotProducts<Term>(
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

/**
 * The untrained floor for matching rows: of each row the nearest other row by TF-IDF (3-grams, words and initials of the
 * whole row as one text), accepted above a threshold; rows of one table that are connected are a group. The threshold is the
 * one of the best F1 on the set itself, which no user could know.
 */
const postings = 20_000;

/**
 * The pairs above the best threshold, as left row × width + right row; of one table (`right` undefined) all pairs within the
 * groups, with the smaller row first.
 */
export function nearestRows(left: TableColumns, right: TableColumns | undefined, gold: ReadonlySet<number>) {
  const texts = rowTexts(left);
  const others = right && rowTexts(right);
  const terms = termRows(texts, others ?? []);
  const search = new TermSearch(indexTerms(terms.left, terms.statistics.documents.length), terms.left);
  const width = (others ?? texts).length;
  const scores = new Map<number, number>();
  for (let row = 0; row < width; row++) {
    const accept = others === undefined ? (other: number): boolean => other !== row : undefined;
    const queries = others === undefined ? terms.left : terms.right;
    for (const { row: other, score } of search.find(queries, row, { k: 1, postings, accept })) {
      const isTurned = others === undefined && other > row;
      scores.set(isTurned ? row * width + other : other * width + row, score);
    }
  }
  return bestPrefix([...scores], gold, others === undefined ? pairsOfGroups(width) : (pair) => [pair]);
}

const isId = (name: string): boolean => /^(entity )?id$/i.test(name.trim());

/** Cells of a row as one text, without its id. */
function rowTexts(table: TableColumns): string[] {
  const columns = Object.entries(table).flatMap(([name, cells]) => (isId(name) ? [] : [cells]));
  return Array.from({ length: rowsOf(table) }, (_, row) =>
    foldPhrase(columns.map((cells) => cells[row]).join(" ")),
  );
}

/** Returns a function that unites the groups of a pair's rows, and gives the pairs that are in one group since. */
function pairsOfGroups(rows: number) {
  const { rootOf, unite } = disjointSets(rows);
  const members = Array.from({ length: rows }, (_, row) => [row]);
  return (pair: number): number[] => {
    const [a, b] = [rootOf(Math.floor(pair / rows)), rootOf(pair % rows)];
    if (a === b) return [];
    const [one, other] = [members[a], members[b]];
    unite(a, b);
    members[rootOf(a)] = [...one, ...other];
    return one.flatMap((x) => other.map((y) => Math.min(x, y) * rows + Math.max(x, y)));
  };
}

/**
 * The pairs above the threshold of the best F1; pairs of equal scores are on the same side of it.
 * @param pairsWith what the acceptance of a pair adds
 */
function bestPrefix(
  scored: readonly (readonly [number, number])[],
  gold: ReadonlySet<number>,
  pairsWith: (pair: number) => readonly number[],
): number[] {
  const byScore = [...groupBy(scored, ([, score]) => score)].sort(([a], [b]) => b - a);
  const taken: number[] = [];
  let [right, best, bestF1] = [0, 0, 0];
  for (const [, equal] of byScore) {
    // With so many pairs, no later threshold can be better.
    if ((2 * gold.size) / (taken.length + gold.size) <= bestF1) break;
    for (const added of equal.flatMap(([pair]) => pairsWith(pair))) {
      taken.push(added);
      if (gold.has(added)) right++;
    }
    const f1 = (2 * right) / (taken.length + gold.size);
    if (f1 > bestF1) [best, bestF1] = [taken.length, f1];
  }
  return taken.slice(0, best);
}
