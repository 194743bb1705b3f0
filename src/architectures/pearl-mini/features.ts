/** Fills the inputs of the word encoder: each distinct word of a batch once, and which words make each phrase. */
import type { Feeds } from "../../runtime/tensor.js";
import { hashNgrams } from "../../text/hashed-ngrams.js";
import type { FeatureRows, Featurizer } from "../architecture.js";
import { type WordReading, type WordsFeature, wordInputNames } from "./inputs.js";
import { markedWords } from "./marked-words.js";
import { indexWords, nearestFinder, type WordIndex, wordFinder } from "./vocabulary.js";

/** Numbers of words in the vocabulary, from 1; 0 where there is none. */
export interface Numbers {
  readonly exact: (word: string) => number;
  /** For a word outside the vocabulary, the word whose vector it has. */
  readonly instead: (word: string) => number;
}

export const numbersOf = ({ unknownWords }: WordsFeature, index: WordIndex): Numbers => ({
  exact: wordFinder(index),
  instead: unknownWords === "nearest" ? nearestFinder(index) : () => 0,
});

/** The words of a file, one a line, as a model looks them up. */
export const indexFor = ({ unknownWords }: WordsFeature, file: string): WordIndex =>
  indexWords(file, { bySpelling: unknownWords === "nearest" });

/** Writes a word's hashed n-grams, counted from 1. */
export function hashWord(
  word: string,
  { minimum, maximum, buckets, ngrams: limit }: WordReading,
  target: Int32Array,
): { count: number; truncated: boolean } {
  const hashed = hashNgrams(word, { minimum, maximum, buckets, limit }, target);
  for (let i = 0; i < hashed.count; i++) target[i]++;
  return hashed;
}

/**
 * Distinct words by place, with their numbers and counts of n-grams. The number of a word that has another's vector is
 * negative.
 * @param keep gets the n-grams of each new word
 */
export function knownWords(
  feature: WordsFeature,
  { exact, instead }: Numbers,
  keep: (ngrams: Int32Array, count: number, place: number) => void,
): { numbers: number[]; counts: number[]; isCut(place: number): boolean; placeOf(word: string): number } {
  const places = new Map<string, number>();
  const numbers: number[] = [];
  const counts: number[] = [];
  const cut: boolean[] = [];
  const ngrams = new Int32Array(feature.ngrams);
  return {
    ...{ numbers, counts },
    isCut: (place) => cut[place],
    placeOf(word) {
      const found = places.get(word);
      if (found !== undefined) return found;
      const place = numbers.push(exact(word) || -instead(word)) - 1;
      places.set(word, place);
      const { count } = hashWord(word, feature, ngrams);
      counts.push(count);
      cut.push(word.length > (2 * feature.ngrams) / (feature.maximum - feature.minimum + 1));
      keep(ngrams, count, place);
      return place;
    },
  };
}

/** Words by place: how a phrase's ids name them, after each mark, and how a batch is filled with them. */
export interface WordStore {
  readonly known: ReturnType<typeof knownWords>;
  /** A read that begins with more known words than this starts over, so that new words cannot fill the memory. */
  readonly remembered: number;
  /** Ids of a word at most. */
  readonly mostIds: number;
  /** Writes the ids of a word from `at` on; returns their end. */
  write(place: number, ids: Int32Array, at: number): number;
  /** End of the ids that begin at `at`. */
  end(ids: Int32Array, at: number): number;
  /** Equal for equal words. */
  key(ids: Int32Array, at: number): number | string;
  /** Fills the inputs of the distinct words, after the padding. @param starts of their ids */
  fill(ids: Int32Array, starts: readonly number[], feeds: Feeds): void;
  startOver(): WordStore;
}

interface WordRows extends FeatureRows {
  readonly store?: WordStore;
}

/** Reads words into a store. Cut are phrases of more words than the model reads, or with a word that it reads less than half of. */
export function storeFeaturizer(
  { innerCapitals, phraseLength }: WordsFeature,
  { exact }: Numbers,
  empty: WordStore,
): Featurizer {
  const isKnown = innerCapitals === "parted" ? (word: string) => exact(word) > 0 : undefined;
  let current = empty;
  const countWords = ({ ids, starts }: FeatureRows, row: number): number => {
    let count = 0;
    for (let at = starts[row]; at < starts[row + 1]; at = current.end(ids, at + 1)) count++;
    return count;
  };
  return {
    read(phrases) {
      if (current.known.counts.length > current.remembered) current = current.startOver();
      const { known } = current;
      const ids = new Int32Array(phrases.length * phraseLength * (1 + current.mostIds));
      const starts = new Int32Array(phrases.length + 1);
      let truncated = 0;
      let at = 0;
      phrases.forEach((phrase, row) => {
        const marked = markedWords(phrase, isKnown);
        let isCut = marked.length > phraseLength;
        for (let i = 0; i < marked.length && i < phraseLength; i++) {
          const place = known.placeOf(marked[i].text);
          isCut ||= known.isCut(place);
          ids[at] = marked[i].mark;
          at = current.write(place, ids, at + 1);
        }
        if (isCut) truncated++;
        starts[row + 1] = at;
      });
      const rows: WordRows = { ids: ids.slice(0, at), starts, store: current };
      return { rows, truncated };
    },
    lengths: (rows) => rows.starts.subarray(1).map((_, row) => countWords(rows, row)),
    fill(rows, batch, _length, feeds) {
      const { ids, starts, store = current } = rows as WordRows;
      const length = batch.reduce((most, row) => Math.max(most, countWords(rows, row)), 1);
      const places = new Int32Array(batch.length * length);
      const marks = new Int32Array(batch.length * length);
      const distinct = new Map<number | string, number>();
      const firsts: number[] = [];
      batch.forEach((phrase, row) => {
        let at = starts[phrase];
        for (let to = row * length; at < starts[phrase + 1]; to++) {
          marks[to] = ids[at++];
          const key = store.key(ids, at);
          const number = distinct.get(key) ?? firsts.push(at);
          if (number === firsts.length) distinct.set(key, number);
          places[to] = number;
          at = store.end(ids, at);
        }
      });
      const dims = [batch.length, length];
      feeds[wordInputNames.words] = { type: "int32", dims, data: places };
      feeds[wordInputNames.marks] = { type: "int32", dims, data: marks };
      store.fill(ids, firsts, feeds);
    },
  };
}

/** 1 / √n for each count, after the padding's 0. */
export function scalesOf(counts: readonly number[]): Feeds[string] {
  const data = new Float32Array(counts.length + 1);
  counts.forEach((count, i) => {
    if (count > 0) data[i + 1] = 1 / Math.sqrt(count);
  });
  return { type: "float32", dims: [data.length, 1], data };
}

/** @param words the vocabulary, in the order of the graph's table */
export function wordFeaturizer(feature: WordsFeature, words: readonly string[]): Featurizer {
  const numbers = numbersOf(feature, indexFor(feature, words.join("\n")));
  return storeFeaturizer(feature, numbers, ngramStore(feature, numbers));
}

/** Ids that need no store: a word's number, the count of its n-grams, and these. */
function ngramStore(feature: WordsFeature, numbers: Numbers): WordStore {
  const ngrams: Int32Array[] = [];
  const known = knownWords(feature, numbers, (own, count) => ngrams.push(own.slice(0, count)));
  const ngramsAt = (ids: Int32Array, at: number): Int32Array => ids.subarray(at + 2, at + 2 + ids[at + 1]);
  return {
    ...{ known, remembered: 200_000, mostIds: 2 + feature.ngrams },
    write(place, ids, at) {
      ids[at] = known.numbers[place];
      ids[at + 1] = known.counts[place];
      ids.set(ngrams[place], at + 2);
      return at + 2 + known.counts[place];
    },
    end: (ids, at) => at + 2 + ids[at + 1],
    key: (ids, at) => (ids[at] > 0 ? ids[at] : ngramsAt(ids, at).join()),
    fill(ids, starts, feeds) {
      const count = starts.length + 1;
      const width = starts.reduce((most, at) => Math.max(most, ids[at + 1]), 1);
      const data = new Int32Array(count * width);
      starts.forEach((at, i) => {
        data.set(ngramsAt(ids, at), (i + 1) * width);
      });
      const rows = Int32Array.from([0, ...starts.map((at) => Math.abs(ids[at]))]);
      feeds[wordInputNames.ids] = { type: "int32", dims: [count], data: rows };
      feeds[wordInputNames.ngrams] = { type: "int32", dims: [count, width], data };
      feeds[wordInputNames.scales] = scalesOf(starts.map((at) => ids[at + 1]));
    },
    startOver: () => ngramStore(feature, numbers),
  };
}
