/**
 * Finds candidates by terms: character n-grams, words and initials as sparse vectors over hashed terms, with an inverted
 * index over one table. All data is in flat arrays that threads can share.
 */
import { joinWords } from "../evidence/phrase.js";

/** Sparse vectors: row r has the terms from starts[r] to starts[r + 1], ascending. Their length is 1 without the initials. */
export interface TermRows {
  readonly count: number;
  /** [count + 1] */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Float32Array;
}

/** The rows that have each term. */
export interface TermIndex {
  /** Number of rows. */
  readonly size: number;
  /** [terms + 1] */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** How many rows of two tables have each term. */
export interface TermStatistics {
  /** Number of hash buckets for grams and words, a power of two. */
  readonly buckets: number;
  /** Number of rows of both tables together. */
  readonly rows: number;
  /** [1.25 × buckets] number of rows with a term of the bucket; the last fifth is for initials. */
  readonly documents: Uint32Array;
}

const salts = { gram: 1, word: 2, initials: 3 } as const;

/** FNV-1a with a final mix over part of a string. The salt separates the kinds of terms. */
function hash(text: string, from: number, to: number, salt: number): number {
  let state = 0x811c9dc5 ^ salt;
  for (let index = from; index < to; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}

/** The hash by which the statistics count a word. */
export function wordHash(word: string): number {
  return hash(word, 0, word.length, salts.word);
}

// Words that initials leave out.
const skipped = new Set(["of", "the", "and", "for", "in", "de", "la", "et", "und", "der", "des", "du"]);

/**
 * The terms of a folded phrase, once per occurrence: 3-grams of its words, words, and initials. Any word of 3 to 6 letters
 * may be the initials of a longer name, and any 3 to 6 words in a row may be abbreviated by theirs.
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

/** Terms of a table before weighting: hashes in ascending order within each row, with their counts. */
interface CountedRows {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly counts: Uint8Array;
}

/** Extracts the terms of both tables and weights them by their rarity in the two together. */
export function termRows(
  left: readonly string[],
  right: readonly string[],
): { left: TermRows; right: TermRows; statistics: TermStatistics } {
  const rows = left.length + right.length;
  // Few buckets keep small tables cheap; many keep collisions rare in large ones.
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
      // Initials do not count towards the length, so that unmatched ones do no harm.
      if (terms[place] < buckets) squares += weights[place] ** 2;
    }
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let place = starts[row]; place < starts[row + 1]; place++) weights[place] *= scale;
  }
  return { count: starts.length - 1, starts, terms: sharedTerms, weights };
}

/** Cosine of row `a` of one table and row `b` of another, at most 1. */
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

/** Buffers for one search at a time: sums by row, all zero between searches. */
export interface TermSearch {
  readonly index: TermIndex;
  readonly sums: Float32Array;
  readonly touched: Uint32Array;
}

/** Allocates the buffers for searches in an index. */
export function termSearch(index: TermIndex): TermSearch {
  return { index, sums: new Float32Array(index.size), touched: new Uint32Array(index.size) };
}

/**
 * The rows of the index most similar to a row of a table, best first; of equal ones the earlier comes first. Terms are
 * followed from the rarest until `postings` entries have been visited. Common terms carry little information, and the
 * bound keeps the work per query independent of the table's size.
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

/** Adds up the weights that each row shares with the query, rarest terms first. Returns the number of rows touched. */
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
  /** Maximum number of rows. */
  readonly k: number;
  /** Maximum postings visited; those of the rarest term are always visited. */
  readonly postings: number;
  /** Whether a row may be returned. Default: every row. */
  readonly accept?: (row: number) => boolean;
}

function grown<Numbers extends Uint32Array | Uint8Array>(numbers: Numbers, needed: number): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(needed, numbers.length * 2),
  );
  larger.set(numbers);
  return larger;
}

/** A typed array over memory shared between threads. */
export function shared<Numbers>(
  kind: { new (buffer: SharedArrayBuffer): Numbers; readonly BYTES_PER_ELEMENT: number },
  length: number,
): Numbers {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
}
