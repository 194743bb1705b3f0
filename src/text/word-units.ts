/** Words of a phrase, and each word as the numbers that character encoders read. */
import { ArgumentError } from "../errors.js";
import type { CharacterVocabulary } from "./character-vocabulary.js";
import { hashNgrams } from "./hashed-ngrams.js";
import { createPieceSplitter } from "./word-pieces.js";

/** How words become numbers; saved in the model's config.json. */
export interface WordUnitOptions {
  /**
   * What the numbers of a word stand for: its characters; characters and then word pieces (LOVE's: begin,
   * characters, middle, pieces, end); or its hashed n-grams with boundary marks.
   */
  readonly units: "characters" | "characters-and-pieces" | "ngrams";
  /** Numbers of a word at most; the rest is cut off. */
  readonly positions: number;
  /** Words of a phrase at most. */
  readonly phraseLength: number;
  /** Pad words to the longest of the batch (the default) or to `positions`, which unrolled graphs need. */
  readonly padding?: "longest" | "positions";
  /** Only for n-grams: their lengths with boundary marks, and the number of hash buckets, a power of two. */
  readonly ngrams?: { readonly minimum: number; readonly maximum: number; readonly buckets: number };
}

/** Reads single words. */
export interface WordReader {
  /** Numbers there are, padding included: rows of the embedding table. */
  readonly rows: number;
  /**
   * A word's units as `2 × id + 1` for capitals and `2 × id` for everything else. Ids are 1 and more.
   * `truncated`: the word was longer than `positions`.
   */
  read(word: string): { units: ArrayLike<number> & Iterable<number>; truncated: boolean };
}

/** Runs of letters, marks, digits and underscores, and runs of other visible characters, as NLTK's wordpunct. */
const WORD_OR_PUNCTUATION = /[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]+/gu;

/** The words of a phrase: "Dr. No's" gives Dr . No ' s. Used in training and in encoding alike. */
export const phraseWords = (phrase: string): string[] => composed(phrase).match(WORD_OR_PUNCTUATION) ?? [];

/** NFC; ASCII is that already. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const composed = (text: string): string => (/^[\x00-\x7f]*$/.test(text) ? text : text.normalize("NFC"));

/** Ids before the characters': padding, and LOVE's three marks. */
const [BEGIN, MIDDLE, END] = [1, 2, 3];
const FIRST_CHARACTER = 4;
/** Characters outside the vocabulary share these rows, by code point, so that most differ from one another. */
const SPARE_ROWS = 64;

/** @throws ArgumentError where the options lack what their units need */
export function createWordReader(options: WordUnitOptions, vocabulary?: CharacterVocabulary): WordReader {
  const { units, positions } = options;
  if (units === "ngrams") return ngramReader(options);
  if (vocabulary === undefined) throw new ArgumentError(`units "${units}" need a vocabulary of characters`);
  const characters = numbered(vocabulary.characters, FIRST_CHARACTER);
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
        const small = character.toLowerCase();
        const capital = small === character ? 0 : 1;
        // a capital may be several characters in small: İ
        for (const part of small) packed.push(2 * idOf(part) + capital);
        lowered += small;
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

const numbered = (items: readonly string[], first: number): Map<string, number> =>
  new Map(items.map((item, i) => [item, first + i]));

/** N-grams of the word without capitals and accents; all are marked where it has a capital. */
function ngramReader({ ngrams, positions }: WordUnitOptions): WordReader {
  if (ngrams === undefined)
    throw new ArgumentError('units "ngrams" need the lengths of n-grams and the buckets');
  const buffer = new Int32Array(positions);
  const options = { ...ngrams, limit: positions };
  return {
    rows: ngrams.buckets + 1,
    read(word) {
      const capital = word.toLowerCase() === word ? 0 : 1;
      const { count, truncated } = hashNgrams(word, options, buffer, 0);
      return { units: buffer.slice(0, count).map((bucket) => 2 * (bucket + 1) + capital), truncated };
    },
  };
}
