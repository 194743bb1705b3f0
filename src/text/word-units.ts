/** The words of a phrase, and each word as the numbers that character encoders read. */
import { ArgumentError } from "../errors.js";
import type { CharacterVocabulary } from "./character-vocabulary.js";
import { hashFeature, hashNgrams, normalizedWords } from "./hashed-ngrams.js";
import { createPieceSplitter } from "./word-pieces.js";
import { viewFeatures, type WordView } from "./word-views.js";

/** How words become numbers; a model's config.json records it. */
export interface WordUnitOptions {
  /**
   * What the numbers of a word stand for: its characters; characters and word pieces with LOVE's marks (begin,
   * characters, middle, pieces, end); or its hashed n-grams with boundary marks.
   */
  readonly units: "characters" | "characters-and-pieces" | "ngrams";
  /** The most numbers of a word; the rest is cut off. */
  readonly positions: number;
  /** The most words of a phrase. */
  readonly phraseLength: number;
  /** Pad words to the longest of the batch (the default), or to `positions`, which an unrolled graph steps through. */
  readonly padding?: "longest" | "positions";
  /** For n-grams: their lengths including boundary marks, the number of hash buckets, a power of two, and further features. */
  readonly ngrams?: {
    readonly minimum: number;
    readonly maximum: number;
    readonly buckets: number;
    readonly views?: readonly WordView[];
  };
}

export interface WordReader {
  /** Different ids, padding included: rows of the embedding table. */
  readonly rows: number;
  /**
   * A word's units: `2 × id + 1` for capitals and `2 × id` for everything else. Ids start at 1.
   * `truncated`: the word was longer than `positions`.
   */
  read(word: string): { units: ArrayLike<number> & Iterable<number>; truncated: boolean };
}

/** Runs of letters, marks, digits and underscores, and runs of other visible characters, as in NLTK's wordpunct. */
const WORD_OR_PUNCTUATION = /[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]+/gu;

/** The words of a phrase: "Dr. No's" gives Dr . No ' s. */
export const phraseWords = (phrase: string): string[] =>
  phrase.normalize("NFC").match(WORD_OR_PUNCTUATION) ?? [];

/** The first ids: 0 is padding, then LOVE's three marks. */
const [BEGIN, MIDDLE, END] = [1, 2, 3];
const FIRST_CHARACTER = 4;
/** Characters outside the vocabulary share these rows by code point, so that most have different ones. */
const SPARE_ROWS = 64;

/** @throws ArgumentError where units lack their vocabulary or settings of n-grams */
export function createWordReader(options: WordUnitOptions, vocabulary?: CharacterVocabulary): WordReader {
  const { units, positions } = options;
  if (units === "ngrams") return ngramReader(options);
  if (vocabulary === undefined) throw new ArgumentError(`units "${units}" need a vocabulary of characters`);
  const characters = new Map(vocabulary.characters.map((character, i) => [character, FIRST_CHARACTER + i]));
  const spare = FIRST_CHARACTER + characters.size;
  const firstPiece = spare + SPARE_ROWS;
  const split = createPieceSplitter(vocabulary.pieces);
  const idOf = (character: string): number =>
    characters.get(character) ?? spare + ((character.codePointAt(0) as number) % SPARE_ROWS);
  const withPieces = units === "characters-and-pieces";
  return {
    rows: firstPiece + (withPieces ? vocabulary.pieces.length : 0),
    read(word) {
      const packed = [2 * BEGIN];
      let lowered = "";
      for (const character of word) {
        const lower = character.toLowerCase();
        const capital = lower === character ? 0 : 1;
        // The lower case of a capital may be several characters (İ).
        for (const part of lower) packed.push(2 * idOf(part) + capital);
        lowered += lower;
      }
      if (withPieces) {
        packed.push(2 * MIDDLE);
        split(lowered, (piece, character) => {
          packed.push(2 * (piece < 0 ? idOf(character) : firstPiece + piece));
        });
      }
      packed.push(2 * END);
      const truncated = packed.length > positions;
      if (truncated) packed.length = positions;
      return { units: packed, truncated };
    },
  };
}

/** N-grams of the word in lower case without accents; all have the mark of capitals if the word contains one. */
function ngramReader({ ngrams, positions }: WordUnitOptions): WordReader {
  if (ngrams === undefined)
    throw new ArgumentError('units "ngrams" need the lengths of n-grams and the number of buckets');
  const buffer = new Int32Array(positions);
  const options = { ...ngrams, limit: positions };
  const { views, buckets } = ngrams;
  return {
    rows: ngrams.buckets + 1,
    read(word) {
      const capital = word.toLowerCase() === word ? 0 : 1;
      let { count, truncated } = hashNgrams(word, options, buffer);
      const features = views ? normalizedWords(word).flatMap((part) => viewFeatures(part, views)) : [];
      for (const feature of features) {
        if (count === positions) truncated = true;
        else buffer[count++] = hashFeature(feature) & (buckets - 1);
      }
      return { units: buffer.slice(0, count).map((bucket) => 2 * (bucket + 1) + capital), truncated };
    },
  };
}
