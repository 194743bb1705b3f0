/**
 * A small model without a pretrained base, for a CPU: hashed n-grams with TF-IDF weights at first, and a small
 * transformer. The method is PEARL's with larger batches, known synonyms as positives in runs that share a word, and a
 * contrastive loss for each part of the vector, so that neither depends on the other.
 */
import { pearlSmall } from "../../pearl/presets.js";
import { type MethodSettings, withoutExtensions } from "./method-settings.js";

export const fromScratch: MethodSettings = {
  ...withoutExtensions(pearlSmall),
  base: "none",
  shape: { hidden: 256, layers: 2, heads: 4, vocabulary: 16_000, maximumLength: 24 },
  characters: { from: "ngrams", width: 192, buckets: 2 ** 16 },
  // a cosine is .64 characters and .36 meaning; times 10, so that the type head's scores can be large
  blocks: { phrase: 6, characters: 8 },
  partLosses: { phrase: 0.7, characters: 0.5 },
  typeWeight: 0.5,
  anchors: 96,
  hardNegatives: 1,
  synonyms: 160,
  pairRows: 128,
  run: 8,
  augmentPairs: 0.3,
  augmentation: { preset: "house" },
  epochs: 3,
  learningRate: 1e-3,
  schedule: { kind: "warm-up-cosine-to-the-end", warmUp: 100, floor: 0.02 },
  dropout: 0.1,
  averageWithBase: 1,
};
