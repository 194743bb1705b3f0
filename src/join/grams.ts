/**
 * Character n-grams, words and initials of two tables as sparse vectors over hashed terms, with an inverted index
 * over one of them. Everything lies in flat arrays that threads can share.
 */
import { joinWords } from "./phrase.js";

/** Rows of sparse vectors: row r has the terms from starts[r] to starts[r + 1], ascending, with unit length but for initials. */
export interface TermRows {
  readonly count: number;
  /** [count + 1] */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Float32Array;
}

/** For each term the rows that hold it. */
export interface TermIndex {
  /** Rows. */
  readonly size: number;
  /** [terms + 1] */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** The statistics of two tables. */
export interface TermStatistics {
  /** Number of hash buckets for grams and words, a power of two. */
  readonly buckets: number;
  /** Rows of both tables. */
  readonly rows: number;
  /** [1.25 × buckets] rows that hold a term of the bucket; initials have the last fifth. */
  readonly documents: Uint32Array;
}

const salts = { gram: 1, word: 2, initials: 3 } as const;

/** FNV-1a over a part of a string, started from a salt that keeps the kinds of terms apart, and mixed. */
function hash(text: string, from: number, to: number, salt: number): number {
  let state = 0x811c9dc5 ^ salt;
  for (let index = from; index < to; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}

/** The hash of a word, under which the statistics count it. */
export function wordHash(word: string): number {
  return hash(word, 0, word.length, salts.word);
}

// Words that initials leave out.
const skipped = new Set(["of", "the", "and", "for", "in", "de", "la", "et", "und", "der", "des", "du"]);

/**
 * The terms of a folded phrase, repeated as often as they occur: 3-grams of its words, words, and initials. A word
 * of 3 to 6 letters may be the initials of a longer name, and as many words in a row may have been shortened.
 */
function phraseTerms(folded: string, buckets: number): number[] {
  const mask = buckets - 1;
  const words = joinWords(folded);
  const terms: number[] = [];
  for (const word of words) {
    const padded = ` ${word} `;
    for (let from = 0; from + 3 <= padded.length; from++) {
      terms.push(hash(padded, from, from + 3, salts.gram) & mask);
    }
    terms.push(wordHash(word) & mask);
  }
  const initials = (text: string): void => {
    terms.push(buckets + (hash(text, 0, text.length, salts.initials) & (mask >>> 2)));
  };
  for (const word of words) if (word.length >= 3 && word.length <= 6) initials(word);
  const letters = words.filter((word) => !skipped.has(word)).map((word) => word[0]);
  for (let from = 0; from + 3 <= letters.length; from++) {
    for (let to = from + 3; to <= Math.min(from + 6, letters.length); to++) {
      initials(letters.slice(from, to).join(""));
    }
  }
  return terms;
}

/** Unweighted terms of a table: hashes ascending within each row, with their counts. */
interface CountedRows {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly counts: Uint8Array;
}

/** Reads both tables' terms and weighs them by how rare they are in the two together. */
export function termRows(
  left: readonly string[],
  right: readonly string[],
): { left: TermRows; right: TermRows; statistics: TermStatistics } {
  const rows = left.length + right.length;
  // Few enough buckets for a small table to cost nothing, enough for names of a large one not to meet.
  const buckets = 2 ** Math.min(23, Math.max(16, Math.ceil(Math.log2(rows + 1)) + 8));
  const documents = shared(Uint32Array, buckets + buckets / 4);
  const [countedLeft, countedRight] = [left, right].map((table) => countTerms(table, documents, buckets));
  const statistics = { buckets, rows, documents };
  return { left: weigh(countedLeft, statistics), right: weigh(countedRight, statistics), statistics };
}

function countTerms(table: readonly string[], documents: Uint32Array, buckets: number): CountedRows {
  const starts = shared(Uint32Array, table.length + 1);
  let terms = new Uint32Array(table.length * 32 + 64);
  let counts = new Uint8Array(terms.length);
  let used = 0;
  table.forEach((folded, row) => {
    const found = Uint32Array.from(phraseTerms(folded, buckets)).sort();
    if (used + found.length > terms.length) {
      terms = grown(terms, used + found.length);
      counts = grown(counts, used + found.length);
    }
    for (let index = 0; index < found.length; index++) {
      if (index > 0 && found[index] === found[index - 1]) {
        if (counts[used - 1] < 255) counts[used - 1]++;
        continue;
      }
      terms[used] = found[index];
      counts[used++] = 1;
      documents[found[index]]++;
    }
    starts[row + 1] = used;
  });
  return { starts, terms: terms.subarray(0, used), counts: counts.subarray(0, used) };
}

function weigh({ starts, terms, counts }: CountedRows, statistics: TermStatistics): TermRows {
  const { buckets, rows, documents } = statistics;
  const weights = shared(Float32Array, terms.length);
  const sharedTerms = shared(Uint32Array, terms.length);
  sharedTerms.set(terms);
  for (let row = 0; row + 1 < starts.length; row++) {
    let squares = 0;
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      weights[place] = counts[place] * Math.log(1 + rows / documents[terms[place]]);
      // Initials help where they meet and do no harm where they do not: they are left out of the length.
      if (terms[place] < buckets) squares += weights[place] ** 2;
    }
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let place = starts[row]; place < starts[row + 1]; place++) weights[place] *= scale;
  }
  return { count: starts.length - 1, starts, terms: sharedTerms, weights };
}

/** Cosine of row `a` of one table and row `b` of another, 1 at most. */
export function termCosine(left: TermRows, a: number, right: TermRows, b: number): number {
  let [i, j] = [left.starts[a], right.starts[b]];
  const [endI, endJ] = [left.starts[a + 1], right.starts[b + 1]];
  let sum = 0;
  while (i < endI && j < endJ) {
    const difference = left.terms[i] - right.terms[j];
    if (difference === 0) sum += left.weights[i++] * right.weights[j++];
    else if (difference < 0) i++;
    else j++;
  }
  return Math.min(sum, 1);
}

/** Indexes rows by term. */
export function indexTerms(rows: TermRows, { documents }: TermStatistics): TermIndex {
  const buckets = documents.length;
  const starts = shared(Uint32Array, buckets + 1);
  for (const term of rows.terms) starts[term + 1]++;
  for (let term = 0; term < buckets; term++) starts[term + 1] += starts[term];
  const next = starts.slice(0, buckets);
  const postings = shared(Uint32Array, rows.terms.length);
  const weights = shared(Float32Array, rows.terms.length);
  for (let row = 0; row < rows.count; row++) {
    for (let place = rows.starts[row]; place < rows.starts[row + 1]; place++) {
      const target = next[rows.terms[place]]++;
      postings[target] = row;
      weights[target] = rows.weights[place];
    }
  }
  return { size: rows.count, starts, rows: postings, weights };
}

/** Memory of one search at a time: sums by row, all zero between searches. */
export interface TermSearch {
  readonly index: TermIndex;
  readonly sums: Float32Array;
  readonly touched: Uint32Array;
}

/** Makes room for searches in an index. */
export function termSearch(index: TermIndex): TermSearch {
  return { index, sums: new Float32Array(index.size), touched: new Uint32Array(index.size) };
}

/**
 * Rows of the index most similar to a row of a table, best first; of equal ones the earlier leads. Terms are
 * followed from the rarest on until `postings` rows were visited: what is common to many rows tells little, and
 * the work per query stays bounded however large the table is.
 */
export function nearestByTerms(
  search: TermSearch,
  queries: TermRows,
  query: number,
  { k, postings, accept }: TermSearchOptions,
): { row: number; score: number }[] {
  const { sums, touched } = search;
  const count = addPostings(search, queries, query, postings);
  const best: { row: number; score: number }[] = [];
  const isBefore = (place: number, row: number, score: number): boolean =>
    best[place].score > score || (best[place].score === score && best[place].row < row);
  for (let position = 0; position < count; position++) {
    const row = touched[position];
    const score = sums[row];
    sums[row] = 0;
    if (best.length === k && isBefore(k - 1, row, score)) continue;
    if (accept !== undefined && !accept(row)) continue;
    let place = Math.min(best.length, k - 1);
    while (place > 0 && !isBefore(place - 1, row, score)) {
      best[place] = best[place - 1];
      place--;
    }
    best[place] = { row, score };
  }
  return best;
}

/** Sums up what the query shares with each row, rarest terms first. Returns how many rows were touched. */
function addPostings(
  { index, sums, touched }: TermSearch,
  { starts, terms, weights }: TermRows,
  query: number,
  postings: number,
): number {
  const length = (place: number): number => index.starts[terms[place] + 1] - index.starts[terms[place]];
  const places: number[] = [];
  for (let place = starts[query]; place < starts[query + 1]; place++)
    if (length(place) > 0) places.push(place);
  places.sort((a, b) => length(a) - length(b));
  let [visited, count] = [0, 0];
  for (const place of places) {
    visited += length(place);
    if (visited > postings && count > 0) break;
    const weight = weights[place];
    const end = index.starts[terms[place] + 1];
    for (let posting = index.starts[terms[place]]; posting < end; posting++) {
      const row = index.rows[posting];
      if (sums[row] === 0) touched[count++] = row;
      sums[row] += weight * index.weights[posting];
    }
  }
  return count;
}

/** Settings of a search by terms. */
export interface TermSearchOptions {
  /** Rows at most. */
  readonly k: number;
  /** Postings visited at most, but for the rarest term's, which are always followed. */
  readonly postings: number;
  /** Which rows may be found. Default all. */
  readonly accept?: (row: number) => boolean;
}

function grown<Numbers extends Uint32Array | Uint8Array>(numbers: Numbers, needed: number): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(needed, numbers.length * 2),
  );
  larger.set(numbers);
  return larger;
}

/** A typed array over memory that threads share. */
export function shared<Numbers>(
  kind: { new (buffer: SharedArrayBuffer): Numbers; readonly BYTES_PER_ELEMENT: number },
  length: number,
): Numbers {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
}
