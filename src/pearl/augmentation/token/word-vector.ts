/** The paper's rule of near words, by wink's word vectors instead of FastText's: computed once by exact search, kept in the cache, read back. */
import { mkdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ArgumentError, MissingDataError } from "../../../errors.js";
import { hubSettings } from "../../../hub/settings.js";
import { exactNeighbours } from "../../../search/exact.js";
import { readTabLines, writeTabLines } from "../../../table/tab-lines.js";
import { findVectorPackage, vectorPackage } from "../../../text/word-vectors.js";
import { likeCaseOf } from "../phrase/letter-case.js";
import { type ListedRule, othersThan } from "../rule.js";
import type { WordVectorSettings } from "../settings.js";
import { isFunctionWord } from "./wordnet-synonym.js";
import type { WordnetTable } from "./wordnet-table.js";

const columns = ["word", "neighbour", "cosine"] as const;
/** The cached list is made with these; settings choose from it. */
const leastCosine = 0.6;
const mostNeighbours = 10;
/** The package lists its words by falling frequency; vectors of rarer ones are poor. */
const frequentWords = 60_000;

/** Near words of a word in lower case, nearest first. */
export type NearWords = ReadonlyMap<string, readonly string[]>;

/** What is used of the package. A vector's last two numbers are its length and its row. */
interface VectorPackage {
  readonly dimensions: number;
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** A list of near words: [word, neighbour, cosine], the neighbours of a word together, nearest first. */
type NeighbourRow = readonly [string, string, number];

/**
 * Near words above the threshold, from the cache, else from the package (once: about 10 s and 1.5 GB).
 * Only words that WordNet knows in small letters take part: the neighbours of a name are other names.
 * @throws MissingDataError where neither cache nor package is here, ArgumentError for settings out of range
 */
export async function readNearWords(settings: WordVectorSettings, wordnet: WordnetTable): Promise<NearWords> {
  const { threshold = 0.8, neighbours = 5 } = settings;
  if (!(threshold >= leastCosine && threshold <= 1)) {
    throw new ArgumentError(
      `the threshold of word vectors must be from ${leastCosine} to 1, not ${threshold}`,
    );
  }
  if (!(Number.isInteger(neighbours) && neighbours >= 1 && neighbours <= mostNeighbours)) {
    throw new ArgumentError(
      `neighbours must be a whole number from 1 to ${mostNeighbours}, not ${neighbours}`,
    );
  }
  const folder = settings.cacheFolder ?? join(hubSettings().home, "pearl", "near-words");
  const path = join(folder, `${vectorPackage}.tsv`);
  if ((await stat(path).catch(() => undefined)) === undefined) {
    const vectors = loadPackage();
    await mkdir(folder, { recursive: true });
    const rows = await nearestWords(vectors, (word) => isPlainWord(word, wordnet));
    await writeTabLines(path, columns, asText(rows));
  }
  const near = new Map<string, string[]>();
  for await (const { rows } of readTabLines(path, columns)) {
    for (const [word, neighbour, cosine] of rows) {
      if (Number(cosine) < threshold) continue;
      const known = near.get(word);
      if (known === undefined) near.set(word, [neighbour]);
      else if (known.length < neighbours) known.push(neighbour);
    }
  }
  return near;
}

/** The nearest neighbours of each kept word among the kept words, by exact cosine. */
export async function nearestWords(
  { dimensions, words, vectors }: VectorPackage,
  keeps: (word: string) => boolean,
): Promise<NeighbourRow[]> {
  const kept = words.slice(0, frequentWords).filter((word) => Object.hasOwn(vectors, word) && keeps(word));
  const rows = new Float32Array(kept.length * dimensions);
  kept.forEach((word, index) => {
    rows.set(vectors[word].slice(0, dimensions), index * dimensions);
  });
  // The word itself comes first, or among those that are as near.
  const k = Math.min(mostNeighbours + 1, kept.length);
  const { indices, scores } = await exactNeighbours(rows, rows, { dimension: dimensions, k });
  const list: NeighbourRow[] = [];
  kept.forEach((word, index) => {
    for (let rank = 0; rank < k; rank++) {
      const other = indices[index * k + rank];
      const cosine = scores[index * k + rank];
      if (other >= 0 && other !== index && cosine >= leastCosine) list.push([word, kept[other], cosine]);
    }
  });
  return list;
}

function* asText(rows: readonly NeighbourRow[]): Generator<string[]> {
  for (const [word, neighbour, cosine] of rows) yield [word, neighbour, cosine.toFixed(4)];
}

function isPlainWord(word: string, { senses }: WordnetTable): boolean {
  if (!/^[a-z]{3,}$/.test(word) || isFunctionWord(word)) return false;
  return senses.get(word)?.some((sense) => sense.lemmas.includes(word)) ?? false;
}

function loadPackage(): VectorPackage {
  const path = findVectorPackage();
  if (path !== undefined) return createRequire(import.meta.url)(path) as VectorPackage;
  throw new MissingDataError(
    `near words need the optional package ${vectorPackage} (310 MB), once. Install it with: npm install ${vectorPackage}`,
  );
}

/** The rule: one word becomes a near one; words with a capital are left alone, for they may be names. */
export function wordVectorRule(near: NearWords): ListedRule {
  return {
    name: "word-vector",
    granularity: "token",
    list: (phrase, { type }) => {
      if (type !== undefined && type !== "OTHER") return [];
      const words = phrase.split(" ");
      const texts: string[] = [];
      words.forEach((word, index) => {
        for (const other of near.get(word) ?? []) {
          texts.push(
            [...words.slice(0, index), likeCaseOf(word, other), ...words.slice(index + 1)].join(" "),
          );
        }
      });
      return texts.length === 0 ? texts : othersThan(phrase, texts);
    },
  };
}
