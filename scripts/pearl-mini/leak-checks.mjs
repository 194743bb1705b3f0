/** Searches finished tables for evaluation data: pairs, typed mentions, titles. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folded, lemmaPairs, pairHash, pairKey, pairSets } from "../leaks.mjs";
import { clean, readRows, readRowsUnderHeader } from "../training-tables.mjs";
import { impliedNames, plurals } from "./data/implied-types.mjs";
import { ontologyNames, surnames, wordnetNames } from "./data/typed-names.mjs";
import { readWordnet } from "./data/wordnet-pairs.mjs";

/** @typedef {import("../leaks.mjs").Evaluation} Evaluation */
/** @typedef {{ what: string, checked: number, hits: string[] }} Check `hits` are places and texts, for people */

const scoredUntrained = /^(?:conll2003|bc5cdr)/;

/** No pair is in an evaluation file or the hashes, or joins lemmas of a synset of Turney's; no title stands alone.
 * @param {string} folder @param {Evaluation} evaluation @returns {Promise<Check[]>} */
export async function checkSynonyms(folder, { pairs, keptBack, titles }) {
  const turneyPairs = lemmaPairs((await readWordnet()).turney);
  /** @type {Record<string, Check>} */
  const checks = Object.fromEntries(
    [...pairSets, "kept back", "turney's synsets"].map((set) => [
      set,
      { what: `pairs of ${set}`, checked: 0, hits: [] },
    ]),
  );
  const selves = { what: "titles to make twins of", checked: 0, hits: /** @type {string[]} */ ([]) };
  let line = 1;
  for (const [phrase, synonym, source] of readRowsUnderHeader(join(folder, "synonyms.tsv"))) {
    const hit = `synonyms.tsv line ${++line}: ${phrase} | ${synonym} (${source})`;
    if (folded(phrase) === folded(synonym)) {
      selves.checked++;
      // a name in another case is a pair of two spellings; only the same text asks for twins
      if (phrase === synonym && titles.has(folded(phrase))) selves.hits.push(hit);
      continue;
    }
    const key = pairKey(phrase, synonym);
    for (const check of Object.values(checks)) check.checked++;
    const set = pairs.get(key);
    if (set !== undefined) checks[set].hits.push(hit);
    if (keptBack.has(pairHash(key))) checks["kept back"].hits.push(hit);
    if (turneyPairs.has(key)) checks["turney's synsets"].hits.push(hit);
  }
  return [...Object.values(checks), selves];
}

/**
 * No phrase has a type that only CoNLL-2003 or BC5CDR gave it, and none is a title: training makes twins of phrases.
 * Types come from other rows too, WordNet, ontologies, the surnames of other rows' persons, and names that follow from
 * others (implied-types.mjs); and a name may come in capitals beside itself.
 * @param {string} folder @param {string} data @param {Evaluation} evaluation @returns {Promise<Check[]>}
 */
export async function checkPhrases(folder, data, { titles }) {
  /** @type {Map<string, boolean>} whether all of a phrase's rows are of those sets */
  const onlyThere = new Map();
  const persons = [];
  for (const [text, , type, source] of readRows(join(data, "train/types.tsv.gz"))) {
    const phrase = clean(text);
    const there = scoredUntrained.test(source);
    onlyThere.set(phrase, (onlyThere.get(phrase) ?? true) && there);
    if (type === "PERSON" && !there) persons.push(phrase);
  }
  for (const [text] of readRows(join(data, "train/chunks.tsv.gz"))) onlyThere.set(clean(text), false);
  for (const [name] of ontologyNames(join(data, "train"))) onlyThere.set(clean(name), false);
  for await (const [name, type] of wordnetNames(await readWordnet())) {
    onlyThere.set(clean(name), false);
    if (type === "PERSON") persons.push(clean(name));
  }
  for (const surname of surnames(persons).keys()) onlyThere.set(surname, false);
  // whatever the types are from which they follow: those rows are checked themselves
  const anyType = () => "OTHER/disease";
  const singularAlone = (/** @type {string} */ word) => (word.endsWith("s") ? undefined : anyType());
  for (const typeOf of [anyType, singularAlone])
    for (const [name] of impliedNames(join(data, "train"), typeOf, new Map()))
      onlyThere.set(clean(name), false);
  for (const [word] of plurals(join(data, "train"), singularAlone)) onlyThere.set(word, false);
  const rows = [...readRowsUnderHeader(join(folder, "phrases.tsv"))];
  const others = rows.filter(([phrase]) => /\p{Ll}/u.test(phrase) && onlyThere.get(phrase) === false);
  const capitals = new Set(others.map(([phrase]) => phrase.toUpperCase()));
  const check = {
    what: "typed mentions of conll2003, bc5cdr",
    checked: 0,
    hits: /** @type {string[]} */ ([]),
  };
  const twins = { what: "titles among the phrases", checked: 0, hits: /** @type {string[]} */ ([]) };
  let line = 1;
  for (const [phrase, , type] of rows) {
    line++;
    twins.checked++;
    if (titles.has(folded(phrase))) twins.hits.push(`phrases.tsv line ${line}: ${phrase}`);
    if (type === "") continue;
    check.checked++;
    if (onlyThere.get(phrase) === true && !capitals.has(phrase))
      check.hits.push(`phrases.tsv line ${line}: ${phrase} (${type})`);
  }
  return [check, twins];
}

/**
 * No line of the recipe's texts is a title of the evaluation and nothing else.
 * @param {readonly string[]} texts @param {string} data @param {Evaluation} evaluation @returns {Check[]}
 */
export function checkTexts(texts, data, { titles }) {
  const check = { what: "titles as lines of text", checked: 0, hits: /** @type {string[]} */ ([]) };
  for (const name of texts)
    for (const [, line = ""] of readRows(join(data, "train/text", `${name}.tsv.gz`))) {
      check.checked++;
      if (line.length < 200 && titles.has(folded(line))) check.hits.push(`text/${name}: ${line}`);
    }
  return [check];
}

/** The recipe reads texts of train/text alone, and leaves out the rows of the sets that are scored untrained.
 * @param {any} recipe @param {string} data @returns {Check[]} */
export function checkRecipe(recipe, data) {
  const texts = recipe.pretrain.texts.map(String);
  const strange = texts.filter(
    (/** @type {string} */ name) => !existsSync(join(data, "train/text", `${name}.tsv.gz`)),
  );
  const missing = ["conll2003", "bc5cdr"].filter((set) => !recipe.data.leaveOut.evaluation.includes(set));
  return [
    {
      what: "recipe: texts and sets left out",
      checked: texts.length + 2,
      hits: [
        ...strange.map((/** @type {string} */ name) => `${name} is no text of train/text`),
        ...missing.map((set) => `${set} is not left out`),
      ],
    },
  ];
}
