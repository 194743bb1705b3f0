/** Hashed character n-grams of whole phrases. */
import { hashNgrams } from "../../text/hashed-ngrams.js";
import type { Architecture } from "../architecture.js";
import { concatenate, type Featurizer } from "../feature-rows.js";
import type { HashedNgramsFeature } from "./feature.js";

export const hashedNgrams: Architecture<HashedNgramsFeature> = {
  kind: "hashed-ngrams",
  files: [],
  cost: "addition",
  inputs: ({ input }) => [input],
  open: ngramFeaturizer,
  parts: {
    // what builds graphs is loaded in training alone
    ngrams: async (settings, phrases) => (await import("./ngram-bag.js")).ngramPart(settings, phrases),
  },
};

function ngramFeaturizer(feature: HashedNgramsFeature): Featurizer {
  const buffer = new Int32Array(feature.limit);
  return {
    read(phrases) {
      let truncated = 0;
      const rows = phrases.map((phrase) => {
        const result = hashNgrams(phrase, feature, buffer, 0);
        if (result.truncated) truncated++;
        return buffer.slice(0, result.count);
      });
      return { rows: concatenate(rows), truncated };
    },
    fill({ ids, starts }, batch, length, feeds) {
      const data = new Int32Array(batch.length * length).fill(feature.buckets);
      for (let i = 0; i < batch.length; i++) {
        const row = batch[i];
        data.set(ids.subarray(starts[row], starts[row + 1]), i * length);
      }
      feeds[feature.input] = { type: "int32", dims: [batch.length, length], data };
    },
  };
}
