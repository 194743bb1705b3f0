/** Everything that a training on a corpus can be told, as plain data: what presets hold and training.json records. */

import type { PartSettings } from "../architectures/architecture.js";
import type { BlockLengths } from "../architectures/compose.js";
import type { ScratchShape } from "../architectures/transformer/scratch-model.js";
import type { Schedule } from "../training/optimiser/schedule.js";
import type { AugmentationSettings } from "./augmentation/settings.js";
import type { RunKey } from "./neighbour-runs.js";

/** What two phrases of a pair have in common: their spelling, what they mean, or both, as other forms of a name. */
export type PairSide = "characters" | "phrase" | "both";

/** A share for all sources of synonyms, or by source; 0 where a source is not named. */
export type AugmentedShares = number | Readonly<Record<string, number>>;

/** A schedule, or a warm-up and half a cosine that ends with the run, however long that is. */
export type MethodSchedule =
  | Schedule
  | { readonly kind: "warm-up-cosine-to-the-end"; readonly warmUp: number; readonly floor?: number };

export interface MethodSettings {
  /** Folder or hub id of the transformer to start from; "none": one from scratch. */
  readonly base: string;
  /** Shape of a transformer from scratch; 0 layers: none at all. */
  readonly shape: ScratchShape;
  /** The character encoder beside it. */
  readonly characters: PartSettings | "none";
  /** Lengths of both parts of the vector before they are joined; "as-they-come" is PEARL's way. */
  readonly blocks: BlockLengths | "as-they-come";
  /** Factors of NT-Xent on each part alone, added to that on the whole; PEARL's are 0. */
  readonly partLosses: { readonly phrase: number; readonly characters: number };
  /** Factor of NT-Xent on a word encoder's shorter embedding, its prefix; default 0. */
  readonly prefixLoss?: number;
  /** Spans of text in a batch, whose meaning is told apart by what stands around them, and that loss's factor. */
  readonly contexts?: { readonly spans: number; readonly weight: number };
  /** Shares of a word encoder's parts that their means over a batch are drawn to, and that loss's factor. */
  readonly meanShares?: {
    readonly characters: number;
    readonly meaning: number;
    readonly types: number;
    /** Shares for pairs that are the meaning's matter alone (`synonymSides`); the others then have those above. */
    readonly meanings?: { readonly characters: number; readonly meaning: number; readonly types: number };
    readonly weight: number;
  };
  /**
   * What the losses of parts and prefix compare: all phrases of a batch, as NT-Xent does, or each side of the pairs
   * with the other alone, at a quarter of the cost. Default "all".
   */
  readonly furtherContrast?: "all" | "between";
  /** Whether phrase types are learned. */
  readonly types: "learned" | "none";
  /** Factor of their loss. */
  readonly typeWeight: number;
  /** Phrases of the corpus in a batch. */
  readonly anchors: number;
  /** Hard negatives for each of them, which come with twins of their own. */
  readonly hardNegatives: number;
  /** Known synonyms in a batch, as pairs. */
  readonly synonyms: number;
  /** How these are shared out over the corpus's sources of synonyms; default by their sizes. */
  readonly synonymShares?: Readonly<Record<string, number>>;
  /**
   * Which part's own loss sees a source: synonyms that are spelled alike, those that mean the same, or "both". Twins
   * made by augmentation are both. Default: both parts see all.
   */
  readonly synonymSides?: Readonly<Record<string, PairSide>>;
  /** Rows of a table of pairs in a batch, where there is one. */
  readonly pairRows: number;
  /** Synonym pairs that share words and come together; 1: none do. */
  readonly run: number;
  /** Which words they share, by source of synonyms; default "rarest". */
  readonly runsBy?: Readonly<Record<string, RunKey>>;
  /** Share of these pairs' second phrases that are augmented too, for all sources or by source. */
  readonly augmentPairs: AugmentedShares;
  readonly augmentation: AugmentationSettings | "none";
  /** Passes over the phrases of the corpus. */
  readonly epochs: number;
  readonly learningRate: number;
  /**
   * What it is multiplied by for a weight, by the weight's name. A table's row is met in few batches, and Adam's step
   * does not grow with the gradient: tables may want larger steps than what every phrase passes. Default: 1 for all.
   */
  readonly rateFactors?: Readonly<Record<string, number>>;
  readonly schedule: MethodSchedule;
  readonly temperature: number;
  /** Share of the transformer's inner values that is dropped. */
  readonly dropout: number;
  /** Gradients of a larger norm are scaled down to it; 0: never. */
  readonly clipNorm: number;
  /** Share of the trained weights in an average with the base's; 1: none is taken. */
  readonly averageWithBase: number;
}

/** The schedule of a run of so many steps. */
export function scheduleOf(schedule: MethodSchedule, steps: number): Schedule {
  if (schedule.kind !== "warm-up-cosine-to-the-end") return schedule;
  const { warmUp, floor } = schedule;
  return { kind: "warm-up-cosine", warmUp: Math.min(warmUp, Math.ceil(steps / 10)), steps, floor };
}
