/** Fills the inputs of the word encoder: each distinct word of a batch once, and which words make each phrase. */

import type { Feeds } from "../../runtime/tensor.js";
import { concatenate, type Featurizer } from "../feature-rows.js";
import type { WordsFeature } from "./feature.js";
import { wordInputNames } from "./inputs.js";
import { type MarkedWord, markedWords } from "./marked-words.js";
import { WordVocabulary } from "./word-vocabulary.js";

/** A phrase's ids are, word after word: its mark, its number in the vocabulary, the count of its n-grams, and these. */
const HEADER = 3;

/** How a model reads the words of a phrase. @param isKnown whether a word is in its vocabulary */
export function phraseReader(
  { innerCapitals }: WordsFeature,
  isKnown: (word: string) => boolean,
): (phrase: string) => MarkedWord[] {
  const parting = innerCapitals === "parted" ? isKnown : undefined;
  return (phrase) => markedWords(phrase, parting);
}

/** @param words the vocabulary, in the order of the graph's table */
export function wordFeaturizer(feature: WordsFeature, words: readonly string[]): Featurizer {
  const vocabulary = new WordVocabulary(words, feature);
  const wordsOf = phraseReader(feature, (word) => vocabulary.entry(word).id > 0);
  return {
    read(phrases) {
      let truncated = 0;
      const rows = phrases.map((phrase) => {
        const marked = wordsOf(phrase);
        const entries = marked.slice(0, feature.phraseLength).map(({ text }) => vocabulary.entry(text));
        if (entries.length < marked.length || entries.some((entry) => entry.truncated)) truncated++;
        const ids = new Int32Array(entries.reduce((sum, { ngrams }) => sum + HEADER + ngrams.length, 0));
        let at = 0;
        entries.forEach(({ id, ngrams }, i) => {
          ids[at] = marked[i].mark;
          ids[at + 1] = id;
          ids[at + 2] = ngrams.length;
          ids.set(ngrams, at + HEADER);
          at += HEADER + ngrams.length;
        });
        return ids;
      });
      return { rows: concatenate(rows), truncated };
    },
    lengths: ({ ids, starts }) =>
      Int32Array.from(starts.subarray(1), (end, row) => {
        let count = 0;
        for (let at = starts[row]; at < end; at += HEADER + ids[at + 2]) count++;
        return count;
      }),
    fill({ ids, starts }, batch, _length, feeds) {
      const words = new DistinctWords(ids);
      const phrases = Array.from(batch, (phrase) => {
        const places: number[] = [];
        for (let at = starts[phrase]; at < starts[phrase + 1]; at += HEADER + ids[at + 2]) places.push(at);
        return places;
      });
      const length = phrases.reduce((most, places) => Math.max(most, places.length), 1);
      const numbers = new Int32Array(batch.length * length);
      const marks = new Int32Array(batch.length * length);
      phrases.forEach((places, row) => {
        places.forEach((at, column) => {
          numbers[row * length + column] = words.numberOf(at);
          marks[row * length + column] = ids[at];
        });
      });
      const dims = [batch.length, length];
      feeds[wordInputNames.words] = { type: "int32", dims, data: numbers };
      feeds[wordInputNames.marks] = { type: "int32", dims, data: marks };
      words.fill(feeds);
    },
  };
}

/** The words of a batch, each once, numbered from 1: row 0 is padding. */
class DistinctWords {
  readonly #ids: Int32Array;
  /** Known words by their number, others by their n-grams. */
  readonly #numbers = new Map<number | string, number>();
  /** Where each word stands in the ids. */
  readonly #places: number[] = [];

  constructor(ids: Int32Array) {
    this.#ids = ids;
  }

  numberOf(at: number): number {
    const key = this.#ids[at + 1] || this.#ngrams(at).join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#places.push(at);
    this.#numbers.set(key, number);
    return number;
  }

  fill(feeds: Feeds): void {
    const count = this.#places.length + 1;
    const width = this.#places.reduce((most, at) => Math.max(most, this.#ids[at + 2]), 1);
    const ids = new Int32Array(count);
    const ngrams = new Int32Array(count * width);
    const scales = new Float32Array(count);
    this.#places.forEach((at, i) => {
      const own = this.#ngrams(at);
      ids[i + 1] = this.#ids[at + 1];
      ngrams.set(own, (i + 1) * width);
      scales[i + 1] = own.length === 0 ? 0 : 1 / Math.sqrt(own.length);
    });
    feeds[wordInputNames.ids] = { type: "int32", dims: [count], data: ids };
    feeds[wordInputNames.ngrams] = { type: "int32", dims: [count, width], data: ngrams };
    feeds[wordInputNames.scales] = { type: "float32", dims: [count, 1], data: scales };
  }

  #ngrams(at: number): Int32Array {
    return this.#ids.subarray(at + HEADER, at + HEADER + this.#ids[at + 2]);
  }
}
