/** Where a character encoder starts to learn spelling: its part, featurizer and first weights. */
import { fromSeed, type WeightSource } from "../../nn/net.js";
import { createWordReader, phraseWords, type WordReader } from "../../text/word-units.js";
import type { SpellingEncoder } from "../pretraining.js";
import { characterWeights } from "./encoder.js";
import { characterFeaturizer } from "./features.js";
import { characterPart, vocabularyOf } from "./part.js";
import type { CharacterEncoder } from "./units.js";

export function spellingEncoder(encoder: CharacterEncoder): SpellingEncoder {
  return {
    ...encoder,
    start(words, { width, units, pieces, seed }) {
      // the encoder reads words as parts between spaces and punctuation, so pieces are learned from these
      const counted = words.map((word) => [word, 1] as const);
      const vocabulary = vocabularyOf(units, counted, pieces);
      const part = characterPart(encoder, { sizes: { width }, units, vocabulary });
      const weights = fromSeed(seed);
      return {
        part,
        featurizer: characterFeaturizer(part.feature, vocabulary),
        weights: encoder.isSum
          ? weightedByRarity(weights, words, createWordReader(units, vocabulary))
          : weights,
        ...(vocabulary && {
          summary: `${vocabulary.characters.length} characters and ${vocabulary.pieces.length} word pieces`,
        }),
      };
    },
  };
}

/**
 * First weights of encoders that add units up: rows of rare units are longer, as in inverse document frequency:
 * × ln((1 + N) / (1 + n)) for a unit of n words among N, scaled to a mean of 1.
 */
function weightedByRarity(base: WeightSource, words: readonly string[], reader: WordReader): WeightSource {
  const frequency = new Float64Array(reader.rows);
  for (const word of words) {
    const units = phraseWords(word).flatMap((part) => [...reader.read(part).units]);
    for (const unit of new Set(units.map((packed) => packed >> 1))) frequency[unit]++;
  }
  const rarity = frequency.map((count) => Math.log((1 + words.length) / (1 + count)));
  const mean = Math.max(1e-9, rarity.reduce((sum, value) => sum + value, 0) / rarity.length);
  return (name, dims, initialiser) => {
    const weight = base(name, dims, initialiser);
    if (name !== `${characterWeights}.embedding.weight`) return weight;
    const data = weight.data as Float32Array;
    for (let i = 0; i < data.length; i++) data[i] *= rarity[Math.floor(i / dims[1])] / mean;
    return weight;
  };
}
