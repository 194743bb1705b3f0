/** Pairs of a word and a misspelling of it. */
import { join } from "node:path";
import { markedWords } from "../../../dist/architectures/pearl-mini/marked-words.js";
import { createAugmenter } from "../../../dist/augmentation/augmenter.js";
import { createRandom } from "../../../dist/random.js";
import { readRows } from "../../training-tables.mjs";
import { singleWords } from "./wordnet-pairs.mjs";

/** Shorter words are skipped: an edit often turns them into another word. */
const SHORTEST = 4;

/**
 * Pairs words of typed names and of WordNet with misspellings, without the words that the evaluation
 * misspells.
 * @param {object} inputs
 * @param {string} inputs.data contains the folder `words`
 * @param {import("./wordnet-pairs.mjs").Wordnet} inputs.wordnet
 * @param {ReadonlyMap<string, unknown>} inputs.typed
 * @param {{ copies: number, twice: number, seed: number }} settings `copies` is the number of misspellings
 *   per word; `twice` is the probability of a second edit
 * @returns {Promise<[word: string, misspelling: string][]>}
 */
export async function typoPairs({ data, wordnet, typed }, { copies, twice, seed }) {
  const evaluated = new Set();
  for (const [word] of readRows(join(data, "words/words.txt.gz"))) evaluated.add(word.trim().toLowerCase());
  const words = new Set(singleWords(wordnet));
  for (const phrase of typed.keys()) for (const { text } of markedWords(phrase)) words.add(text);
  const augmenter = await createAugmenter({ probabilities: { character: 1 }, wordNet: "off" });
  const random = createRandom(seed + 3);
  /** @type {[string, string][]} */
  const pairs = [];
  for (const word of words) {
    if (word.length < SHORTEST || !/^\p{L}+$/u.test(word) || evaluated.has(word)) continue;
    for (let copy = 0; copy < copies; copy++) {
      const once = augmenter.augment(word, random).text;
      pairs.push([word, random() < twice ? augmenter.augment(once, random).text : once]);
    }
  }
  return pairs;
}
