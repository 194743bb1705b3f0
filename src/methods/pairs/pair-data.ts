/** Batches of pairs: every epoch all pairs once, in an order of its own, as inputs of the graph of pair-program.ts. */

import { contrastiveBatch, type Reader, readPhrases } from "../../pearl/contrastive-batch.js";
import { batchSeed, permutation } from "../../random.js";
import type { ChunkOptions } from "../../training/gradients/chunks.js";
import type { TrainingData } from "../../training/trainer.js";
import type { Pair } from "./pairs.js";

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
