/** How pearl's word encoder reads phrases: words by number, by their n-grams, and with marks of how they are written. */
import type { Architecture } from "../architecture.js";
import { wordFeaturizer } from "./features.js";
import { readWords, WORDS_FILE, type WordsFeature, wordInputNames } from "./inputs.js";
import { characterColumns, embeddingWidth, type WordEncoderSizes } from "./sizes.js";

export const words: Architecture<WordsFeature> = {
  kind: "words",
  files: [WORDS_FILE],
  padsRows: true,
  // few batches use a row of a table
  learning: {
    rate: 6e-4,
    factors: { "ngrams.weight": 4, "vectors.weight": 4, "char_weight.weight": 4, "sum_weight.weight": 4 },
  },
  inputs: () => Object.values(wordInputNames),
  open: async (feature, { folder }) => wordFeaturizer(feature, await readWords(folder)),
  spelledColumns({ config, dimension }) {
    const sizes = (config.pearl as { word_encoder?: WordEncoderSizes } | undefined)?.word_encoder;
    // before it learns phrases, its embedding is the meaning alone
    return sizes && embeddingWidth(sizes) === dimension ? characterColumns(sizes) : [];
  },
};
