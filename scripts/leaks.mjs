/**
 * Reads what training data must not contain: the evaluation's pairs, the hashes of its other half, its
 * titles, and the WordNet synsets behind Turney's questions. The files are in bench/ (phrases) and er/ (tables
 * to match) of a data folder such as ../shared/data.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { splitMisspellings } from "../dist/benchmark/tasks/misspellings.js";
import { readRows } from "./training-tables.mjs";

/**
 * @typedef {object} Evaluation
 * @property {ReadonlyMap<string, string>} pairs evaluation sets by `pairKey`
 * @property {ReadonlySet<string>} titles folded titles of YAGO's dictionary and AutoFJ's tables
 * @property {ReadonlySet<string>} keptBack hashes of the pairs of the other half
 * @property {ReadonlySet<string>} misspelt words, in lower case, whose human misspellings are the test of misspellings
 */

/** Lower-cases a phrase and collapses its spaces. @param {string} phrase */
export const folded = (phrase) => phrase.toLowerCase().replace(/\s+/g, " ").trim();

/**
 * A key of a pair that ignores its direction, case and repeated spaces.
 * @param {string} a
 * @param {string} b
 */
export function pairKey(a, b) {
  const [x, y] = [folded(a), folded(b)];
  return x < y ? `${x}\t${y}` : `${y}\t${x}`;
}

/** The hash of a pair, as in kept-back.sha256. @param {string} key from `pairKey` */
export const pairHash = (key) => createHash("sha256").update(key).digest("hex").slice(0, 16);

/** @param {string} data folder with bench/ and, where there are tables to match, er/ @returns {Set<string>} */
export const readKeptBack = (data) =>
  new Set(
    ["bench", "er"]
      .map((name) => join(data, name, "kept-back.sha256"))
      .filter(existsSync)
      .flatMap((path) => readFileSync(path, "utf8").split(/\s+/).filter(Boolean)),
  );

/** Reads the pairs, titles and hashes of the evaluation. @param {string} data with bench/ and er/ @returns {Evaluation} */
export function readEvaluation(data) {
  const bench = join(data, "bench");
  /** @type {Map<string, string>} */
  const pairs = new Map();
  for (const [set, read] of Object.entries(pairReaders))
    for (const [a, b] of read(bench)) if (!pairs.has(pairKey(a, b))) pairs.set(pairKey(a, b), set);
  for (const [a, b] of tablePairs(join(data, "er")))
    if (!pairs.has(pairKey(a, b))) pairs.set(pairKey(a, b), "er");
  return { pairs, titles: readTitles(bench), keptBack: readKeptBack(data), misspelt: readMisspelt(data) };
}

/** @param {string} data with train/ and words/ @returns {ReadonlySet<string>} */
function readMisspelt(data) {
  const [pairs, words] = ["train/pairs/misspell.tsv.gz", "words/words.txt.gz"].map((name) =>
    join(data, name),
  );
  if (!existsSync(pairs) || !existsSync(words)) return new Set();
  const listed = [...readRows(words)].map(([word]) => word);
  return splitMisspellings([...readRows(pairs)], listed).heldOut;
}

/**
 * Returns the evaluation set that contains a pair, "kept back" for the other half, or undefined.
 * @param {Evaluation} evaluation @param {string} key from `pairKey`
 */
export const setOfPair = ({ pairs, keptBack }, key) =>
  pairs.get(key) ?? (keptBack.has(pairHash(key)) ? "kept back" : undefined);

/** Sources of synonyms.tsv that pair words with misspellings of them. */
const ofMisspellings = new Set(["misspell", "typos", "words"]);

/**
 * Whether a row of synonyms.tsv misspells a word that the test of misspellings asks for.
 * @param {Evaluation} evaluation @param {string[]} row phrase, synonym, source
 */
export const asksMisspelling = ({ misspelt }, [phrase, synonym, source]) =>
  ofMisspellings.has(source) && [phrase, synonym].some((text) => misspelt.has(folded(text)));

/** @type {Record<string, (bench: string) => string[][]>} */
const pairReaders = {
  turney: (bench) => lines(bench, "turney/turney.txt").map((line) => line.split(" | ")),
  bird: (bench) =>
    lines(bench, "bird/bird.txt")
      .slice(1)
      .map((line) => line.split("\t").slice(1, 3)),
  ppdb: (bench) => JSON.parse(readFileSync(join(bench, "ppdb/ppdb.json"), "utf8")),
  "ppdb-filtered": (bench) => JSON.parse(readFileSync(join(bench, "ppdb/ppdb_filtered.json"), "utf8")),
  yago: (bench) => lines(bench, "yago/yago_test_samples.txt").map((line) => line.split("\t")),
  autofj: (bench) =>
    joinTables(bench).flatMap((folder) =>
      csv(join(folder, "gt.csv")).map(([, left, , right]) => [left, right]),
    ),
};

/** Names of the evaluation sets that consist of pairs. */
export const pairSets = [...Object.keys(pairReaders), "er"];

/**
 * Yields the pairs of matching rows of tables, column by column: texts under the same header, or under those
 * that about.json pairs. Equal texts teach nothing and are left out.
 * @param {string} folder of sets, as in ../shared/data/er @returns {Generator<[string, string]>}
 */
function* tablePairs(folder) {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = (/** @type {string} */ base) => join(folder, name, base);
    if (!existsSync(file("about.json"))) continue;
    const { more } = JSON.parse(readFileSync(file("about.json"), "utf8"));
    const isJoin = existsSync(file("gt.csv"));
    const [left, right] = isJoin
      ? [csv(file("left.csv"), true), csv(file("right.csv"), true)]
      : twice(csv(file("table.csv"), true));
    const matches = isJoin
      ? goldOfJoin(left, right, csv(file("gt.csv")))
      : goldOfGroups(left, csv(file("truth.csv")));
    const other = new Map(more.map((/** @type {string} */ column) => column.split("=")));
    const columns = left[0].map((header) => right[0].indexOf(other.get(header) ?? header));
    for (const [one, two] of matches)
      for (const [column, partner] of columns.entries())
        if (one[column] && two[partner] && folded(one[column]) !== folded(two[partner]))
          yield [one[column], two[partner]];
  }
}

/** @template Value @param {Value} value @returns {[Value, Value]} */
const twice = (value) => [value, value];

/** @param {string[][]} left @param {string[][]} right @param {string[][]} gold ids */
function* goldOfJoin(left, right, gold) {
  const rowById = (/** @type {string[][]} */ [header, ...rows]) =>
    new Map(rows.map((row) => [row[header.indexOf("id")], row]));
  const [lefts, rights] = [rowById(left), rowById(right)];
  for (const [l, r] of gold) {
    const [one, two] = [lefts.get(l), rights.get(r)];
    if (one && two) yield [one, two];
  }
}

/** @param {string[][]} table @param {string[][]} truth row (from 1) and entity */
function* goldOfGroups(table, truth) {
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const [row, entity] of truth) {
    const group = groups.get(entity);
    if (group) group.push(Number(row));
    else groups.set(entity, [Number(row)]);
  }
  for (const group of groups.values())
    for (const [at, row] of group.entries())
      for (const partner of group.slice(at + 1)) yield [table[row], table[partner]];
}

/** @param {string} bench */
function readTitles(bench) {
  const titles = new Set();
  for (const dictionary of ["yago/yago_kb.txt", "yago/yago_kb_small.txt"])
    if (existsSync(join(bench, dictionary)))
      for (const title of lines(bench, dictionary)) titles.add(folded(title));
  for (const folder of joinTables(bench))
    for (const side of ["left.csv", "right.csv"])
      for (const [, title] of csv(join(folder, side))) titles.add(folded(title));
  return titles;
}

/**
 * Returns the synsets behind Turney's questions, which ask for the word that shares a synset with a two-word
 * phrase: noun synsets with both a two-word and a one-word lemma.
 * @template {{ partOfSpeech: string, lemmas: readonly string[] }} Synset @param {Synset[]} synsets
 */
export function turneySynsets(synsets) {
  return synsets.filter(
    ({ partOfSpeech, lemmas }) =>
      partOfSpeech === "noun" &&
      lemmas.some((lemma) => lemma.split(" ").length === 2) &&
      lemmas.some((lemma) => !lemma.includes(" ")),
  );
}

/** Keys of all pairs of lemmas within the synsets. @param {{ lemmas: readonly string[] }[]} synsets */
export function lemmaPairs(synsets) {
  const keys = new Set();
  for (const { lemmas } of synsets)
    for (const [at, lemma] of lemmas.entries())
      for (const other of lemmas.slice(at + 1))
        if (folded(lemma) !== folded(other)) keys.add(pairKey(lemma, other));
  return keys;
}

/** @param {string} bench @param {string} file */
const lines = (bench, file) => readFileSync(join(bench, file), "utf8").split(/\r?\n/).filter(Boolean);

/** @param {string} bench @returns {string[]} folders of AutoFJ's sets */
const joinTables = (bench) =>
  readdirSync(join(bench, "autofj"))
    .map((name) => join(bench, "autofj", name))
    .filter((folder) => existsSync(join(folder, "gt.csv")));

/** Rows of a CSV file. @param {string} path @param {boolean} [header] whether to keep its header @returns {string[][]} */
function csv(path, header = false) {
  /** @type {string[][]} */
  const rows = [[]];
  const text = readFileSync(path, "utf8");
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows.slice(header ? 0 : 1).filter(({ length }) => length > 1);
}
