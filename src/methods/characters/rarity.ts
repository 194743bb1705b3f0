/** First weights of encoders that add units up: rare units count more, as in inverse document frequency. */
import { characterWeights } from "../../architectures/characters/encoder.js";
import type { WeightSource } from "../../nn/net.js";
import { phraseWords, type WordReader } from "../../text/word-units.js";

/** Scales the embedding's rows by ln((1 + N) / (1 + n)), the most frequent near 0 and the mean at 1. */
export function weightedByRarity(
  base: WeightSource,
  words: readonly string[],
  reader: WordReader,
): WeightSource {
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
    const width = dims[1];
    for (let i = 0; i < data.length; i++) data[i] *= rarity[Math.floor(i / width)] / mean;
    return weight;
  };
}
