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
import { findFile, readLines, shownPath } from "../data-folder.js";
import { worstMisses } from "../misses.js";
import { rankAnswers } from "../rank.js";
import type { Miss, Score, Task } from "../task.js";

const sampleSize = 19_970;

export const strings: Task = {
  name: "strings",
  metric: "precision@1, 1 edit",
  locate: async ({ dataFolder }) => [await wordList(dataFolder)],
  async run(context) {
    const path = await wordList(context.dataFolder);
    const lines = (await readLines(path)).map((line) => line.trim());
    const all = [...new Set(lines.filter((line) => line !== ""))];
    const { words, queriesOf } = drawRetrieval(all, context.seed);
    const answers = words.map((_, row) => [row]);
    const scores: Score[] = [];
    const misses: Miss[] = [];
    for (const edits of editCounts) {
      const queries = queriesOf[edits];
      const started = performance.now();
      const ranked = await rankAnswers({ queries, candidates: words, answers }, context);
      const seconds = (performance.now() - started) / 1000;
      const score = ranked.reduce((sum, { credit }) => sum + credit, 0) / ranked.length;
      const dataset = shownPath(context.dataFolder, path);
      const details = { file: dataset, edits, listed: all.length, seed: context.seed };
      const metric = `precision@1, ${edits} edit${edits > 1 ? "s" : ""}`;
      scores.push({ dataset, metric, score, n: words.length, seconds, details });
      const judged = ranked.map((answer, row) => ({
        ranked: answer,
        credit: answer.credit,
        ...{ dataset, query: queries[row], expected: words[row], chosen: words[answer.best] },
      }));
      misses.push(...worstMisses(judged));
    }
    return { scores, misses };
  },
};

/** A draw of the task: the dictionary, and for each of its words a query with one edit and one with two. */
export interface Retrieval {
  readonly words: readonly string[];
  readonly queriesOf: Readonly<Record<(typeof editCounts)[number], readonly string[]>>;
}

const editCounts = [1, 2] as const;

/** What the task draws by a seed. @param listed different words */
export function drawRetrieval(listed: readonly string[], seed: number): Retrieval {
  const random = createRandom(seed);
  const words = sampleWithout(listed, sampleSize, random);
  const noisy = (edits: number) => words.map((word) => withNoise(word, edits, random));
  // in this order, as both are drawn from one stream
  const [once, twice] = [noisy(1), noisy(2)];
  return { words, queriesOf: { 1: once, 2: twice } };
}

/** The list lies in the data folder, or in a folder `words` beside it. */
function wordList(dataFolder: string): Promise<string> {
  const names = ["strings", "words", "../words"].flatMap((folder) => [
    `${folder}/words.txt`,
    `${folder}/words.txt.gz`,
  ]);
  return findFile(dataFolder, "strings", { what: "the word list", names });
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
