/** A word as the sum of the vectors of its characters or n-grams, at length 1. */
import { type CharacterEncoder, unitEmbeddings, wordVectors } from "../characters/encoder.js";

export const bag: CharacterEncoder = {
  name: "bag",
  description: "the sum of a word's characters",
  units: { units: "characters", positions: 40, phraseLength: 32 },
  width: 128,
  isSum: true,
  words: (net, inputs, options) =>
    wordVectors(net, unitEmbeddings(net, inputs, options), { inputs, pooling: options.pooling }),
};

export const wordNgrams: CharacterEncoder = {
  ...bag,
  name: "ngrams",
  description: "the sum of a word's hashed character n-grams",
  units: {
    ...{ units: "ngrams", positions: 128, phraseLength: 32 },
    ngrams: { minimum: 2, maximum: 4, buckets: 2 ** 15 },
  },
};
