/** Reads phrases as hashed character n-grams. */
import { type HashedNgramOptions, hashNgrams } from "../../text/hashed-ngrams.js";
import { type Architecture, concatenate, type Feature, type Featurizer } from "../architecture.js";

/** Phrases as hashed character n-grams, padded with the bucket number `buckets`. */
export interface HashedNgramsFeature extends Feature, HashedNgramOptions {
  readonly kind: "hashed-ngrams";
  /** The graph input that takes the buckets, int32 [batch, n-grams]. */
  readonly input: string;
}

export const hashedNgrams: Architecture<HashedNgramsFeature> = {
  kind: "hashed-ngrams",
  // folders of earlier versions have this name too
  className: "PearlCharacters",
  files: [],
  learning: { rate: 1e-3 },
  inputs: ({ input }) => [input],
  open: ngramFeaturizer,
};

function ngramFeaturizer(feature: HashedNgramsFeature): Featurizer {
  const buffer = new Int32Array(feature.limit);
  return {
    read(phrases) {
      let truncated = 0;
      const rows = phrases.map((phrase) => {
        const result = hashNgrams(phrase, feature, buffer);
        if (result.truncated) truncated++;
        return buffer.slice(0, result.count);
      });
      return { rows: concatenate(rows), truncated };
    },
    fill({ ids, starts }, batch, length, feeds) {
      const data = new Int32Array(batch.length * length).fill(feature.buckets);
      batch.forEach((row, i) => {
        data.set(ids.subarray(starts[row], starts[row + 1]), i * length);
      });
      feeds[feature.input] = { type: "int32", dims: [batch.length, length], data };
    },
  };
}
