/** Words of syllables, and how many of them an encoder finds by a misspelt form. */
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(9);
const syllables = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu", "an", "er", "is", "on"];
export const words = [
  ...new Set(
    Array.from({ length: 150 }, () =>
      Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join(""),
    ),
  ),
];
/** Each word with two letters swapped, the edit that changes most n-grams. */
const misspelt = words.map((word) => word[0] + word[2] + word[1] + word.slice(3));

export async function withEncoder<Result>(folder: string, use: (encoder: PhraseEncoder) => Promise<Result>) {
  const encoder = await PhraseEncoder.load(folder, { threads: 1 });
  return use(encoder).finally(() => encoder.dispose());
}

/** Share of misspelt words whose nearest word is the right one. */
export const found = (folder: string): Promise<number> =>
  withEncoder(folder, async (encoder) => {
    const scores = await encoder.similarity(misspelt, words);
    const right = scores.filter((row, i) => row.every((score, j) => j === i || score < row[i]));
    return right.length / words.length;
  });
