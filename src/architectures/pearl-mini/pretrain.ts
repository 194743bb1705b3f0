/** The word encoder before it learns phrases: first weights, and the contrast of spans with their contexts. */
import { ArgumentError, UsageError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { createNet, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import type { TextEncoder } from "../pretraining.js";
import { contextLoss, contextWeights } from "./context.js";
import { wordEncoder } from "./encoder.js";
import { wordFeaturizer } from "./features.js";
import { firstWordWeights } from "./first-weights.js";
import { declareWordInputs, type WordReading } from "./inputs.js";
import { writeWordModel } from "./model.js";
import { pearlMiniSizes, type WordEncoderSizes } from "./sizes.js";

export const textEncoder: TextEncoder = {
  vocabulary: pearlMiniSizes.vocabulary,
  check(sizes: Partial<WordEncoderSizes>) {
    const { width, heads } = { ...pearlMiniSizes, ...sizes };
    if (width % heads !== 0)
      throw new UsageError(`--hidden ${width} is not a multiple of --heads ${heads}: set another of either`);
  },
  start({ words, contextWords, allWords, vectors, sizes: given, seed }) {
    const sizes: WordEncoderSizes = {
      ...sizesOf(given, words.length),
      ...(contextWords < words.length && { contextWords }),
    };
    if (vectors && vectors.dimension !== sizes.vectors)
      throw new ArgumentError(
        `${vectors.name}: vectors of ${vectors.dimension} dimensions, the encoder has ${sizes.vectors}. ` +
          `Use --vector-width ${vectors.dimension}.`,
      );
    const { buckets, phraseLength, layers, width, vocabulary, meaning } = sizes;
    const reading: WordReading = { minimum: 2, maximum: 4, buckets, ngrams: 40, phraseLength };
    const weights = firstWordWeights({ sizes, words, allWords, reading, vectors, seed });
    return {
      sizes,
      summary: `${layers} layers, width ${width}, ${formatCount(vocabulary)} words, ${meaning} dimensions`,
      featurizer: wordFeaturizer({ kind: "words", ...reading }, words),
      program: contextProgram(weights, sizes),
      write: (folder, trained, texts) =>
        writeWordModel(folder, { weights, sizes, words, reading, embedding: "meaning", trained }, texts),
    };
  },
};

/** Those of pearl-mini with the given changes; a prefix takes at most half of a part. */
function sizesOf(changes: Partial<WordEncoderSizes>, vocabulary: number): WordEncoderSizes {
  const sizes = { ...pearlMiniSizes, ...changes, vocabulary };
  const { characters, meaning } = sizes.prefix;
  const prefix = {
    characters: Math.min(characters, Math.floor(sizes.characters / 2)),
    meaning: Math.min(meaning, Math.floor(sizes.meaning / 2)),
  };
  return { ...sizes, prefix };
}

function contextProgram(weights: WeightSource, sizes: WordEncoderSizes) {
  const loss = "context_loss";
  const net = createNet(weights);
  const { g } = net;
  const { meaning } = wordEncoder(net, declareWordInputs(g), sizes);
  g.output(loss, contextLoss(sizes, weights).add(net, meaning));
  const model = g.model();
  prune(model.graph);
  // n-grams keep their first weights, which are close to TF-IDF: names teach spelling better than text
  const trained = contextWeights(model).filter((name) => name !== "ngrams.weight");
  return { model, loss, weights: trained };
}
