/** One table against itself: for each phrase the nearest others by embedding and by n-grams, and how similar two phrases are. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { learnDistinguishing } from "./distinguishing.js";
import { nearestByTerms, termSearch } from "./grams.js";
import type { Links } from "./linkage.js";
import { nearestByEmbedding } from "./nearest-by-embedding.js";
import { prepareColumn, unrelatedCosine } from "./prepare.js";
import { pairCosines } from "./rank-rows.js";
import { pairViews, viewNames, type WeighedPhrase, weighPhrase } from "./views.js";

/** Distinct phrases with all that is needed to compare them. */
export interface SameTable {
  readonly size: number;
  /** Nearest pairs, each once, the lower row on the left. */
  readonly links: Links;
  /** Similarity of any two rows, 0 to 1. */
  similarity(a: number, b: number): number;
}

export interface SameTableOptions {
  readonly encoder: PhraseEncoder;
  readonly signal?: AbortSignal;
  /** Called with phrases encoded and in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Neighbours that are looked for by each of the two ways. */
const NEIGHBOURS = 15;
/** Pairs of phrases from which on neighbours by embedding are looked for in cells: those of 50,000 phrases. */
const MANY_PAIRS = 50_000 ** 2;
/** Postings visited for a phrase at most. */
const POSTINGS = 50_000;
/** Phrases between two looks at the signal. */
const PORTION = 1024;

const place = Object.fromEntries(viewNames.map((name, index) => [name, index]));

/** Compares a table of distinct phrases with itself. Up to 50,000 phrases, neighbours by embedding are exact. */
export async function compareWithin(
  phrases: readonly string[],
  { encoder, signal, onProgress }: SameTableOptions,
): Promise<SameTable> {
  const prepared = await prepareColumn(
    { left: phrases, right: [], weight: 1 },
    { encoder, signal, onProgress },
  );
  const { vectors } = prepared.base;
  const floor = vectors === undefined ? 0 : unrelatedCosine(vectors, vectors, prepared.dimension);
  const column = { ...prepared, queries: prepared.base, floor };
  const { base, statistics } = column;
  const weighed = phrases.map((phrase) => weighPhrase(phrase, statistics));
  const alike = (a: number, b: number): number =>
    pairSimilarity(weighed[a], weighed[b], pairCosines(column, a, b));
  const pairs = new PairList(phrases.length);
  const search = termSearch(base.index);
  for (let row = 0; row < phrases.length; row++) {
    if (row % PORTION === 0) {
      signal?.throwIfAborted();
      await new Promise(setImmediate);
    }
    const near = nearestByTerms(search, base.terms, row, { k: NEIGHBOURS + 1, postings: POSTINGS });
    for (const { row: other } of near) pairs.add(row, other);
  }
  const all = Uint32Array.from(phrases.keys());
  const { k, rows } = await nearestByEmbedding(column, { k: NEIGHBOURS + 1, manyPairs: MANY_PAIRS, signal })(
    all,
  );
  rows.forEach((other, index) => {
    pairs.add(Math.floor(index / k), other);
  });
  const { left, right, scores } = pairs.links(alike);
  const distinguish = learnDistinguishing(weighed, { left, right, scores });
  const lowered = (score: number, a: number, b: number): number =>
    score * distinguish(weighed[a], weighed[b]);
  return {
    size: phrases.length,
    links: { left, right, scores: scores.map((score, link) => lowered(score, left[link], right[link])) },
    similarity: (a, b) => lowered(alike(a, b), a, b),
  };
}

/**
 * How similar two phrases are, 0 to 1: the mean of the cosines of their embeddings and their weighted n-grams; 1 where
 * they are the same but for case, accents and punctuation. It is lowered by up to half where each has a rare word that
 * the other lacks, and halved where each has a number that the other lacks: "Season 2009" is not "Season 2010", however
 * alike they look. Words that tell this table's things apart lower it too (distinguishing.ts).
 */
function pairSimilarity(
  a: WeighedPhrase,
  b: WeighedPhrase,
  cosines: { readonly embedding: number; readonly grams: number },
): number {
  if (a.compact !== "" && a.compact === b.compact && withoutPunctuation(a) === withoutPunctuation(b))
    return 1;
  pairViews(a, b, cosines, views, 0);
  const mean = (views[place.embedding] + views[place.grams]) / 2;
  const conflict = views[place.numbersConflict] === 1 ? 0.5 : 1;
  return mean * conflict * (1 - views[place.bothDiffer] / 2);
}

/** "C" and "C++" stay apart: signs that names are told apart by are no punctuation. */
const withoutPunctuation = ({ folded }: WeighedPhrase): string => folded.replace(/[\s.,;:!?"'()[\]-]+/g, "");

const views = new Float64Array(viewNames.length);

/** Gathers pairs of rows, and gives each once. */
class PairList {
  readonly #size: number;
  #keys = new Float64Array(1 << 12);
  #count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(a: number, b: number): void {
    if (a === b || b < 0) return;
    if (this.#count === this.#keys.length) {
      const larger = new Float64Array(2 * this.#count);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    this.#keys[this.#count++] = Math.min(a, b) * this.#size + Math.max(a, b);
  }

  links(similarity: (a: number, b: number) => number): Links {
    const sorted = this.#keys.subarray(0, this.#count).sort();
    const keys = sorted.filter((key, index) => index === 0 || key !== sorted[index - 1]);
    const left = Int32Array.from(keys, (key) => Math.floor(key / this.#size));
    const right = Int32Array.from(keys, (key) => key % this.#size);
    const scores = Float32Array.from(left, (row, index) => similarity(row, right[index]));
    return { left, right, scores };
  }
}
