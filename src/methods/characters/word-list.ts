/** The words that a character encoder is pretrained on: of a table, of word vectors, or WordNet's lemmas. */
import { basename } from "node:path";
import { countBy } from "../../by-key.js";
import { ArgumentError, UsageError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { formatCount } from "../../files/count-text.js";
import { placeIn } from "../../match/weights/chosen-places.js";
import { normal } from "../../nn/initialise.js";
import { batchSeed, createRandom } from "../../random.js";
import { gatherRows, isZero } from "../../search/vectors.js";
import { mean } from "../../statistics.js";
import { readTwoColumns, readWholeTable } from "../../table/whole-table.js";
import { readWordVectors, type WordVectors } from "../../text/word-vectors.js";
import { readSynsets } from "../../text/wordnet.js";
import type { Misspelling } from "./attacks.js";
import type { PretrainCharactersOptions } from "./pretrain-characters.js";

export interface WordList {
  readonly words: readonly string[];
  /** Synthetic words by number, where these are trained on; `words` are then those that they resemble. */
  readonly synthetic?: { readonly count: number; readonly word: (number: number) => string };
  /** Misspellings of the words, where noise is learned from them. */
  readonly misspellings?: readonly Misspelling[];
  /** Vectors in the words' order, if they are given. */
  readonly vectors?: WordVectors;
  readonly source: string;
  readonly summary: string;
  /** Of words and vectors. */
  readonly fingerprint: string;
}

/** @throws TableError, MissingDataError; ArgumentError if fewer than two words are left */
export async function readWordList(options: Omit<PretrainCharactersOptions, "output">): Promise<WordList> {
  if (options.synthetic !== undefined) return syntheticList(options, options.synthetic);
  if (options.noise !== undefined && options.vectors !== undefined)
    throw new ArgumentError("learned noise is for spelling alone: leave out the vectors or the noise");
  const listed = options.words === undefined ? undefined : await tableWords(options.words);
  const given = options.vectors === undefined ? undefined : await readWordVectors(options.vectors);
  const vectors = given && chosenVectors(given, listed && new Set(listed), options.limit);
  const pairs = options.noise && (await readTwoColumns(options.noise, "a misspelling and its word."));
  const misspellings = pairs ? (pairs.filter((pair) => pair.every(isWord)) as [string, string][]) : undefined;
  if (misspellings?.length === 0)
    throw new ArgumentError(
      `${options.noise}: no row has a misspelling and its word, each with a letter or digit and at most 64 characters. Give such rows.`,
    );
  const chosen = vectors?.words ?? (listed ?? (await lemmas())).slice(0, options.limit);
  const words = misspellings ? [...new Set([...chosen, ...misspellings.map(([, right]) => right)])] : chosen;
  const source = options.words ?? given?.name;
  const name = source === undefined ? "WordNet's lemmas" : basename(source);
  if (words.length < 2)
    throw new ArgumentError(
      `${name}: ${words.length} words${given ? " with a vector" : ""}, at least two are needed. Give more words.`,
    );
  const count = formatCount(words.length);
  const errors = misspellings ? `, from ${formatCount(misspellings.length)} misspellings too` : "";
  return {
    ...{ words, misspellings, vectors, source: name },
    summary: vectors
      ? `${count} words with vectors of ${vectors.dimension} dimensions from ${basename(vectors.name)}`
      : `${count} words from ${name}; no word vectors: only spelling is learned${errors}`,
    fingerprint: fingerprint(
      words.join("\n"),
      ...(misspellings ? [JSON.stringify(misspellings)] : []),
      ...(vectors ? [new Uint8Array(vectors.data.buffer)] : []),
    ),
  };
}

/** @throws UsageError for options that have no meaning for synthetic words */
async function syntheticList(
  { like, words, vectors, noise, limit, seed = 0 }: Parameters<typeof readWordList>[0],
  count: number,
): Promise<WordList> {
  if ([words, vectors, noise, limit].some((option) => option !== undefined))
    throw new UsageError(
      "--synthetic takes the place of --words, --vectors, --noise and --limit: leave them out",
    );
  const resembled = like === undefined ? await lemmas() : await tableWords(like);
  const name = like === undefined ? "WordNet's lemmas" : basename(like);
  if (resembled.length === 0) throw new ArgumentError(`${name}: there are no words to resemble`);
  return {
    words: resembled,
    synthetic: { count, word: syntheticWords(resembled, seed) },
    source: `synthetic words like ${name}`,
    summary: `${formatCount(count)} synthetic words an epoch, like the ${formatCount(resembled.length)} of ${name}`,
    fingerprint: fingerprint(resembled.join("\n"), `${count} ${seed}`),
  };
}

/** True for a text with a letter or digit that is not too long for a word. */
const isWord = (word: string): boolean => word.length <= 64 && /[\p{L}\p{N}]/u.test(word);

async function tableWords(path: string): Promise<string[]> {
  const { phrases } = await readWholeTable(path);
  return [...new Set(phrases.map((phrase) => phrase.trim()))].filter(isWord);
}

/** WordNet's lemmas, phrases too, in alphabetical order. */
async function lemmas(): Promise<string[]> {
  const found = new Set<string>();
  for await (const synset of readSynsets()) for (const lemma of synset.lemmas) found.add(lemma);
  return [...found].filter(isWord).sort();
}

/** The vectors of wanted words, without vectors of zeros. */
function chosenVectors(
  given: WordVectors,
  wanted: ReadonlySet<string> | undefined,
  limit?: number,
): WordVectors {
  const { dimension, data } = given;
  const isChosen = (word: string) => isWord(word) && (!wanted || wanted.has(word));
  const rows = [...given.words.keys()]
    .filter((row) => isChosen(given.words[row]) && !isZero(data, row, dimension))
    .slice(0, limit);
  const words = rows.map((row) => given.words[row]);
  return { ...given, words, data: gatherRows(data, rows, dimension) };
}

/**
 * Words made up while an encoder trains (Zaratiana, Tomeh, Holat and Charnois on string retrieval); none is stored.
 * The length of a number's word is drawn from a normal distribution with the list's mean and deviation, rounded and cut
 * to 1 to 25; its characters by their frequencies in the list, spaces left out.
 */
export function syntheticWords(like: readonly string[], seed: number): (number: number) => string {
  const words = like.map((word) => [...word].filter((character) => character.trim() !== ""));
  const usual = mean(words.map(({ length }) => length));
  const draw = normal(Math.sqrt(mean(words.map(({ length }) => (length - usual) ** 2))));
  const counts = countBy(words.flat(), (character) => character);
  const characters = [...counts.keys()];
  let total = 0;
  const ends = Float64Array.from(counts.values(), (count) => (total += count));
  const drawn = (mark: number): string => characters[placeIn(0, ends.length - 1, (at) => ends[at] <= mark)];
  return (number) => {
    const random = createRandom(batchSeed(seed, number));
    const length = Math.min(25, Math.max(1, Math.round(usual + draw(random, []))));
    return Array.from({ length }, () => drawn(random() * total)).join("");
  };
}
