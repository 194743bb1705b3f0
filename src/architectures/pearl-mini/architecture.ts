/** pearl's word encoder: words by number, by their n-grams, and with marks of how they are written. */
import type { Architecture } from "../architecture.js";
import { wordFeaturizer } from "./features.js";
import { readWords, WORDS_FILE, type WordsFeature, wordInputNames } from "./inputs.js";
import { sharedFeaturizer, type WordGraph } from "./shared-features.js";
import { characterColumns, embeddingWidth, type WordEncoderSizes } from "./sizes.js";

export const words: Architecture<WordsFeature> = {
  kind: "words",
  files: [WORDS_FILE],
  cost: "transformer",
  inputs: (_, shared) => [
    ...Object.values(wordInputNames),
    ...((shared as WordGraph | undefined)?.tables ?? []).map(({ input }) => input),
  ],
  async open(feature, { folder, shared }) {
    if (shared) return sharedFeaturizer(feature, shared as WordGraph);
    return wordFeaturizer(feature, await readWords(folder));
  },
  spelledColumns({ config, dimension }) {
    const sizes = (config.pearl as { word_encoder?: WordEncoderSizes } | undefined)?.word_encoder;
    // before it learns phrases, its embedding is the meaning alone
    return sizes && embeddingWidth(sizes) === dimension ? characterColumns(sizes) : [];
  },
  // what reads ONNX files is loaded where it is needed: loading it takes each worker a while
  start: async (folder, options) => (await import("./model.js")).readWordStart(folder, options),
  text: async () => (await import("./pretrain.js")).textEncoder,
  share: async (folder, precision) => (await import("./shared-graph.js")).loadWordGraph(folder, precision),
};
