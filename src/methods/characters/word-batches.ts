/** Batches for learning spelling: words and their hard negatives, each attacked and correct, as inputs of the graph. */
import type { Featurizer } from "../../architectures/feature-rows.js";
import { dropoutSeed } from "../../architectures/transformer/dropout.js";
import { createRandom, type Random, sampleWithout, shuffled } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingBatch } from "../../training/batch.js";
import type { TrainingData } from "../../training/trainer.js";
import { inEpochs } from "../epochs.js";
import type { Attack } from "./attacks.js";

/** Inputs beside the encoder's. */
export const wordInputNames = {
  /** int32 [2 × words]: equal words have equal numbers. */
  groups: "groups",
  /** float32 [words, dimension]: given vectors of the correct words. */
  targets: "target_vectors",
} as const;

export interface WordBatchOptions {
  readonly words: readonly string[];
  /** Vectors of the words, row after row; absent: the targets are the encoder's own vectors of the correct words. */
  readonly vectors?: { readonly dimension: number; readonly data: Float32Array };
  /** Words of similar spelling, for each word. */
  readonly near: readonly Int32Array[];
  readonly attack: Attack;
  readonly featurizer: Featurizer;
  /** Words of a batch at most, hard negatives not counted. */
  readonly batchSize: number;
  /** Hard negatives of each word at most. */
  readonly hardNegatives: number;
  readonly seed: number;
  /** Inputs of the graph; others are left out. */
  readonly inputNames: readonly string[];
  /** Of the words and vectors. */
  readonly fingerprint: string;
}

export interface WordBatches extends TrainingData {
  readonly batchesPerEpoch: number;
}

/** Hard negatives are anchors too, as in LOVE's code. */
export function createWordBatches(options: WordBatchOptions): WordBatches {
  const { words, near, hardNegatives, batchSize, seed, fingerprint } = options;
  const epochs = inEpochs(words.length, batchSize, (epoch) =>
    shuffled(words.length, createRandom(seed + 7919 * epoch)),
  );
  /** The words drawn and, after each, some of similar spelling. */
  const draw = (index: number): { numbers: number[]; random: Random } => {
    const random = createRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) | 0);
    const numbers = Array.from(epochs.itemsOf(index)).flatMap((word) => [
      word,
      ...sampleWithout(Array.from(near[word]), hardNegatives, random),
    ]);
    return { numbers, random };
  };
  return {
    batchesPerEpoch: epochs.batchesPerEpoch,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}`,
    batch(index) {
      const { numbers, random } = draw(index);
      return batchOf(numbers, random, options);
    },
    describe: (index) => draw(index).numbers.map((number) => words[number]),
  };
}

function batchOf(numbers: readonly number[], random: Random, options: WordBatchOptions): TrainingBatch {
  const { words, vectors, attack, featurizer } = options;
  const attacked = numbers.map((number) => attack(words[number], random));
  const clean = vectors ? [] : numbers.map((number) => words[number]);
  const phrases = [...attacked, ...clean];
  const feeds: Feeds = {};
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), 1, feeds);
  if (options.inputNames.includes(dropoutSeed))
    feeds[dropoutSeed] = {
      type: "int64",
      dims: [1],
      data: BigInt64Array.of(BigInt(Math.floor(random() * 2 ** 31))),
    };
  const groups = Int32Array.from([...numbers, ...numbers]);
  feeds[wordInputNames.groups] = { type: "int32", dims: [groups.length], data: groups };
  if (vectors) {
    const { dimension, data } = vectors;
    const targets = new Float32Array(numbers.length * dimension);
    numbers.forEach((number, row) => {
      targets.set(data.subarray(number * dimension, (number + 1) * dimension), row * dimension);
    });
    feeds[wordInputNames.targets] = { type: "float32", dims: [numbers.length, dimension], data: targets };
  }
  return { feeds, phrases: numbers.length };
}
