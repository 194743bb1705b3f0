/** Batches of pairs: every epoch all pairs once, in an order of its own, as inputs of the graph of pair-program.ts. */
import { createRandom } from "../random.js";
import type { ChunkOptions } from "./chunks.js";
import { contrastiveBatch, type Reader, readPhrases } from "./contrastive-batch.js";
import type { Pair } from "./pairs.js";
import type { TrainingData } from "./trainer.js";

export interface PairDataOptions extends ChunkOptions {
  /** Pairs in a batch; an epoch's batches are of equal size, none larger than this. */
  readonly batchSize: number;
  readonly seed: number;
  /** Phrase types in the order of the type head; empty: types are not learned. */
  readonly types: readonly string[];
  /** Whether the program takes hard negatives. */
  readonly negatives: "used" | "none";
  /** Of the pairs. */
  readonly fingerprint: string;
  /** Inputs of the graph; others of a featurizer are left out. */
  readonly inputNames: readonly string[];
}

export interface PairData extends TrainingData {
  readonly batchesPerEpoch: number;
  /** Distinct phrases longer than the model reads, which were cut. */
  readonly truncated: number;
}

/** Reads all phrases into token ids, once, and hands out batches. */
export async function createPairData(
  pairs: readonly Pair[],
  reader: Reader,
  options: PairDataOptions,
): Promise<PairData> {
  const phrases = new Map<string, number>();
  const numberOf = (phrase: string): number => {
    const known = phrases.get(phrase) ?? phrases.size;
    phrases.set(phrase, known);
    return known;
  };
  const withNegatives = options.negatives === "used";
  const numbered = pairs.map(({ text, positive, negative, type }) => ({
    anchor: numberOf(text),
    positive: numberOf(positive),
    negative: withNegatives && negative !== "" ? numberOf(negative) : -1,
    type: options.types.indexOf(type),
  }));
  const read = await readPhrases([...phrases.keys()], reader);
  const inputNames = new Set(options.inputNames);
  const batchesPerEpoch = Math.ceil(pairs.length / options.batchSize);
  let shuffled: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };
  const indicesOf = (index: number): Int32Array => {
    const epoch = Math.floor(index / batchesPerEpoch);
    if (shuffled.epoch !== epoch) shuffled = { epoch, order: permutation(pairs.length, options.seed, epoch) };
    const edge = (i: number) => Math.floor((i * pairs.length) / batchesPerEpoch);
    const within = index % batchesPerEpoch;
    return shuffled.order.slice(edge(within), edge(within + 1));
  };
  return {
    batchesPerEpoch,
    truncated: read.truncated,
    fingerprint: `${options.fingerprint} seed ${options.seed} batch ${options.batchSize}`,
    batch(index) {
      const rows = Array.from(indicesOf(index), (i) => numbered[i]);
      const { negatives, cells, overhead } = options;
      return contrastiveBatch(
        {
          anchors: rows.map(({ anchor }) => anchor),
          positives: rows.map(({ positive }) => positive),
          negatives: rows.map(({ negative }) => negative).filter((negative) => negative >= 0),
          types: rows.map(({ type }) => type),
        },
        read,
        {
          negatives,
          cells,
          overhead,
          inputNames,
          types: options.types.length,
          seed: batchSeed(options.seed, index),
        },
      );
    },
    describe: (index) => Array.from(indicesOf(index), (i) => pairs[i]),
  };
}

/** Fisher and Yates' shuffle, its own for every epoch. */
export function permutation(count: number, seed: number, epoch: number): Int32Array {
  const random = createRandom((seed + Math.imul(epoch + 1, 0x9e3779b1)) | 0);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** A seed of its own for every batch, from 0 to 2^31 - 1. */
export const batchSeed = (seed: number, index: number): number =>
  (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 1;
