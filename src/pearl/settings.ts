/** What a training by PEARL's method may vary, as plain data: presets.ts holds the paper's values. */
import type { PartSettings } from "../architectures/architecture.js";
import type { Schedule } from "../training/optimiser/schedule.js";
import type { paperSettings } from "./augmentation/probabilities.js";

/** The settings of PEARL's paper. */
export interface PearlSettings {
  /** Folder or hub id of the transformer to start from; "none": one from scratch. */
  readonly base: string;
  /** The character encoder added to it. */
  readonly characters: PartSettings | "none";
  /** Whether phrase types are learned. */
  readonly types: "learned" | "none";
  /** Factor of their loss. */
  readonly typeWeight: number;
  /** Phrases of the corpus in a batch. */
  readonly anchors: number;
  /** Hard negatives for each of them; each comes with its own twin. */
  readonly hardNegatives: number;
  readonly augmentation: { readonly preset: keyof typeof paperSettings };
  /** Passes over the phrases of the corpus. */
  readonly epochs: number;
  readonly learningRate: number;
  readonly schedule: Schedule;
  /** Of NT-Xent. */
  readonly temperature: number;
  /** Fraction of the transformer's inner values that dropout sets to zero. */
  readonly dropout: number;
  /** Gradients of a larger norm are scaled down to it; 0: never. */
  readonly clipNorm: number;
  /** Fraction of the trained weights in the average with the base's; 1: no average. */
  readonly averageWithBase: number;
}
