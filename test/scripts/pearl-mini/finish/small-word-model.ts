/** A tiny word encoder with random weights. */

import { writeWordModel } from "../../../../src/architectures/pearl-mini/model.js";
import { pearlMiniSizes } from "../../../../src/architectures/pearl-mini/sizes.js";
import { fromSeed } from "../../../../src/nn/net.js";
import { PHRASE_TYPES } from "../../../../src/pearl/phrase-types.js";

const fortyWords = Array.from({ length: 40 }, (_, i) => `word${i}`);

/** Writes a model folder and returns its path. */
export async function smallWordModel(
  path: string,
  seed: number,
  { meaning = 16, words = fortyWords }: { meaning?: number; words?: readonly string[] } = {},
): Promise<string> {
  await writeWordModel(
    path,
    {
      weights: fromSeed(seed),
      sizes: {
        ...{ ...pearlMiniSizes, vocabulary: words.length, buckets: 64, characters: 8, vectors: 8, width: 8 },
        ...{ heads: 2, feedForward: 16, layers: 1, meaning, prefix: { characters: 4, meaning: 4 } },
      },
      words,
      types: PHRASE_TYPES,
      reading: { minimum: 2, maximum: 4, buckets: 64, ngrams: 20, phraseLength: 14 },
    },
    { "training.json": JSON.stringify({ seed }) },
  );
  return path;
}

/** Columns of each part in its embedding of 24 + 8 + 16 dimensions. */
const columns = {
  types: [[0, 24]],
  characters: [
    [24, 28],
    [32, 36],
  ],
  meaning: [
    [28, 32],
    [36, 48],
  ],
};

/** One part of the embedding of a tiny model. */
export const partOf = (embedding: ArrayLike<number>, part: keyof typeof columns): number[] =>
  columns[part].flatMap(([start, end]) => Array.from(embedding).slice(start, end));
