/** Searches finished tables for evaluation data: pairs, typed mentions, titles. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asksMisspelling, folded, lemmaPairs, pairHash, pairKey, pairSets } from "../leaks.mjs";
import { clean, readRows, readRowsUnderHeader } from "../training-tables.mjs";
import { impliedNames, plurals } from "./data/implied-types.mjs";
import { ontologyNames, surnames, wordnetNames } from "./data/typed-names.mjs";
import { readWordnet } from "./data/wordnet-pairs.mjs";

/** @typedef {import("../leaks.mjs").Evaluation} Evaluation */
/**
 * @typedef {{ what: string, checked: number, hits: string[] }} Check `hits` holds locations and texts, for
 *   display
 */

const scoredUntrained = /^(?:conll2003|bc5cdr)/;

/**
 * Checks that no pair is in an evaluation file or among the hashes, that no pair consists of two lemmas of a
 * synset behind Turney's questions or misspells a word that is asked for, and that no evaluation title is paired
 * with itself.
 * @param {string} folder @param {Evaluation} evaluation @returns {Promise<Check[]>} */
export async function checkSynonyms(folder, evaluation) {
  const { pairs, keptBack, titles } = evaluation;
  const turneyPairs = lemmaPairs((await readWordnet()).turney);
  /** @type {Record<string, Check>} */
  const checks = Object.fromEntries(
    [...pairSets, "kept back", "turney's synsets"].map((set) => [
      set,
      { what: `pairs of ${set}`, checked: 0, hits: [] },
    ]),
  );
  const misspelt = { what: "misspellings of the evaluation", checked: 0, hits: /** @type {string[]} */ ([]) };
  const selves = { what: "titles to make twins of", checked: 0, hits: /** @type {string[]} */ ([]) };
  let line = 1;
  for (const [phrase, synonym, source] of readRowsUnderHeader(join(folder, "synonyms.tsv"))) {
    const hit = `synonyms.tsv line ${++line}: ${phrase} | ${synonym} (${source})`;
    if (folded(phrase) === folded(synonym)) {
      selves.checked++;
      // a name in another case is a pair of two spellings; only identical texts request twins
      if (phrase === synonym && titles.has(folded(phrase))) selves.hits.push(hit);
      continue;
    }
    misspelt.checked++;
    if (asksMisspelling(evaluation, [phrase, synonym, source])) misspelt.hits.push(hit);
    const key = pairKey(phrase, synonym);
    for (const check of Object.values(checks)) check.checked++;
    const set = pairs.get(key);
    if (set !== undefined) checks[set].hits.push(hit);
    if (keptBack.has(pairHash(key))) checks["kept back"].hits.push(hit);
    if (turneyPairs.has(key)) checks["turney's synsets"].hits.push(hit);
  }
  return [...Object.values(checks), misspelt, selves];
}

/**
 * Checks that no phrase has a type that only CoNLL-2003 or BC5CDR gives, and that no phrase is an evaluation
 * title: training makes twins of phrases. Legitimate types come from other rows, WordNet, ontologies,
 * surnames of persons in other rows, and implied names (implied-types.mjs). A name may also occur a second
 * time in capitals.
 * @param {string} folder @param {string} data @param {Evaluation} evaluation @returns {Promise<Check[]>}
 */
export async function checkPhrases(folder, data, { titles }) {
  /** @type {Map<string, boolean>} whether all rows of a phrase come from the two sets */
  const onlyEvaluated = new Map();
  const persons = [];
  for (const [text, , type, source] of readRows(join(data, "train/types.tsv.gz"))) {
    const phrase = clean(text);
    const isEvaluated = scoredUntrained.test(source);
    onlyEvaluated.set(phrase, (onlyEvaluated.get(phrase) ?? true) && isEvaluated);
    if (type === "PERSON" && !isEvaluated) persons.push(phrase);
  }
  for (const [text] of readRows(join(data, "train/chunks.tsv.gz"))) onlyEvaluated.set(clean(text), false);
  for (const [name] of ontologyNames(join(data, "train"))) onlyEvaluated.set(clean(name), false);
  for await (const [name, type] of wordnetNames(await readWordnet())) {
    onlyEvaluated.set(clean(name), false);
    if (type === "PERSON") persons.push(clean(name));
  }
  for (const surname of surnames(persons).keys()) onlyEvaluated.set(surname, false);
  // accept any type: the rows that these names are implied by are checked themselves
  const anyType = () => "OTHER/disease";
  const singularAlone = (/** @type {string} */ word) => (word.endsWith("s") ? undefined : anyType());
  for (const typeOf of [anyType, singularAlone])
    for (const [name] of impliedNames(join(data, "train"), typeOf, new Map()))
      onlyEvaluated.set(clean(name), false);
  for (const [word] of plurals(join(data, "train"), singularAlone)) onlyEvaluated.set(word, false);
  const rows = [...readRowsUnderHeader(join(folder, "phrases.tsv"))];
  const others = rows.filter(([phrase]) => /\p{Ll}/u.test(phrase) && onlyEvaluated.get(phrase) === false);
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
    if (onlyEvaluated.get(phrase) === true && !capitals.has(phrase))
      check.hits.push(`phrases.tsv line ${line}: ${phrase} (${type})`);
  }
  return [check, twins];
}

/**
 * Checks that no line of the recipe's texts consists of an evaluation title alone.
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

/**
 * Checks that the recipe reads only texts in train/text and leaves out the rows of CoNLL-2003 and BC5CDR,
 * which are scored without training on them.
 * @param {any} recipe @param {string} data @returns {Check[]} */
export function checkRecipe(recipe, data) {
  const texts = recipe.pretrain.texts.map(String);
  const unknown = texts.filter(
    (/** @type {string} */ name) => !existsSync(join(data, "train/text", `${name}.tsv.gz`)),
  );
  const missing = ["conll2003", "bc5cdr"].filter((set) => !recipe.data.leaveOut.evaluation.includes(set));
  return [
    {
      what: "recipe: texts and sets left out",
      checked: texts.length + 2,
      hits: [
        ...unknown.map((/** @type {string} */ name) => `${name} is not a text in train/text`),
        ...missing.map((set) => `${set} is not left out`),
      ],
    },
  ];
}
