/**
 * PEARL-small as its authors trained it with the character encoder (tigerchen52/PEARL, commit 1d34340; Chen,
 * Varoquaux and Suchanek, 2024, sections 3 and 4.1).
 *
 * Where we differ: equal phrases in a batch and known synonyms are not negatives of each other; padding words have
 * no vector; capitals are read as such; LOVE begins untrained unless a pretrained folder is named
 * (`--characters FOLDER`); the average with the base's weights is the paper's, which that commit left out, and
 * leaves the new type head and character encoder alone, since they have no older weights.
 */

import type { MethodSettings } from "../method.js";
import { pearlSchedule } from "../schedule.js";

export const pearlSmall: MethodSettings = {
  base: "intfloat/e5-small-v2",
  shape: {},
  characters: { from: "love", width: 96 },
  blocks: "as-they-come",
  partLosses: { phrase: 0, characters: 0 },
  types: "learned",
  typeWeight: 1,
  // 5 phrases with 2 hard negatives each: 15 anchors, 30 embeddings a step
  anchors: 5,
  hardNegatives: 2,
  synonyms: 0,
  pairRows: 5,
  run: 1,
  augmentPairs: 0,
  // characters .30, synonyms .20, paraphrases .30, swapped words .10, unchanged .10
  augmentation: { preset: "pearl" },
  epochs: 2,
  learningRate: 3e-5,
  // × 0.98 every 2,000 steps
  schedule: pearlSchedule,
  temperature: 0.07,
  dropout: 0.1,
  clipNorm: 0,
  averageWithBase: 0.5,
};

/** PEARL-base: as PEARL-small, on E5-base, with a character part of 288 (768 + 288 = 1,056). */
export const pearlBase: MethodSettings = {
  ...pearlSmall,
  base: "intfloat/e5-base-v2",
  characters: { from: "love", width: 288 },
};
