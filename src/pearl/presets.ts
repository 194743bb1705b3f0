/**
 * PEARL-small as its authors trained it with the character encoder (tigerchen52/PEARL, commit 1d34340; Chen,
 * Varoquaux and Suchanek, 2024, sections 3 and 4.1).
 * The average with the base's weights is the paper's; that commit left it out. docs/method.md says where we differ.
 */
import type { Schedule } from "../training/optimiser/schedule.js";
import type { PearlSettings } from "./settings.js";

/** × 0.98 every 2,000 steps. */
export const pearlSchedule: Schedule = { kind: "exponential", factor: 0.98, every: 2000 };

export const pearlSmall: PearlSettings = {
  base: "intfloat/e5-small-v2",
  characters: { from: "pretrained-love", width: 96 },
  types: "learned",
  typeWeight: 1,
  // 5 phrases with 2 hard negatives each: 15 anchors, 30 embeddings a step
  anchors: 5,
  hardNegatives: 2,
  // characters .30, synonyms .20, paraphrases .30, swapped words .10, unchanged .10
  augmentation: { preset: "pearl" },
  epochs: 2,
  learningRate: 3e-5,
  schedule: pearlSchedule,
  temperature: 0.07,
  dropout: 0.1,
  clipNorm: 0,
  averageWithBase: 0.5,
};

/** PEARL-base: as PEARL-small, on E5-base, with a character part of 288 (768 + 288 = 1,056). */
export const pearlBase: PearlSettings = {
  ...pearlSmall,
  base: "intfloat/e5-base-v2",
  characters: { from: "pretrained-love", width: 288 },
};
