/** How the word encoder reads phrases, as config.json and words.txt record it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import type { Feature, ModelFolder } from "../architecture.js";
import type { WordOptions } from "./word-vocabulary.js";

/** How the words of a phrase become numbers. */
export interface WordReading extends WordOptions {
  /** Whether words outside the vocabulary are split at inner capitals, as "NYTimes"; default "kept". */
  readonly innerCapitals?: "kept" | "parted";
}

/** The inputs of inputs.ts; the vocabulary is the folder's {@link WORDS_FILE}. */
export interface WordsFeature extends Feature, WordReading {
  readonly kind: "words";
}

/** The vocabulary: one word a line, in the order of the graph's table. */
export const WORDS_FILE = "words.txt";

/** @throws ModelError where the file is missing */
export async function readWords({ path }: ModelFolder): Promise<string[]> {
  const file = join(path, WORDS_FILE);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ModelError(`${file} is missing; the graph reads words, and this file numbers them`, {
      cause: error,
    });
  });
  return text.split("\n").filter((word) => word !== "");
}
