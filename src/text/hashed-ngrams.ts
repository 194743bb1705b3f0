/** Character n-grams of the words of a phrase, as hash buckets: the input of the pearl-ngram model. */
import { FNV_BASIS, FNV_PRIME } from "../files/fnv.js";

/** How phrases become n-gram buckets; saved in the model's config.json. */
export interface HashedNgramOptions {
  /** Shortest n-gram in characters, the word-boundary marks included. */
  readonly minimum: number;
  /** Longest n-gram in characters. */
  readonly maximum: number;
  /** Number of hash buckets: a power of two. */
  readonly buckets: number;
  /** At most this many n-grams of a phrase are used; the rest is cut off. */
  readonly limit: number;
}

/** Word boundaries as characters that no phrase holds after normalisation. */
const WORD_START = 0x02;
const WORD_END = 0x03;

/** Runs of letters, marks and digits are words; any other visible character is a word of its own. */
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{C}]/gu;

/** Characters that NFKD leaves composed although writers use them for one another. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ł: "l",
  ı: "i",
};

/**
 * The words of a phrase without capitals, accents and compatibility forms:
 * "Zürich, CH" and "zurich , ch" give the same words.
 */
export function normalizedWords(phrase: string): string[] {
  if (isSmallWord(phrase)) return [phrase];
  const plain = isPlainAscii(phrase)
    ? phrase.toLowerCase()
    : foldLetters(
        phrase
          .normalize("NFKD")
          .toLowerCase()
          .replace(/\p{Mn}+/gu, ""),
      );
  return plain.match(WORD) ?? [];
}

/** Small letters that NFKD leaves composed as the letters that are written for them: "straße" gives "strasse". */
export const foldLetters = (small: string): string => small.replace(/[ßæœøđłı]/g, (letter) => FOLDED[letter]);

/** One word of small ASCII letters and digits: what is asked for most often. */
function isSmallWord(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39))) return false;
  }
  return text !== "";
}

function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7e) return false;
  return true;
}

/**
 * Writes the buckets of a phrase's n-grams, whole words included, to `target` from `offset` on.
 * A repeated n-gram is written each time it occurs.
 * @returns the number of buckets written, and whether the limit cut any off.
 */
export function hashNgrams(
  phrase: string,
  { minimum, maximum, buckets, limit }: HashedNgramOptions,
  target: Int32Array,
  offset: number,
): { count: number; truncated: boolean } {
  const mask = buckets - 1;
  let count = 0;
  for (const word of normalizedWords(phrase)) {
    const length = word.length + 2;
    for (let start = 0; start < length; start++) {
      let hash = FNV_BASIS;
      for (let size = 1; start + size <= length; size++) {
        hash = Math.imul(hash ^ markedCharacter(word, start + size - 1), FNV_PRIME);
        const whole = size === length;
        if (size > maximum && start > 0) break;
        if ((size < minimum || size > maximum) && !whole) continue;
        if (count === limit) return { count, truncated: true };
        target[offset + count++] = mix(hash) & mask;
      }
    }
  }
  return { count, truncated: false };
}

/** Character `index` of the word between its boundary marks. */
function markedCharacter(word: string, index: number): number {
  if (index === 0) return WORD_START;
  return index > word.length ? WORD_END : word.charCodeAt(index - 1);
}

/** Spreads a hash over all its bits (the finaliser of MurmurHash3, Appleby 2011). */
function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
