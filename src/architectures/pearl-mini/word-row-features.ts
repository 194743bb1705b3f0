/** Fills the inputs of a word encoder whose tables were taken out: what a word sums up to is kept for many batches. */

import type { Feeds } from "../../runtime/tensor.js";
import { hashNgrams } from "../../text/hashed-ngrams.js";
import type { SharedGraph } from "../architecture.js";
import type { FeatureRows, Featurizer } from "../feature-rows.js";
import type { WordsFeature } from "./feature.js";
import { wordInputNames } from "./inputs.js";
import { openSums, type SumRows, type WordTable, writeRow } from "./row-sums.js";
import { phraseReader } from "./word-features.js";
import { type WordIndex, wordFinder } from "./word-index.js";

/** A read that begins with more words than this starts over. */
const REMEMBERED = 10_240;
/** Words that there is room for at first: with pearl-mini 9 MiB in each thread. */
const ROOM = 12_288;
/** A phrase's ids are, word after word: its mark, and its place among the words remembered. */
const PAIR = 2;

/** Phrases that were read, and the words that their ids speak of. */
interface WordRows extends FeatureRows {
  readonly known: SummedWords;
}

/** What threads share of a word encoder. */
export interface SharedWords {
  /** The vocabulary, in the order of the tables' rows. */
  readonly words: WordIndex;
  /** What was taken out of the graph. */
  readonly tables: readonly WordTable[];
}

/** A graph without its tables, which all workers read in place. */
export interface WordGraph extends SharedGraph, SharedWords {}

/** Rows are to be filled before the next read. */
export function wordRowFeaturizer(feature: WordsFeature, { words, tables }: SharedWords): Featurizer {
  const numberOf = wordFinder(words);
  const wordsOf = phraseReader(feature, (word) => numberOf(word) > 0);
  const summed = tables.filter(({ gives }) => gives === "sum");
  const sums = summed.map((table) => ({ table, sum: openSums(table, feature.ngrams) }));
  const looked = tables.filter(({ gives }) => gives === "row");
  let known = new SummedWords(feature, numberOf, sums);
  return {
    read(phrases) {
      if (known.size > REMEMBERED) known = known.startOver();
      const { phraseLength } = feature;
      const ids = new Int32Array(phrases.length * phraseLength * PAIR);
      const starts = new Int32Array(phrases.length + 1);
      let truncated = 0;
      let at = 0;
      phrases.forEach((phrase, row) => {
        const marked = wordsOf(phrase);
        let isCut = marked.length > phraseLength;
        for (let i = 0; i < marked.length && i < phraseLength; i++) {
          const place = known.placeOf(marked[i].text);
          isCut ||= known.isCut(place);
          ids[at++] = marked[i].mark;
          ids[at++] = place;
        }
        if (isCut) truncated++;
        starts[row + 1] = at;
      });
      const rows: WordRows = { ids: ids.subarray(0, at), starts, known };
      return { rows, truncated };
    },
    lengths: ({ starts }) => Int32Array.from(starts.subarray(1), (end, row) => (end - starts[row]) / PAIR),
    fill(rows, batch, length, feeds) {
      const { ids, starts, known } = rows as WordRows;
      const distinct = new DistinctPlaces(known.size);
      const numbers = new Int32Array(batch.length * length);
      const marks = new Int32Array(batch.length * length);
      batch.forEach((phrase, row) => {
        for (let from = starts[phrase], to = row * length; from < starts[phrase + 1]; from += PAIR, to++) {
          marks[to] = ids[from];
          numbers[to] = distinct.numberOf(ids[from + 1]);
        }
      });
      const dims = [batch.length, length];
      feeds[wordInputNames.words] = { type: "int32", dims, data: numbers };
      feeds[wordInputNames.marks] = { type: "int32", dims, data: marks };
      known.fill(distinct.places, feeds);
      for (const table of looked) fillRows(table, distinct.places, known, feeds);
    },
  };
}

/** Rows of a table by the words' numbers; the padding word has number 0. */
function fillRows(table: WordTable, places: readonly number[], known: SummedWords, feeds: Feeds): void {
  const data = new Float32Array((places.length + 1) * table.width);
  writeRow(table, 0, data, 0);
  places.forEach((place, i) => {
    writeRow(table, known.numberAt(place), data, (i + 1) * table.width);
  });
  feeds[table.input] = { type: "float32", dims: [places.length + 1, table.width], data };
}

/** The words of a batch, each once, numbered from 1. */
class DistinctPlaces {
  readonly #numbers: Int32Array;
  readonly places: number[] = [];

  constructor(known: number) {
    this.#numbers = new Int32Array(known);
  }

  numberOf(place: number): number {
    this.#numbers[place] ||= this.places.push(place);
    return this.#numbers[place];
  }
}

/** A table whose rows are summed up. */
interface TableSums {
  readonly table: WordTable;
  readonly sum: SumRows;
}

/** Words with the sums of their n-grams, each made when the word is first met. */
class SummedWords {
  readonly #feature: WordsFeature;
  readonly #numberOf: (word: string) => number;
  readonly #places = new Map<string, number>();
  readonly #numbers: number[] = [];
  /** How many n-grams, negative where more were cut off. */
  readonly #counts: number[] = [];
  readonly #sums: (TableSums & { data: Float32Array })[];
  readonly #ngrams: Int32Array;

  constructor(
    feature: WordsFeature,
    numberOf: (word: string) => number,
    sums: readonly (TableSums & { data?: Float32Array })[],
  ) {
    this.#feature = feature;
    this.#numberOf = numberOf;
    this.#sums = sums.map((own) => ({
      ...own,
      data: own.data?.fill(0) ?? new Float32Array(ROOM * own.table.width),
    }));
    this.#ngrams = new Int32Array(feature.ngrams);
  }

  /** No words, in the memory of these, which can no more be filled: memory left to the collector would pile up. */
  startOver(): SummedWords {
    return new SummedWords(this.#feature, this.#numberOf, this.#sums.splice(0));
  }

  get size(): number {
    return this.#numbers.length;
  }

  /** In the vocabulary, from 1; 0 for a word outside it. */
  numberAt(place: number): number {
    return this.#numbers[place];
  }

  /** Some n-grams of the word were left out. */
  isCut(place: number): boolean {
    return this.#counts[place] < 0;
  }

  /** @param word as `markedWords` gives it */
  placeOf(word: string): number {
    const found = this.#places.get(word);
    if (found !== undefined) return found;
    const place = this.#numbers.push(this.#numberOf(word)) - 1;
    this.#places.set(word, place);
    const { minimum, maximum, buckets, ngrams: limit } = this.#feature;
    const ngrams = this.#ngrams;
    const { count, truncated } = hashNgrams(word, { minimum, maximum, buckets, limit }, ngrams, 0);
    this.#counts.push(truncated ? -count : count);
    // row 0 is padding
    for (let i = 0; i < count; i++) ngrams[i]++;
    for (const sum of this.#sums) {
      const at = place * sum.table.width;
      if (at === sum.data.length) sum.data = twiceAsLong(sum.data);
      sum.sum(ngrams, count, sum.data, at);
    }
    return place;
  }

  /** Sums and scales of some words, after those of the padding word. */
  fill(places: readonly number[], feeds: Feeds): void {
    const count = places.length + 1;
    const scales = new Float32Array(count);
    places.forEach((place, i) => {
      scales[i + 1] = this.#counts[place] === 0 ? 0 : 1 / Math.sqrt(Math.abs(this.#counts[place]));
    });
    feeds[wordInputNames.scales] = { type: "float32", dims: [count, 1], data: scales };
    for (const { table, data: sums } of this.#sums) {
      const { width } = table;
      const data = new Float32Array(count * width);
      places.forEach((place, i) => {
        data.set(sums.subarray(place * width, (place + 1) * width), (i + 1) * width);
      });
      feeds[table.input] = { type: "float32", dims: [count, width], data };
    }
  }
}

function twiceAsLong(data: Float32Array): Float32Array {
  const longer = new Float32Array(2 * data.length);
  longer.set(data);
  return longer;
}
