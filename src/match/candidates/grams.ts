/**
 * Finds candidates by terms: character n-grams, words and initials as sparse vectors over hashed terms, with an inverted
 * index over one table. All data is in flat arrays that threads can share.
 */
import { FNV_BASIS, fnv } from "../../files/checksums/fnv.js";
import { shared } from "../../runtime/shared-array.js";
import { splitFolded } from "../evidence/phrase.js";

/**
 * A sparse matrix: row r has the entries from starts[r] to starts[r + 1]. The terms of a table are [rows, terms], of
 * length 1 without the initials.
 */
export interface SparseRows {
  /** [rows + 1] */
  readonly starts: Uint32Array;
  /** The column of each entry, ascending within a row. */
  readonly columns: Uint32Array;
  readonly weights: Float32Array;
}

/** Rows by term: [terms, rows]. */
export interface TermIndex extends SparseRows {
  /** The largest weight of each term in any row. */
  readonly largest: Float32Array;
}

/** How many rows of two tables have each term. */
export interface TermStatistics {
  /** Number of hash buckets for grams and words, a power of two. */
  readonly buckets: number;
  readonly rows: number;
  /** [1.25 × buckets] number of rows with a term of the bucket; the last fifth is for initials. */
  readonly documents: Uint32Array;
}

/** FNV-1a with a final mix. @param start separates the kinds of terms */
export function hash(text: string, start: number, from = 0, to = text.length): number {
  let state = fnv(text, start, from, to);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}

const starts = { gram: FNV_BASIS ^ 1, word: FNV_BASIS ^ 2, initials: FNV_BASIS ^ 3 } as const;

export const wordHash = (word: string): number => hash(word, starts.word);

// Words that initials leave out.
const skipped = new Set(["of", "the", "and", "for", "in", "de", "la", "et", "und", "der", "des", "du"]);

/**
 * The terms of a folded phrase, once per occurrence: 3-grams of its words, words, and initials. Any word of 3 to 6 letters
 * may be the initials of a longer name, and any 3 to 6 words in a row may be abbreviated by theirs.
 */
function phraseTerms(folded: string, buckets: number): number[] {
  const mask = buckets - 1;
  const words = splitFolded(folded);
  const terms: number[] = [];
  const addInitials = (text: string): void => {
    terms.push(buckets + (hash(text, starts.initials) & (mask >>> 2)));
  };
  for (const word of words) {
    const padded = ` ${word} `;
    for (let from = 0; from + 3 <= padded.length; from++)
      terms.push(hash(padded, starts.gram, from, from + 3) & mask);
    terms.push(wordHash(word) & mask);
    if (word.length >= 3 && word.length <= 6) addInitials(word);
  }
  const letters = words.filter((word) => !skipped.has(word)).map((word) => word[0]);
  for (let from = 0; from + 3 <= letters.length; from++) {
    for (let to = from + 3; to <= Math.min(from + 6, letters.length); to++)
      addInitials(letters.slice(from, to).join(""));
  }
  return terms;
}

/** Folded phrases, which need not all be in memory. */
export type FoldedTexts = Iterable<string> & { readonly length: number };

/** Extracts the terms of two tables of folded phrases and weights them by their rarity in both together. */
export function termRows(
  left: FoldedTexts,
  right: FoldedTexts,
): { left: SparseRows; right: SparseRows; statistics: TermStatistics } {
  const rows = left.length + right.length;
  // Few buckets keep small tables cheap; many keep collisions rare in large ones.
  const buckets = 2 ** Math.min(23, Math.max(16, Math.ceil(Math.log2(rows + 1)) + 8));
  const documents = shared(Uint32Array, buckets + buckets / 4);
  const [countedLeft, countedRight] = [left, right].map((table) => countTerms(table, documents, buckets));
  const statistics = { buckets, rows, documents };
  return { left: weigh(countedLeft, statistics), right: weigh(countedRight, statistics), statistics };
}

/** Terms before weighting: hashes in ascending order within each row, with their counts. */
function countTerms(table: FoldedTexts, documents: Uint32Array, buckets: number) {
  const starts = shared(Uint32Array, table.length + 1);
  // Pages that nothing is written to take no memory.
  let terms = shared(Uint32Array, table.length * 32 + 64);
  let counts = new Uint8Array(terms.length);
  let used = 0;
  let row = 0;
  for (const folded of table) {
    const found = Uint32Array.from(phraseTerms(folded, buckets)).sort();
    if (used + found.length > terms.length) {
      const [smallTerms, smallCounts] = [terms, counts];
      terms = shared(Uint32Array, 2 * (used + found.length));
      counts = new Uint8Array(terms.length);
      terms.set(smallTerms);
      counts.set(smallCounts);
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
    starts[++row] = used;
  }
  return { starts, terms: terms.subarray(0, used), counts };
}

function weigh(
  { starts, terms, counts }: ReturnType<typeof countTerms>,
  statistics: TermStatistics,
): SparseRows {
  const { buckets, rows, documents } = statistics;
  const weights = shared(Float32Array, terms.length);
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
  return { starts, columns: terms, weights };
}

/** Cosine of row `a` of one table and row `b` of another, at most 1. */
export function termCosine(left: SparseRows, a: number, right: SparseRows, b: number): number {
  let [i, j] = [left.starts[a], right.starts[b]];
  const [endI, endJ] = [left.starts[a + 1], right.starts[b + 1]];
  let sum = 0;
  while (i < endI && j < endJ) {
    const difference = left.columns[i] - right.columns[j];
    if (difference === 0) sum += left.weights[i++] * right.weights[j++];
    else if (difference < 0) i++;
    else j++;
  }
  return Math.min(sum, 1);
}

/** Indexes rows by term, of so many terms: the transposed matrix. */
export function indexTerms({ starts, columns, weights }: SparseRows, terms: number): TermIndex {
  const largest = shared(Float32Array, terms);
  const ends = shared(Uint32Array, terms + 1);
  for (const term of columns) ends[term + 1]++;
  for (let term = 0; term < terms; term++) ends[term + 1] += ends[term];
  const rows = shared(Uint32Array, columns.length);
  const rowWeights = shared(Float32Array, columns.length);
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      const target = ends[columns[place]]++;
      rows[target] = row;
      rowWeights[target] = weights[place];
      largest[columns[place]] = Math.max(largest[columns[place]], weights[place]);
    }
  }
  // Each term's start has moved to its end, which is the next term's start.
  ends.copyWithin(1, 0).fill(0, 0, 1);
  return { starts: ends, columns: rows, weights: rowWeights, largest };
}
