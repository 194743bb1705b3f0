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

import { groupBy } from "../../by-key.js";
import { TableError } from "../../errors.js";
import { createRandom, type Random, sampleWithout } from "../../random.js";
import { mean } from "../../statistics.js";
import { hashFeature } from "../../text/hashed-ngrams.js";
import { readLines, type WantedFile } from "../data-folder.js";
import { rankAnswers, worstMisses } from "../rank.js";
import { fileTask, secondsSince } from "../task.js";

const sampleSize = 19_970;
const editCounts = [1, 2] as const;

const plainOrGzipped = (...names: string[]) => names.flatMap((name) => [name, `${name}.gz`]);

const wordListFile: WantedFile = {
  what: "the word list",
  // in the data folder, or in a folder `words` beside it
  names: plainOrGzipped("strings/words.txt", "words/words.txt", "../words/words.txt"),
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
    const kind = below(3);
    if (kind === 1)
      return characters.toSpliced(below(characters.length + 1), 0, String.fromCharCode(97 + below(26)));
    if (kind === 0 && characters.length > 1) return characters.toSpliced(below(characters.length), 1);
    const at = below(characters.length - 1);
    if (kind === 2 && characters.length > 1 && characters[at] !== characters[at + 1])
      return characters.toSpliced(at, 2, characters[at + 1], characters[at]);
  }
}

/** Words that are held out, and queries, at most. */
const most = 2000;

/**
 * Human misspellings: find the word that was meant in a whole dictionary.
 *
 * The pairs are a table of misspellings and words. Of the words that the word list has, the 2,000 with the smallest
 * hash are held out with all of their pairs, and the 2,000 of these pairs with the smallest hash are the queries.
 * Some misspellings are other words of the list ("stop" for "spot"), which spelling alone cannot know. All is lower-cased.
 * Precision@1 among all words of the list, ties at 1/k. Other forms of a word may be known ("receives" as "recieves" to a
 * training without "receive"): the second score is that of queries without such a pair. Both protocols are the same.
 */
export const misspellings = fileTask({
  name: "misspellings",
  metric: "precision@1",
  files: [
    {
      what: "the misspellings (a tab-separated file: misspelling, word)",
      names: plainOrGzipped("misspellings/misspellings.tsv", "../train/pairs/misspell.tsv"),
    },
    wordListFile,
  ],
  async read([pairs, words]) {
    const rows = (await readLines(pairs)).map((line) => line.split("\t"));
    const wrong = rows.findIndex((cells) => cells.length < 2);
    if (wrong >= 0)
      throw new TableError(
        `${pairs}, line ${wrong + 1}: expected a misspelling, a tab and a word, found "${rows[wrong][0]}".`,
      );
    return splitMisspellings(rows as unknown as Misspelling[], await readLines(words));
  },
  async measure({ dictionary, queries, expected, hasOtherForm }, context) {
    const ranked = await rankAnswers({ queries, candidates: dictionary, expected }, context);
    const details = { dictionary: dictionary.length };
    const scoreOf = (metric: string, rows: typeof ranked) => {
      const score = mean(rows.map(({ credit }) => credit));
      return { metric, score, n: rows.length, details };
    };
    const alone = ranked.filter((_, query) => !hasOtherForm[query]);
    const scores = [scoreOf("precision@1", ranked)];
    if (alone.length > 0) scores.push(scoreOf("precision@1, no other form known", alone));
    return { scores, misses: worstMisses(ranked) };
  },
});

type Misspelling = readonly [wrong: string, right: string, ...more: string[]];

/**
 * The queries of the held-out words, and the pairs of all other words, which a training may know.
 * @throws TableError where no word of the pairs is in the list
 */
export function splitMisspellings(pairs: readonly Misspelling[], listed: readonly string[]) {
  const lower = (text: string) => text.trim().toLowerCase();
  const dictionary = [...new Set(listed.map(lower))].filter((word) => word !== "");
  const known = new Set(dictionary);
  const lowered = pairs.map(([wrong, right]) => [lower(wrong), lower(right)] as const);
  const words = new Set(lowered.map(([, right]) => right).filter((right) => known.has(right)));
  const heldOut = new Set(bySmallestHash([...words], (word) => word));
  if (heldOut.size === 0)
    throw new TableError("no word of the misspellings is in the word list. Give the list of their language.");
  const [asked, training] = [true, false].map((isAsked) =>
    lowered.filter(([, right]) => heldOut.has(right) === isAsked),
  );
  const drawn = bySmallestHash(asked, ([wrong, right]) => `${right} ${wrong}`);
  return {
    dictionary,
    queries: drawn.map(([wrong]) => wrong),
    expected: drawn.map(([, right]) => right),
    heldOut,
    training,
    hasOtherForm: otherForms(drawn, training),
  };
}

/** For each query, whether a pair of `training` begins as it does, all but two letters (four at least) of both sides. */
function otherForms(queries: readonly Misspelling[], training: readonly Misspelling[]): boolean[] {
  const start = (text: string) => text.slice(0, 4);
  const known = groupBy(training, ([wrong, right]) => `${start(wrong)} ${start(right)}`);
  const isForm = (text: string, other: string) =>
    other.startsWith(text.slice(0, Math.max(4, text.length - 2)));
  return queries.map(([wrong, right]) =>
    (known.get(`${start(wrong)} ${start(right)}`) ?? []).some(
      (pair) => isForm(wrong, pair[0]) && isForm(right, pair[1]),
    ),
  );
}

function bySmallestHash<Item>(items: readonly Item[], text: (item: Item) => string): Item[] {
  const hashed = items.map((item) => ({ item, hash: hashFeature(text(item)) >>> 0 }));
  const smallest = hashed.sort((a, b) => a.hash - b.hash).slice(0, most);
  return smallest.map(({ item }) => item);
}
