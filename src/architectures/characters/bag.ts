/** A bag of characters: a word is the sum of its characters' vectors. */
import type { CharacterEncoder } from "./character-encoder.js";
import { unitEmbeddings, wordVectors } from "./units.js";

export const bag: CharacterEncoder = {
  units: { units: "characters", positions: 40, phraseLength: 32 },
  pretrainingWidth: 128,
  hasDropout: false,
  isSum: true,
  words: (net, inputs, options) => wordVectors(net, unitEmbeddings(net, inputs, options), inputs),
};
