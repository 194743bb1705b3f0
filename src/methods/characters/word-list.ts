/** The words that a character encoder is pretrained on: of a table, of word vectors, or WordNet's lemmas. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { ArgumentError } from "../../errors.js";
import { Table } from "../../table/table.js";
import { readWordVectors, type WordVectors } from "../../text/word-vectors.js";
import { readSynsets } from "../../text/wordnet.js";

export interface WordList {
  readonly words: readonly string[];
  /** Vectors in the words' order, where they are mimicked. */
  readonly vectors?: WordVectors;
  /** Where the words come from, for people: a file's name. */
  readonly source: string;
  /** A line that says what was read. */
  readonly summary: string;
  /** SHA-256 over words and vectors, 16 hexadecimal digits. */
  readonly fingerprint: string;
}

export interface WordListOptions {
  readonly vectors?: string;
  readonly words?: string;
  readonly limit?: number;
}

/** @throws TableError, MissingDataError, ArgumentError where fewer than two words are left */
export async function readWordList({ vectors, words, limit }: WordListOptions): Promise<WordList> {
  const listed = words === undefined ? undefined : await tableWords(words);
  const given = vectors === undefined ? undefined : await readWordVectors(vectors);
  let list: Pick<WordList, "words" | "vectors" | "source">;
  if (given) list = vectorsOf(given, listed && new Set(listed), limit);
  else list = { words: (listed ?? (await lemmas())).slice(0, limit), source: "WordNet's lemmas" };
  if (words !== undefined) list = { ...list, source: basename(words) };
  if (list.words.length < 2)
    throw new ArgumentError(
      `words${given ? " that have a vector" : ""}: at least two are needed, there are ${list.words.length}`,
    );
  const hash = createHash("sha256").update(list.words.join("\n"));
  if (list.vectors) hash.update(list.vectors.data);
  const count = list.words.length.toLocaleString("en-US");
  const summary = list.vectors
    ? `${count} words with vectors of ${list.vectors.dimension} numbers from ${basename(list.vectors.name)}`
    : `${count} words from ${list.source}; no word vectors: spelling alone is learned`;
  return { ...list, summary, fingerprint: hash.digest("hex").slice(0, 16) };
}

/** Words with a letter or digit, of a length that words have. */
const isWord = (word: string): boolean => word.length <= 64 && /[\p{L}\p{N}]/u.test(word);

/** The column of phrases, each word once. */
async function tableWords(path: string): Promise<string[]> {
  const table = await Table.open(path);
  try {
    const found = new Set<string>();
    for await (const phrases of table.phrases()) for (const phrase of phrases) found.add(phrase.trim());
    return [...found].filter(isWord);
  } finally {
    await table.close();
  }
}

/** WordNet's lemmas, phrases too, in alphabetical order. */
async function lemmas(): Promise<string[]> {
  const found = new Set<string>();
  for await (const synset of readSynsets()) for (const lemma of synset.lemmas) found.add(lemma);
  return [...found].filter(isWord).sort();
}

function vectorsOf(
  given: WordVectors,
  wanted: ReadonlySet<string> | undefined,
  limit: number | undefined,
): Pick<WordList, "words" | "vectors" | "source"> {
  const { dimension, data } = given;
  const isZero = (row: number) => data.subarray(row * dimension, (row + 1) * dimension).every((x) => x === 0);
  const rows = [...given.words.keys()]
    .filter((row) => isWord(given.words[row]) && (!wanted || wanted.has(given.words[row])) && !isZero(row))
    .slice(0, limit);
  const words = rows.map((row) => given.words[row]);
  const kept = new Float32Array(rows.length * dimension);
  rows.forEach((row, i) => {
    kept.set(data.subarray(row * dimension, (row + 1) * dimension), i * dimension);
  });
  return { words, vectors: { ...given, words, data: kept }, source: basename(given.name) };
}
