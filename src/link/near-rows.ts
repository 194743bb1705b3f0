/**
 * Rows of the store that a new row may be the same as: by rare words of the whole row and by letters of the name (Okapi BM25,
 * Robertson and Zaragoza 2009), and by equal codes.
 */
import { indexTerms, type SparseRows } from "../match/candidates/grams.js";
import { TermSearch } from "../match/candidates/term-search.js";
import { type Lists, ListsBuilder } from "../match/columns/vocabulary.js";
import { AskedTerms, countTerms, type RowTerms, type StoredTerms } from "./terms.js";

/** Rows per new row and source, and postings visited to find them. */
const k = 6;
const mostPostings = 5000;
/** A code of more rows is a common value. */
const mostEqual = 12;
/** BM25: how much the length of a row counts. */
const lengthShare = 0.75;

/** @param fresh terms of new rows, which are in the store, too @returns for each new row the rows near it */
export function nearRows(
  fresh: ReadonlyMap<number, RowTerms>,
  stored: StoredTerms,
): Map<number, Set<number>> {
  const asked = new AskedTerms();
  for (const { words, grams, codes } of fresh.values())
    for (const terms of [words, grams, codes]) for (const term of terms) asked.add(term);
  const index = indexAsked(asked, stored);
  const size = 1 + stored.rows.reduce((last, row) => Math.max(last, row), 0);
  const search = new TermSearch(index, indexTerms(index, size));
  const queries = { words: new ListsBuilder(), grams: new ListsBuilder() };
  for (const { words, grams } of fresh.values()) {
    queries.words.push(words.map((term) => asked.placeOf(term)));
    queries.grams.push(grams.map((term) => asked.placeOf(term)));
  }
  const sources = [asQueries(queries.words.finish()), asQueries(queries.grams.finish())];
  return new Map(
    [...fresh].map(([row, { codes }], query) => {
      const accept = (other: number): boolean => other !== row;
      const limits = { k, postings: mostPostings, accept };
      const found = sources.flatMap((source) => search.find(source, query, limits));
      const near = new Set(found.map((other) => other.row));
      for (const code of codes) {
        const place = asked.placeOf(code);
        const equal = index.columns.subarray(index.starts[place], index.starts[place + 1]);
        if (equal.length <= mostEqual) for (const other of equal) if (accept(other)) near.add(other);
      }
      return [row, near];
    }),
  );
}

const asQueries = ({ starts, items }: Lists): SparseRows => {
  return { starts, columns: items, weights: new Float32Array(items.length).fill(1) };
};

/** [asked terms, rows] with the weights of BM25. */
function indexAsked(asked: AskedTerms, stored: StoredTerms): SparseRows {
  const { rows, terms } = stored;
  const counts = countTerms(asked, stored);
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, place) => {
    starts[place + 1] = starts[place] + count;
  });
  const next = starts.slice();
  const columns = new Uint32Array(starts[counts.length]);
  const weights = new Float32Array(columns.length);
  const rarity = Float32Array.from(counts, (count) =>
    Math.log(1 + (rows.length - count + 0.5) / (count + 0.5)),
  );
  const mean = terms.items.length / Math.max(1, rows.length);
  rows.forEach((row, index) => {
    const length = terms.starts[index + 1] - terms.starts[index];
    for (let at = terms.starts[index]; at < terms.starts[index + 1]; at++) {
      const place = asked.placeOf(terms.items[at]);
      if (place < 0) continue;
      columns[next[place]] = row;
      weights[next[place]++] = rarity[place] / (1 - lengthShare + (lengthShare * length) / mean);
    }
  });
  return { starts, columns, weights };
}
