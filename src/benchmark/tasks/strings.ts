/**
 * String retrieval (Zaratiana et al.): find a word in a list from a noisy spelling of it.
 *
 * 19,970 words are drawn from the word list by the seed; they are the dictionary, and each gives one query.
 * The noise is not specified exactly by the authors; here an edit is, with equal chance, the deletion of a
 * character, the insertion of a letter a to z, or the swap of two neighbouring different characters, at a place
 * drawn uniformly; edits that a word is too short for, and noise that gives the word back, are drawn again.
 * Precision@1 for queries with one and with two edits, ties at 1/k, and the seconds it took.
 * Both protocols are the same.
 */
import { createRandom, type Random, sampleWithout } from "../../random.js";
import { readLines, type WantedFile } from "../data-folder.js";
import { rankAnswers, worstMisses } from "../rank.js";
import { fileTask, mean, secondsSince } from "../task.js";

const sampleSize = 19_970;
const editCounts = [1, 2] as const;

export const wordListFile: WantedFile = {
  what: "the word list",
  // in the data folder, or in a folder `words` beside it
  names: ["strings", "words", "../words"].flatMap((folder) => [
    `${folder}/words.txt`,
    `${folder}/words.txt.gz`,
  ]),
};

export const strings = fileTask({
  name: "strings",
  metric: "precision@1, 1 edit",
  files: [wordListFile],
  async read([path]) {
    const lines = (await readLines(path)).map((line) => line.trim());
    return [...new Set(lines.filter((line) => line !== ""))];
  },
  async measure(listed, context) {
    const { words, queriesOf } = drawRetrieval(listed, context.seed);
    const scores = [];
    const misses = [];
    for (const edits of editCounts) {
      const started = performance.now();
      const search = { queries: queriesOf[edits], candidates: words, expected: words };
      const ranked = await rankAnswers(search, context);
      scores.push({
        metric: `precision@1, ${edits} edit${edits > 1 ? "s" : ""}`,
        score: mean(ranked.map(({ credit }) => credit)),
        n: words.length,
        seconds: secondsSince(started),
        details: { edits, listed: listed.length, seed: context.seed },
      });
      misses.push(...worstMisses(ranked));
    }
    return { scores, misses };
  },
});

/** The dictionary that a seed draws from different words, and queries with one and with two edits of each. */
export function drawRetrieval(listed: readonly string[], seed: number) {
  const random = createRandom(seed);
  const words = sampleWithout(listed, sampleSize, random);
  const noisy = (edits: number) => words.map((word) => withNoise(word, edits, random));
  // in this order, as both are drawn from one stream
  const [once, twice] = [noisy(1), noisy(2)];
  return { words, queriesOf: { 1: once, 2: twice } };
}

/** The word after the given number of random edits, never the word itself. */
export function withNoise(word: string, edits: number, random: Random): string {
  for (;;) {
    let noisy = [...word];
    for (let edit = 0; edit < edits; edit++) noisy = editOnce(noisy, random);
    const text = noisy.join("");
    if (text !== word) return text;
  }
}

function editOnce(characters: readonly string[], random: Random): string[] {
  const below = (count: number): number => Math.floor(random() * count);
  for (;;) {
    const result = [...characters];
    const kind = below(3);
    if (kind === 0 && result.length > 1) {
      result.splice(below(result.length), 1);
      return result;
    }
    if (kind === 1) {
      result.splice(below(result.length + 1), 0, String.fromCharCode(97 + below(26)));
      return result;
    }
    const at = below(result.length - 1);
    if (kind === 2 && result.length > 1 && result[at] !== result[at + 1]) {
      [result[at], result[at + 1]] = [result[at + 1], result[at]];
      return result;
    }
  }
}
