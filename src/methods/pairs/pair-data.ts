/** Batches of pairs, as inputs of the graph of pearl/loss/program.ts. */
import { contrastiveBatch, type Reader, readPhrases } from "../../pearl/contrastive-batch.js";
import { batchSeed, permutation } from "../../random.js";
import type { TrainingData } from "../../training/trainer.js";
import { inEpochs } from "../epochs.js";
import type { Pair } from "./pairs.js";

export interface PairDataOptions {
  readonly batchSize: number;
  readonly seed: number;
  /** Phrase types in the order of the type head; empty: types are not learned. */
  readonly types: readonly string[];
  /** Whether the program takes hard negatives. */
  readonly negatives: "used" | "none";
  readonly fingerprint: string;
  readonly inputNames: readonly string[];
  readonly cells?: number;
}

export interface PairData extends TrainingData {
  readonly batchesPerEpoch: number;
  /** Distinct phrases longer than the model reads; they were cut. */
  readonly truncated: number;
}

/** Tokenises all phrases once, then makes batches. */
export async function createPairData(
  pairs: readonly Pair[],
  reader: Reader,
  options: PairDataOptions,
): Promise<PairData> {
  const { negatives, types, seed, batchSize, cells, fingerprint } = options;
  const negativesOf = ({ negative }: Pair) => (negatives === "used" && negative !== "" ? [negative] : []);
  const phrases = new Set(pairs.flatMap((pair) => [pair.text, pair.positive, ...negativesOf(pair)]));
  const places = new Map([...phrases].map((phrase, place) => [phrase, place]));
  const place = (phrase: string) => places.get(phrase) as number;
  const read = await readPhrases([...phrases], reader);
  const inputNames = new Set(options.inputNames);
  const epochs = inEpochs(pairs.length, batchSize, (epoch) => permutation(pairs.length, seed, epoch));
  return {
    batchesPerEpoch: epochs.batchesPerEpoch,
    truncated: read.truncated,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}`,
    batch(index) {
      const rows = Array.from(epochs.itemsOf(index), (i) => pairs[i]);
      return contrastiveBatch(
        {
          anchors: rows.map(({ text }) => place(text)),
          positives: rows.map(({ positive }) => place(positive)),
          ...(negatives === "used" && { negatives: rows.flatMap(negativesOf).map(place) }),
          types: rows.map(({ type }) => types.indexOf(type)),
        },
        read,
        { cells, inputNames, types: types.length, seed: batchSeed(seed, index) },
      );
    },
    describe: (index) => Array.from(epochs.itemsOf(index), (i) => pairs[i]),
  };
}
