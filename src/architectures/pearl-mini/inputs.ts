/** What the word encoder reads: the distinct words of a batch as numbers and n-grams, and which make each phrase. */
import type { GraphBuilder } from "../../onnx/builder.js";

/** The graph inputs of the word encoder, all int32 but `scales`. src/architectures/pearl-mini/word-features.ts fills them. */
export interface WordInputs {
  /** [words]: number of the word in the vocabulary, 0 for a word outside it. Word 0 is padding. */
  readonly ids: string;
  /** [words, n-grams]: hashed n-grams of each word, counted from 1; 0 is padding. */
  readonly ngrams: string;
  /** float32 [words, 1]: 1 / √(n-grams of the word), 0 where there are none. */
  readonly scales: string;
  /** [phrases, length]: the words of each phrase as rows of `ids`; 0 is padding. */
  readonly words: string;
  /** [phrases, length]: marks of src/architectures/pearl-mini/marked-words.ts; 0 is padding. */
  readonly marks: string;
}

/** Their names in every graph of pearl's. */
export const wordInputNames: WordInputs = {
  ids: "word_ids",
  ngrams: "word_ngrams",
  scales: "word_scales",
  words: "phrase_words",
  marks: "phrase_marks",
};

/** Declares the inputs in a graph. */
export function declareWordInputs(g: GraphBuilder): WordInputs {
  const { ids, ngrams, scales, words, marks } = wordInputNames;
  g.input(ids, "int32", ["words"]);
  g.input(ngrams, "int32", ["words", "ngrams"]);
  g.input(scales, "float32", ["words", 1]);
  g.input(words, "int32", ["phrases", "length"]);
  g.input(marks, "int32", ["phrases", "length"]);
  return wordInputNames;
}
