/** What a training by PEARL's method may vary, as plain data, and the values of its paper. */
import type { PartSettings } from "../architectures/architecture.js";
import { ArgumentError } from "../errors.js";
import type { Tensor } from "../onnx/tensor.js";
import type { Schedule } from "../training/optimiser/optimiser.js";

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
  readonly augmentation: { readonly preset: "pearl" | "pearl-head" };
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

/** × 0.98 every 2,000 steps. */
export const pearlSchedule: Schedule = { kind: "exponential", factor: 0.98, every: 2000 };

/**
 * PEARL-small as its authors trained it with the character encoder (tigerchen52/PEARL, commit 1d34340; Chen,
 * Varoquaux and Suchanek, 2024, sections 3 and 4.1).
 * The average with the base's weights is the paper's; that commit left it out. docs/method.md says where we differ.
 */
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

// PEARL's last step: the average of two models' weights (Wortsman et al., 2022, WiSE-FT).

/**
 * The average of two models' weights: share · a + (1 - share) · b. Weights of `a` alone, such as a new type head, stay
 * as they are.
 * @param share default 0.5, as PEARL averages with E5
 */
export function averageWeights(
  a: ReadonlyMap<string, Tensor>,
  b: ReadonlyMap<string, Tensor>,
  { share = 0.5 }: { share?: number } = {},
): Map<string, Tensor> {
  return new Map(
    [...a].map(([name, tensor]) => {
      const other = b.get(name);
      if (!other) return [name, tensor];
      if (String(other.dims) !== String(tensor.dims))
        throw new ArgumentError(
          `weight ${name} is [${tensor.dims}] in one model and [${other.dims}] in the other`,
        );
      const [x, y] = [tensor.data as Float32Array, other.data as Float32Array];
      return [name, { ...tensor, data: x.map((value, i) => share * value + (1 - share) * y[i]) }];
    }),
  );
}
