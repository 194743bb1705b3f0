/** What the word encoder reads: its feature in config.json, the words in words.txt, and the inputs of its graph. */
import { ModelError } from "../../errors.js";
import { readText } from "../../files/disk.js";
import type { GraphBuilder } from "../../onnx/builder.js";
import type { Feature, ModelFolder } from "../architecture.js";

/** How the words of a phrase become numbers. */
export interface WordReading {
  /** Shortest and longest n-gram in characters, boundary marks included; the whole word is one too. */
  readonly minimum: number;
  readonly maximum: number;
  /** Hash buckets of n-grams, a power of two. */
  readonly buckets: number;
  /** N-grams of a word at most. */
  readonly ngrams: number;
  /** Words of a phrase at most. */
  readonly phraseLength: number;
  /** Whether words outside the vocabulary are split at inner capitals, as "NYTimes"; default "kept". */
  readonly innerCapitals?: "kept" | "parted";
  /**
   * What a word outside the vocabulary has besides its n-grams: nothing (default), or the vector of the most frequent word
   * of the vocabulary that is one edit away.
   */
  readonly unknownWords?: "alone" | "nearest";
}

export interface WordsFeature extends Feature, WordReading {
  readonly kind: "words";
}

/** The vocabulary: one word a line, in the order of the graph's table. */
export const WORDS_FILE = "words.txt";

/** @throws ModelError where the file is missing */
export async function readWordsFile({ path }: ModelFolder): Promise<string> {
  const file = `${path}/${WORDS_FILE}`;
  return readText(file).catch((cause: unknown) => {
    throw new ModelError(`${file} is missing; the graph reads words, and this file numbers them`, { cause });
  });
}

/** The vocabulary in order. @throws ModelError where the file is missing */
export const readWords = async (folder: ModelFolder): Promise<string[]> =>
  (await readWordsFile(folder)).split("\n").filter((word) => word !== "");

/** The graph inputs of the word encoder, all int32 except `scales`; features.ts fills them. */
export const wordInputNames = {
  /** [words]: number of the word in the vocabulary, 0 for a word outside it. Word 0 is padding. */
  ids: "word_ids",
  /** [words, n-grams]: hashed n-grams of each word, counted from 1; 0 is padding. */
  ngrams: "word_ngrams",
  /** float32 [words, 1]: 1 / √(n-grams of the word), 0 where there are none. */
  scales: "word_scales",
  /** [phrases, length]: the words of each phrase as rows of `ids`; 0 is padding. */
  words: "phrase_words",
  /** [phrases, length]: marks of marked-words.ts; 0 is padding. */
  marks: "phrase_marks",
} as const;

export type WordInputs = typeof wordInputNames;

export function declareWordInputs(g: GraphBuilder): WordInputs {
  const { ids, ngrams, scales, words, marks } = wordInputNames;
  g.input(ids, "int32", ["words"]);
  g.input(ngrams, "int32", ["words", "ngrams"]);
  g.input(scales, "float32", ["words", 1]);
  g.input(words, "int32", ["phrases", "length"]);
  g.input(marks, "int32", ["phrases", "length"]);
  return wordInputNames;
}
