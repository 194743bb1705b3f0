/** N-grams of single words: a word is the sum of its hashed n-grams' vectors. */
import { bag } from "../characters/bag.js";
import type { CharacterEncoder } from "../characters/character-encoder.js";

export const wordNgrams: CharacterEncoder = {
  ...bag,
  units: {
    units: "ngrams",
    positions: 128,
    phraseLength: 32,
    ngrams: { minimum: 2, maximum: 4, buckets: 2 ** 15 },
  },
};
