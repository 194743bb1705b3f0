/** Known words by number, and each word's hashed n-grams, remembered while they are in use. */
import { hashNgrams } from "../../text/hashed-ngrams.js";

/** How words become numbers; saved in the model's config.json. */
export interface WordOptions {
  /** Shortest and longest n-gram in characters, boundary marks included; the whole word is one too. */
  readonly minimum: number;
  readonly maximum: number;
  /** Hash buckets of n-grams, a power of two. */
  readonly buckets: number;
  /** N-grams of a word at most. */
  readonly ngrams: number;
  /** Words of a phrase at most. */
  readonly phraseLength: number;
}

/** A word as numbers. */
export interface WordEntry {
  /** In the vocabulary, from 1; 0 for a word outside it. */
  readonly id: number;
  /** Buckets, counted from 1. */
  readonly ngrams: Int32Array;
  /** N-grams were cut off. */
  readonly truncated: boolean;
}

/** Words remembered at most; then all are forgotten, so that a stream of new words cannot fill the memory. */
const REMEMBERED = 200_000;

/** Reads words; numbers follow the order of `words`. */
export class WordVocabulary {
  readonly options: WordOptions;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #entries = new Map<string, WordEntry>();
  readonly #buffer: Int32Array;

  constructor(words: readonly string[], options: WordOptions) {
    this.options = options;
    this.#ids = new Map(words.map((word, index) => [word, index + 1]));
    this.#buffer = new Int32Array(options.ngrams);
  }

  /** Words known. */
  get size(): number {
    return this.#ids.size;
  }

  /** @param word as `markedWords` gives it */
  entry(word: string): WordEntry {
    const known = this.#entries.get(word);
    if (known !== undefined) return known;
    const { minimum, maximum, buckets, ngrams: limit } = this.options;
    const { count, truncated } = hashNgrams(word, { minimum, maximum, buckets, limit }, this.#buffer, 0);
    const ngrams = this.#buffer.slice(0, count);
    for (let i = 0; i < count; i++) ngrams[i]++;
    const entry = { id: this.#ids.get(word) ?? 0, ngrams, truncated };
    if (this.#entries.size >= REMEMBERED) this.#entries.clear();
    this.#entries.set(word, entry);
    return entry;
  }
}
