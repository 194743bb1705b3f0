/** Character n-grams of the words of a phrase, as hash buckets. */
import { FNV_BASIS, FNV_PRIME } from "../files/checksums/fnv.js";
import { foldLetters } from "./accents.js";

/** How phrases become n-gram buckets; a model's config.json records it. */
export interface HashedNgramOptions {
  /** Shortest n-gram in characters, the word-boundary marks included. */
  readonly minimum: number;
  /** Longest n-gram in characters. */
  readonly maximum: number;
  /** Number of hash buckets: a power of two. */
  readonly buckets: number;
  /** The most n-grams of a phrase; the rest is cut off. */
  readonly limit: number;
}

/** Word boundaries, as characters that no normalised phrase contains. */
const [WORD_START, WORD_END] = ["\u0002", "\u0003"];

/** Runs of letters, marks and digits are words; any other visible character is a separate word. */
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{C}]/gu;

/**
 * The words of a phrase without capitals, accents and compatibility forms:
 * "Zürich, CH" and "zurich , ch" give the same words.
 */
export function normalizedWords(phrase: string): string[] {
  // Most phrases are single words or ASCII; they take a sixth or a third of the time of others.
  if (/^[a-z0-9]+$/.test(phrase)) return [phrase];
  return (isAscii(phrase) ? phrase.toLowerCase() : withoutMarks(phrase)).match(WORD) ?? [];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

const withoutMarks = (text: string): string =>
  foldLetters(
    text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{Mn}+/gu, ""),
  );

/**
 * Writes the buckets of a phrase's n-grams, including whole words and repetitions, to `target`.
 * @returns the number of buckets written, and whether a letter is in none of them
 */
export function hashNgrams(
  phrase: string,
  { minimum, maximum, buckets, limit }: HashedNgramOptions,
  target: Int32Array,
): { count: number; truncated: boolean } {
  const mask = buckets - 1;
  let count = 0;
  const words = normalizedWords(phrase);
  for (const [place, word] of words.entries()) {
    const marked = WORD_START + word + WORD_END;
    const { length } = marked;
    for (let start = 0; start < length; start++) {
      let hash = FNV_BASIS;
      for (let size = 1; start + size <= length; size++) {
        hash = Math.imul(hash ^ marked.charCodeAt(start + size - 1), FNV_PRIME);
        const whole = size === length;
        if (size > maximum && start > 0) break;
        if ((size < minimum || size > maximum) && !whole) continue;
        if (count === limit) {
          const read = Math.max(start + Math.min(size - 1, maximum), start === 0 ? 0 : start - 1 + maximum);
          return { count, truncated: read <= word.length || place < words.length - 1 };
        }
        target[count++] = mix(hash) & mask;
      }
    }
  }
  return { count, truncated: false };
}

/** The hash of one feature; its low bits are a bucket. */
export function hashFeature(text: string): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return mix(hash);
}

/** Spreads a hash over all bits (the finaliser of MurmurHash3, Appleby 2011). */
function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
