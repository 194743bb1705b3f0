/**
 * Hashed n-grams as a character encoder: the sum of their vectors. New vectors are Gaussian with the n-gram's
 * inverse document frequency as deviation, so that cosines begin near those of TF-IDF (a random projection keeps
 * them; Johnson and Lindenstrauss, 1984) and training moves them from there.
 */
import { type Initialiser, normal } from "../../nn/initialise.js";
import { embedding } from "../../nn/layers.js";
import { type Net, number, reduce } from "../../nn/net.js";
import { sumPooling } from "../../nn/pooling.js";
import { hashNgrams } from "../../text/hashed-ngrams.js";
import type { CountedPhrases, ModelPart, PartSettings } from "../architecture.js";
import type { HashedNgramsFeature } from "./reading.js";

export function ngramPart(
  { width = 96, buckets = 2 ** 16 }: PartSettings,
  phrases: CountedPhrases,
): ModelPart {
  const feature: HashedNgramsFeature = {
    kind: "hashed-ngrams",
    input: "ngram_ids",
    ...{ minimum: 3, maximum: 5, buckets, limit: 256 },
  };
  const frequencies = inverseFrequencies(phrases, feature);
  // around 1, so that a learning rate that suits other weights suits these
  const mean = frequencies.reduce((sum, value) => sum + value, 0) / buckets;
  const deviations = frequencies.map((value) => value / mean);
  return {
    features: [feature],
    width,
    build(net) {
      const ids = net.g.input(feature.input, "int32", ["batch", "ngrams"]);
      return ngramBag(net, ids, { buckets, width, deviations });
    },
  };
}

/**
 * The sum of a phrase's n-grams over the square root of their number.
 * @param ids int32 [phrases, n-grams], padded with `buckets`: the last row of the table `ngrams.weight`
 * @param deviations of each bucket's first values, [buckets]
 * @returns [phrases, width]
 */
function ngramBag(
  net: Net,
  ids: string,
  { buckets, width, deviations }: { buckets: number; width: number; deviations: Float32Array },
): string {
  const { g } = net;
  const draw = normal(1);
  let element = 0;
  const initialiser: Initialiser = (random, dims) => {
    const deviation = deviations[Math.floor(element++ / width)] ?? 0;
    return (deviation * draw(random, dims)) / Math.sqrt(width);
  };
  const hidden = embedding(net, ids, { name: "ngrams", rows: buckets + 1, width, initialiser });
  const mask = g.cast(g.add("Less", [ids, g.scalar("int32", buckets)]), "int32");
  const count = reduce(net, "ReduceSum", g.cast(mask, "float32"), { keepdims: 1 });
  const length = g.add("Sqrt", [g.add("Max", [count, number(net, 1)])]);
  return g.add("Div", [sumPooling(net, { hidden, mask }), length]);
}

/** ln((1 + N) / (1 + n)) + 1 of each bucket, where n of N different phrases hold one of its n-grams. */
function inverseFrequencies(phrases: CountedPhrases, feature: HashedNgramsFeature): Float32Array {
  const holding = new Uint32Array(feature.buckets);
  const buffer = new Int32Array(feature.limit);
  let total = 0;
  for (const [phrase] of phrases) {
    const { count } = hashNgrams(phrase, feature, buffer);
    for (const bucket of new Set(buffer.subarray(0, count))) holding[bucket]++;
    total++;
  }
  return Float32Array.from(holding, (n) => Math.log((1 + total) / (1 + n)) + 1);
}
