/** Synonym pairs for pearl-mini, by source, without evaluation data. */
import { join } from "node:path";
import { createRandom } from "../../../dist/random.js";
import { asksMisspelling, folded, lemmaPairs, pairKey, setOfPair } from "../../leaks.mjs";
import { clean, readRows } from "../../training-tables.mjs";
import { dictionaryPairs, readCedict, readEdict } from "./dictionaries.mjs";
import { kindPairs } from "./kinds.mjs";
import { startsWithAny } from "./phrases.mjs";
import { rewrite, synonymsByWord } from "./rewrite.mjs";
import { readThesaurus, thesaurusPairs } from "./thesaurus.mjs";
import { readWikdict, wikdictGlosses } from "./wikdict.mjs";
import { definitionPairs, hypernymPairs, synonymPairs } from "./wordnet-pairs.mjs";

/**
 * Readers of the dictionaries that the recipe may name; each returns groups of phrases that translate one
 * word.
 */
const dictionaries = { edict: readEdict, cedict: readCedict, wikdict: readWikdict };

/**
 * @typedef {object} SynonymSettings
 * @property {Record<string, { table: string, origins?: readonly string[] }[]>} pairs tables below train/ by source, and
 *   which of their origins (third column) to read, all by default
 * @property {number} longest maximum characters per phrase
 * @property {number} rewrites rewrites per chunk
 * @property {readonly [number, number]} rewrittenWords minimum and maximum words of a rewritten chunk
 * @property {{ fewest: number, most: number }} kinds minimum names and maximum pairs per kind
 * @property {{ most: number, least: number }} [thesaurus] maximum pairs per entry, and their minimum cosine
 * @property {{ from: readonly (keyof typeof dictionaries)[], words: number }} [dictionaries] `words` is the
 *   maximum per translation or gloss
 * @property {readonly string[]} leaveOut prefixes of sources
 * @property {number} seed
 * @typedef {object} SynonymInputs
 * @property {string} data folder of the training data
 * @property {import("../../leaks.mjs").Evaluation} evaluation
 * @property {import("./wordnet-pairs.mjs").Wordnet} wordnet
 * @property {readonly (readonly [word: string, misspelling: string])[]} typos
 * @property {ReadonlyMap<string, import("./phrases.mjs").Phrase>} typed
 * @property {readonly import("./phrases.mjs").Phrase[]} chunks
 * @property {readonly (readonly [string, string])[]} forms pairs from word-forms.mjs
 */

/**
 * Yields rows [phrase, synonym, source], each pair once and in one direction. A row with the same phrase
 * twice makes training pair the phrase with a twin.
 * @param {SynonymInputs} inputs @param {SynonymSettings} settings @param {import("./tally.mjs").Tally} tally
 * @returns {Generator<string[]>}
 */
export function* synonymRows(inputs, settings, tally) {
  const admit = admission(inputs, settings, tally);
  /** @type {string[][]} pairs that rewrites take their synonyms from */
  const words = [];
  for (const [name, tables] of Object.entries(settings.pairs))
    for (const [a, b, origin] of tables.flatMap((table) => [...rowsOf(inputs.data, table)])) {
      const start = startsWithAny(origin, settings.leaveOut);
      if (start !== undefined) tally.leftOut(name, start);
      else {
        const row = admit(a, b, name);
        if (row !== undefined && name === "lexical") words.push(row);
        if (row !== undefined) yield row;
      }
    }
  for (const [a, b] of synonymPairs(inputs.wordnet)) {
    const row = admit(a, b, "wordnet");
    if (row === undefined) continue;
    words.push(row);
    yield row;
  }
  for (const [a, b] of hypernymPairs(inputs.wordnet)) yield* some(admit(a, b, "wordnet-hypernym"));
  for (const [a, b] of definitionPairs(inputs.wordnet)) yield* some(admit(a, b, "wordnet-gloss"));
  if (settings.thesaurus !== undefined)
    for (const [a, b] of thesaurusPairs(readThesaurus(), settings.thesaurus))
      yield* some(admit(a, b, "thesaurus"));
  if (settings.dictionaries !== undefined) {
    for (const source of settings.dictionaries.from)
      for (const [a, b] of dictionaryPairs(dictionaries[source](), settings.dictionaries))
        yield* some(admit(a, b, source));
    if (settings.dictionaries.from.includes("wikdict"))
      for (const [a, b] of wikdictGlosses(settings.dictionaries)) yield* some(admit(a, b, "wikdict-gloss"));
  }
  for (const [a, b] of kindPairs(inputs.data, inputs.typed, { ...settings, ...settings.kinds }))
    yield* some(admit(a, b, "kinds"));
  for (const [a, b] of inputs.typos) yield* some(admit(a, b, "words"));
  for (const [a, b] of inputs.forms) yield* some(admit(a, b, "forms"));
  const titles = [];
  for (const [title, gloss] of readRows(join(inputs.data, "gloss_wiki.tsv.gz"))) {
    titles.push(title);
    yield* some(admit(title, gloss, "gloss"));
  }
  for (const [a, b] of rewrites(inputs.chunks, synonymsByWord(words), settings))
    yield* some(admit(a, b, "rewrite"));
  const admitSelf = selfAdmission(inputs.evaluation, settings, tally);
  for (const title of titles) yield* some(admitSelf(title, "titles"));
  // annotated mentions in running text are often not names: "the company"
  for (const { phrase, best } of inputs.typed.values())
    if (phrase.includes(" ") && best < 3) yield* some(admitSelf(phrase, "typed"));
}

/** @param {string} data @param {{ table: string, origins?: readonly string[] }} source */
function* rowsOf(data, { table, origins }) {
  for (const row of readRows(join(data, `${table}.tsv.gz`)))
    if (origins === undefined || origins.includes(row[2])) yield row;
}

/** @template Item @param {Item | undefined} item @returns {Item[]} */
const some = (item) => (item === undefined ? [] : [item]);

/**
 * Returns a function that makes the row of a pair, or counts the pair as left out and returns undefined.
 * @param {SynonymInputs} inputs @param {SynonymSettings} settings @param {import("./tally.mjs").Tally} tally
 */
function admission({ evaluation, wordnet }, { longest }, tally) {
  const turneyPairs = lemmaPairs(wordnet.turney);
  const seen = new Set();
  return (/** @type {string} */ a, /** @type {string} */ b, /** @type {string} */ source) => {
    const [phrase, synonym] = [clean(a), clean(b ?? "")];
    const why = reasonAgainst(phrase, synonym, source);
    if (why !== undefined) return void tally.leftOut(source, why);
    seen.add(exactKey(phrase, synonym));
    tally.kept("synonyms.tsv", source);
    return [phrase, synonym, source];
  };

  /** @param {string} phrase @param {string} synonym @param {string} source */
  function reasonAgainst(phrase, synonym, source) {
    if (phrase === "" || synonym === "" || phrase === synonym) return "empty or the same";
    if (phrase.length > longest || synonym.length > longest) return "too long";
    if (seen.has(exactKey(phrase, synonym))) return "met before";
    if (asksMisspelling(evaluation, [phrase, synonym, source])) return "misspelling of the evaluation";
    const key = pairKey(phrase, synonym);
    return setOfPair(evaluation, key) ?? (turneyPairs.has(key) ? "turney's synsets" : undefined);
  }
}

/** @param {string} a @param {string} b */
const exactKey = (a, b) => (a < b ? `${a}\t${b}` : `${b}\t${a}`);

/**
 * Returns a function that makes the row of a name to train with twins, or counts the name as left out and
 * returns undefined: titles of the evaluation are left out.
 * @param {import("../../leaks.mjs").Evaluation} evaluation @param {SynonymSettings} settings
 * @param {import("./tally.mjs").Tally} tally
 */
function selfAdmission({ titles }, { longest }, tally) {
  const seen = new Set();
  return (/** @type {string} */ text, /** @type {string} */ source) => {
    const phrase = clean(text);
    const why =
      phrase.length < 5 || phrase.length > longest
        ? "too short or too long"
        : seen.has(phrase)
          ? "met before"
          : titles.has(folded(phrase))
            ? "title of the evaluation"
            : undefined;
    if (why !== undefined) return void tally.leftOut(source, why);
    seen.add(phrase);
    tally.kept("synonyms.tsv", source);
    return [phrase, phrase, source];
  };
}

/**
 * Yields pairs of a chunk and a rewrite of it.
 * @param {SynonymInputs["chunks"]} chunks @param {ReadonlyMap<string, readonly string[]>} synonyms
 * @param {SynonymSettings} settings
 */
function* rewrites(chunks, synonyms, { rewrites: times, rewrittenWords: [fewest, most], seed }) {
  const random = createRandom(seed + 1);
  for (const { phrase } of chunks) {
    const { length } = phrase.split(" ");
    if (length < fewest || length > most) continue;
    for (let time = 0; time < times; time++) {
      const other = rewrite(phrase, synonyms, random);
      if (other !== undefined) yield [phrase, other];
    }
  }
}
