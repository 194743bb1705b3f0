/**
 * Reads what training data must not contain: the evaluation's pairs, the hashes of its other half, its
 * titles, and the WordNet synsets behind Turney's questions. The files are in bench/ (phrases) and er/ (tables
 * to match) of a data folder such as ../shared/data.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Papa from "papaparse";
import { readErSet } from "../dist/benchmark/tasks/er.js";
import { splitMisspellings } from "../dist/benchmark/tasks/strings.js";
import { readRows } from "./training-tables.mjs";

/** Lower-cases a phrase and collapses its spaces. */
export const folded = (phrase) => phrase.toLowerCase().replace(/\s+/g, " ").trim();

/** A key of a pair that ignores its direction, case and repeated spaces. */
export const pairKey = (a, b) => {
  const [x, y] = [folded(a), folded(b)];
  return x < y ? `${x}\t${y}` : `${y}\t${x}`;
};

/** The hash of a pair, as in kept-back.sha256. @param key from `pairKey` */
export const pairHash = (key) => createHash("sha256").update(key).digest("hex").slice(0, 16);

/** Hashes of the pairs that are kept back. @param data folder with bench/ and, where there are tables to match, er/ */
export const readKeptBack = (data) =>
  new Set(
    ["bench", "er"]
      .map((name) => join(data, name, "kept-back.sha256"))
      .filter(existsSync)
      .flatMap((path) => readFileSync(path, "utf8").split(/\s+/).filter(Boolean)),
  );

/**
 * Reads the evaluation: sets by the key of their pairs, folded titles of YAGO's dictionary and AutoFJ's tables,
 * hashes of the other half, and words whose human misspellings are the test of misspellings.
 */
export async function readEvaluation(data) {
  const pairs = new Map();
  for (const [set, read] of Object.entries(pairReaders))
    for (const [a, b] of await read(data)) if (!pairs.has(pairKey(a, b))) pairs.set(pairKey(a, b), set);
  return {
    ...{ pairs, titles: new Set(titlesIn(data)) },
    ...{ keptBack: readKeptBack(data), misspelt: readMisspelt(data) },
  };
}

function readMisspelt(data) {
  const files = ["train/pairs/misspell.tsv.gz", "words/words.txt.gz"].map((name) => join(data, name));
  if (!files.every(existsSync)) return new Set();
  const [pairs, words] = files.map((path) => [...readRows(path)]);
  const listed = words.map(([word]) => word);
  return splitMisspellings(pairs, listed).heldOut;
}

/**
 * The evaluation set that contains a pair, "kept back" for the other half, or undefined.
 * @param key from `pairKey`
 */
export const setOfPair = ({ pairs, keptBack }, key) =>
  pairs.get(key) ?? (keptBack.has(pairHash(key)) ? "kept back" : undefined);

/** Sources of synonyms.tsv that pair words with misspellings of them. */
const ofMisspellings = new Set(["misspell", "typos", "words"]);

/** Whether a row of synonyms.tsv misspells a word that the test of misspellings asks for. */
export const asksMisspelling = ({ misspelt }, [phrase, synonym, source]) =>
  ofMisspellings.has(source) && [phrase, synonym].some((text) => misspelt.has(folded(text)));

/** Readers of the pairs of each set from a data folder. */
const pairReaders = {
  turney: (data) => lines(data, "turney/turney.txt").map((line) => line.split(" | ")),
  bird: (data) =>
    lines(data, "bird/bird.txt")
      .slice(1)
      .map((line) => line.split("\t").slice(1, 3)),
  ppdb: (data) => JSON.parse(readFileSync(join(data, "bench/ppdb/ppdb.json"), "utf8")),
  "ppdb-filtered": (data) => JSON.parse(readFileSync(join(data, "bench/ppdb/ppdb_filtered.json"), "utf8")),
  yago: (data) => lines(data, "yago/yago_test_samples.txt").map((line) => line.split("\t")),
  autofj: (data) =>
    joinTables(data).flatMap((folder) =>
      csv(join(folder, "gt.csv"))
        .slice(1)
        .map(([, left, , right]) => [left, right]),
    ),
  er: tablePairs,
};

/** Names of the evaluation sets that consist of pairs. */
export const pairSets = Object.keys(pairReaders);

/**
 * The pairs of matching rows of the tables in er/, column by column: texts under the same header, or under those that
 * about.json pairs. Equal texts teach nothing and are left out.
 */
async function tablePairs(data) {
  const found = [];
  const er = join(data, "er");
  for (const name of existsSync(er) ? readdirSync(er) : []) {
    const about = join(er, name, "about.json");
    if (!existsSync(about)) continue;
    const { left, right = left, pairs, width } = await readErSet(join(er, name));
    const other = new Map(JSON.parse(readFileSync(about, "utf8")).more.map((column) => column.split("=")));
    for (const [header, cells] of Object.entries(left)) {
      const partners = right[other.get(header) ?? header] ?? [];
      for (const pair of pairs) {
        const [one, two] = [cells[Math.floor(pair / width)], partners[pair % width]];
        if (one && two && folded(one) !== folded(two)) found.push([one, two]);
      }
    }
  }
  return found;
}

function* titlesIn(data) {
  for (const dictionary of ["yago/yago_kb.txt", "yago/yago_kb_small.txt"])
    if (existsSync(join(data, "bench", dictionary))) yield* lines(data, dictionary).map(folded);
  for (const folder of joinTables(data))
    for (const side of ["left.csv", "right.csv"])
      for (const [, title] of csv(join(folder, side)).slice(1)) yield folded(title);
}

/**
 * Returns the synsets behind Turney's questions, which ask for the word that shares a synset with a two-word
 * phrase: noun synsets with both a two-word and a one-word lemma.
 */
export const turneySynsets = (synsets) =>
  synsets.filter(({ partOfSpeech, lemmas }) => {
    const lengths = lemmas.map((lemma) => lemma.split(" ").length);
    return partOfSpeech === "noun" && lengths.includes(2) && lengths.includes(1);
  });

/** Yields all pairs of the items of a list. */
export function* pairsWithin(items) {
  for (const [at, one] of items.entries()) for (const other of items.slice(at + 1)) yield [one, other];
}

/** Keys of all pairs of lemmas within the synsets. */
export const lemmaPairs = (synsets) =>
  new Set(
    synsets
      .flatMap(({ lemmas }) => [...pairsWithin(lemmas)])
      .filter(([lemma, other]) => folded(lemma) !== folded(other))
      .map(([lemma, other]) => pairKey(lemma, other)),
  );

/** @param file below bench/ */
const lines = (data, file) =>
  readFileSync(join(data, "bench", file), "utf8")
    .split(/\r?\n/)
    .filter(Boolean);

/** Folders of AutoFJ's sets. */
const joinTables = (data) =>
  readdirSync(join(data, "bench/autofj"))
    .map((name) => join(data, "bench/autofj", name))
    .filter((folder) => existsSync(join(folder, "gt.csv")));

/** Rows of a CSV file, its header first. */
const csv = (path) => Papa.parse(readFileSync(path, "utf8"), { delimiter: ",", skipEmptyLines: true }).data;
