/** Batches for learning spelling: words and their hard negatives, each attacked and clean, as inputs of the graph. */
import type { Featurizer } from "../../architectures/feature-rows.js";
import { dropoutSeed } from "../../architectures/transformer/dropout.js";
import { createRandom, type Random } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingBatch } from "../../training/batch.js";
import type { TrainingData } from "../../training/trainer.js";
import type { Attack } from "./attacks.js";

/** Inputs beside the encoder's. */
export const wordInputNames = {
  /** int32 [2 × words]: equal words have equal numbers. */
  groups: "groups",
  /** float32 [words, dimension]: the clean words' vectors, where there are any. */
  targets: "target_vectors",
} as const;

export interface WordBatchOptions {
  readonly words: readonly string[];
  /** Vectors of the words, row after row; absent: the encoder's own vectors of the clean words are the targets. */
  readonly vectors?: { readonly dimension: number; readonly data: Float32Array };
  /** For each word others that look alike. */
  readonly near: readonly Int32Array[];
  readonly attack: Attack;
  readonly featurizer: Featurizer;
  /** Words drawn for a batch, without their hard negatives. */
  readonly batchSize: number;
  /** Hard negatives of each, fewer where fewer are known. */
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

/** Every epoch each word once, in an order of its own; hard negatives are anchors too, as in LOVE's code. */
export function createWordBatches(options: WordBatchOptions): WordBatches {
  const { words, batchSize, seed } = options;
  const batchesPerEpoch = Math.ceil(words.length / batchSize);
  let shuffled: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };
  const draw = (index: number): { numbers: number[]; random: Random } => {
    const epoch = Math.floor(index / batchesPerEpoch);
    if (shuffled.epoch !== epoch)
      shuffled = { epoch, order: shuffle(words.length, createRandom(seed + 7919 * epoch)) };
    const edge = (i: number) => Math.floor((i * words.length) / batchesPerEpoch);
    const within = index % batchesPerEpoch;
    const random = createRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) | 0);
    const drawn = shuffled.order.subarray(edge(within), edge(within + 1));
    return { numbers: withNear(drawn, options, random), random };
  };
  return {
    batchesPerEpoch,
    fingerprint: `${options.fingerprint} seed ${seed} batch ${batchSize}`,
    batch(index) {
      const { numbers, random } = draw(index);
      return batchOf(numbers, random, options);
    },
    describe: (index) => draw(index).numbers.map((number) => words[number]),
  };
}

function shuffle(count: number, random: Random): Int32Array {
  const order = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** The words drawn and, after each, some that look alike. */
function withNear(drawn: Int32Array, { near, hardNegatives }: WordBatchOptions, random: Random): number[] {
  return Array.from(drawn).flatMap((word) => {
    const others = [...near[word]];
    for (let i = 0; i < Math.min(hardNegatives, others.length); i++) {
      const j = i + Math.floor(random() * (others.length - i));
      [others[i], others[j]] = [others[j], others[i]];
    }
    return [word, ...others.slice(0, hardNegatives)];
  });
}

function batchOf(numbers: readonly number[], random: Random, options: WordBatchOptions): TrainingBatch {
  const { words, vectors, attack, featurizer } = options;
  const attacked = numbers.map((number) => attack(words[number], random));
  const clean = vectors ? [] : numbers.map((number) => words[number]);
  const { rows } = featurizer.read([...attacked, ...clean]);
  const count = attacked.length + clean.length;
  const order = Int32Array.from({ length: count }, (_, i) => i);
  const feeds: Feeds = {};
  featurizer.fill(rows, order, 1, feeds);
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
