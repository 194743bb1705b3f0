/** How hashed n-grams are read, as config.json records it. */
import type { HashedNgramOptions } from "../../text/hashed-ngrams.js";
import type { Feature } from "../architecture.js";

/** Phrases as hashed character n-grams, padded with the bucket number `buckets`. */
export interface HashedNgramsFeature extends Feature, HashedNgramOptions {
  readonly kind: "hashed-ngrams";
  /** The graph input that takes the buckets, int32 [batch, n-grams]. */
  readonly input: string;
}
