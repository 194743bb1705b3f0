/** The words that a character encoder is pretrained on: of a table, of word vectors, or WordNet's lemmas. */
import { basename } from "node:path";
import { distance } from "fastest-levenshtein";
import { countBy } from "../../by-key.js";
import { ArgumentError, UsageError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
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

// Words of similar spelling, as hard negatives: found by shared deletions (as in SymSpell).

/** Longer words have more deletions than they are worth. */
const LONGEST = 40;
/** Larger groups are skipped: their words share only one to three letters. */
const CROWD = 64;
/** Words that fit into a key beside a hash. */
const MOST_WORDS = 2 ** 21;

/**
 * For each word the numbers of others that become equal to it when each loses at most one character: Levenshtein
 * distance 1 or 2. The nearest come first; letter case is ignored.
 * @param count words listed for each at most @param seed of the order of equally near words
 * @throws ArgumentError for more than two million words
 */
export function nearWords(
  words: readonly string[],
  { count = 8, seed = 0 }: { readonly count?: number; readonly seed?: number } = {},
): Int32Array[] {
  if (words.length > MOST_WORDS)
    throw new ArgumentError(
      `${words.length} words are too many to search for similar spelling: use at most ${MOST_WORDS} (--limit)`,
    );
  const lowered = words.map((word) => word.toLowerCase());
  const keys = deletionKeys(lowered);
  const random = createRandom(seed);
  return lowered.map((word, number) => {
    const others = new Set<number>();
    for (const hash of deletionsOf(word).sort()) addSharers(others, keys, hash);
    others.delete(number);
    // 0 apart: the same word in other letter case, the hardest negative
    const drawn = [...others].map((other) => ({
      other,
      apart: distance(word, lowered[other]),
      lot: random(),
    }));
    drawn.sort((a, b) => a.apart - b.apart || a.lot - b.lot);
    return Int32Array.from(drawn.slice(0, count), ({ other }) => other);
  });
}

/**
 * Sorted keys of all words' deletions: a hash of 32 bits and the word's number of 21 bits, of which a float64 holds 53
 * exactly. Keys take less memory than pairs of words, of which two million words may have a hundred million.
 */
function deletionKeys(words: readonly string[]): Float64Array {
  const keys = new Float64Array(words.reduce((sum, word) => sum + 1 + lengthOf(word), 0));
  let filled = 0;
  words.forEach((word, number) => {
    for (const hash of deletionsOf(word)) keys[filled++] = hash * MOST_WORDS + number;
  });
  keys.sort();
  // "hello" becomes "helo" twice
  return keys.filter((key, i) => key !== keys[i - 1]);
}

/** Adds the numbers of the words with a deletion of this hash, unless they are many. */
function addSharers(others: Set<number>, keys: Float64Array, hash: number): void {
  const least = hash * MOST_WORDS;
  const start = placeIn(0, keys.length - 1, (at) => keys[at] < least);
  let end = start;
  while (keys[end] < least + MOST_WORDS) if (++end - start > CROWD) return;
  for (let at = start; at < end; at++) others.add(keys[at] - least);
}

/** Letters whose deletion is tried. */
const lengthOf = (word: string): number => (word.length > LONGEST ? 0 : word.length);

/** Hashes of a word and of what each deletion of a letter leaves. */
function deletionsOf(word: string): Uint32Array {
  const hashes = new Uint32Array(1 + lengthOf(word));
  for (let i = 0; i < hashes.length; i++) hashes[i] = hashWithout(word, i - 1);
  return hashes;
}

/** FNV-1a over all characters but one (-1: over all), 32 bits. */
function hashWithout(word: string, gap: number): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < word.length; i++) if (i !== gap) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}
