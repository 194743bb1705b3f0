/**
 * Typed names in addition to types.tsv.gz: from WordNet, from the ontologies in pairs/biomed.tsv.gz,
 * surnames, and names in capitals.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readGazetteer } from "../../../dist/corpus/typing/gazetteer.js";
import { sampleWithout } from "../../../dist/random.js";
import { readRows } from "../../training-tables.mjs";

/** @typedef {import("./phrases.mjs").Phrase} Phrase */
/** @typedef {import("../../../dist/text/wordnet.js").Synset} Synset */

/** Types of the names in each source of biomed.tsv.gz. @type {Record<string, string>} */
const ontologies = {
  ...{ obo_doid: "OTHER/disease", ncbi_disease_train: "OTHER/disease", obo_chebi: "OTHER/chemical" },
  ...{ obo_uberon: "OTHER/anatomy", obo_cl: "OTHER/anatomy", obo_pr: "OTHER/chemical", obo_go: "OTHER" },
  ...{ plant_synonyms: "OTHER/organism", wiki_taxon: "OTHER/organism", obo_ncbitaxon: "OTHER/organism" },
};

/**
 * Yields both sides of the pairs from sources with names of one type; nothing if the table does not exist.
 * @param {string} data folder of the training data
 * @returns {Generator<[phrase: string, type: string]>}
 */
export function* ontologyNames(data) {
  const path = join(data, "pairs/biomed.tsv.gz");
  if (!existsSync(path)) return;
  for (const [name, other, source] of readRows(path)) {
    const type = ontologies[source];
    if (type !== undefined) for (const phrase of [name, other]) yield [phrase, type];
  }
}

/** Top synsets of each kind: a lemma and its lexicographer file. @type {Record<string, string[][]>} */
const roots = {
  "OTHER/disease": [
    ["ill health", "noun.state"],
    ["mental disorder", "noun.state"],
    ["symptom", "noun.state"],
    ["attack", "noun.state"],
    ["ache", "noun.state"],
    ["pain", "noun.feeling"],
  ],
  "OTHER/chemical": [
    ["chemical element", "noun.substance"],
    ["chemical compound", "noun.substance"],
    ["drug", "noun.artifact"],
    ["ion", "noun.object"],
  ],
  "OTHER/anatomy": [
    ["body part", "noun.body"],
    ["tissue", "noun.body"],
    ["cell", "noun.Tops"],
  ],
  "OTHER/organism": [
    ["animal", "noun.Tops"],
    ["plant", "noun.Tops"],
    ["microorganism", "noun.animal"],
  ],
};

/**
 * Yields WordNet's named persons, places, organisations and works, and nouns of which more than half of the
 * senses are of one kind. Each sense counts once, plus once per occurrence in the sense-tagged texts.
 * @param {import("./wordnet-pairs.mjs").Wordnet} wordnet
 * @returns {AsyncGenerator<[phrase: string, type: string]>}
 */
export async function* wordnetNames({ synsets, tagCounts }) {
  const { types } = await readGazetteer();
  for (const [name, type] of types) if (type !== "OTHER" && /^\p{Lu}/u.test(name)) yield [name, type];
  const nouns = nounsOf(synsets);
  const senses = sensesOf(nouns, tagCounts);
  for (const [kind, synsetsOfKind] of synsetsOfKinds(nouns))
    for (const [lemma, count] of sensesOf(synsetsOfKind, tagCounts))
      if (2 * count > (senses.get(lemma) ?? 0)) yield [lemma, kind];
}

/**
 * Returns the kinds of nouns with at least one sense, however rare, of that kind; nouns with senses of two
 * kinds are left out.
 * @param {import("./wordnet-pairs.mjs").Wordnet} wordnet @returns {Map<string, string>}
 */
export function kindsOfRareSenses({ synsets }) {
  /** @type {Map<string, string>} */
  const kinds = new Map();
  /** @type {Set<string>} */
  const ambiguous = new Set();
  for (const [kind, synsetsOfKind] of synsetsOfKinds(nounsOf(synsets)))
    for (const lemma of synsetsOfKind.flatMap(({ lemmas }) => lemmas)) {
      if ((kinds.get(lemma) ?? kind) !== kind) ambiguous.add(lemma);
      kinds.set(lemma, kind);
    }
  for (const lemma of ambiguous) kinds.delete(lemma);
  return kinds;
}

/** @param {readonly Synset[]} synsets */
const nounsOf = (synsets) => synsets.filter(({ partOfSpeech }) => partOfSpeech === "noun");

/** @param {readonly Synset[]} nouns @returns {[kind: string, synsets: Synset[]][]} */
const synsetsOfKinds = (nouns) => Object.entries(roots).map(([kind, tops]) => [kind, below(nouns, tops)]);

/** @param {readonly Synset[]} nouns @param {ReadonlyMap<string, number>} tagCounts */
function sensesOf(nouns, tagCounts) {
  /** @type {Map<string, number>} */
  const senses = new Map();
  for (const { id, lemmas } of nouns)
    for (const lemma of lemmas) {
      const tagged = tagCounts.get(`${id}\t${lemma.toLowerCase()}`) ?? 0;
      senses.set(lemma, (senses.get(lemma) ?? 0) + 1 + tagged);
    }
  return senses;
}

/** @param {readonly Synset[]} nouns @param {string[][]} tops */
function below(nouns, tops) {
  const found = new Set(
    nouns
      .filter((noun) =>
        tops.some(([lemma, file]) => noun.lemmas.includes(lemma) && noun.lexicographerFile === file),
      )
      .map(({ id }) => id),
  );
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { id, hypernyms } of nouns) if (hypernyms.some((above) => found.has(above))) found.add(id);
  }
  return nouns.filter(({ id }) => found.has(id));
}

/**
 * Returns the last names of persons, each with its number of distinct first names.
 * @param {Iterable<string>} persons @returns {Map<string, number>}
 */
export function surnames(persons) {
  /** @type {Map<string, Set<string>>} */
  const bearers = new Map();
  for (const person of persons) {
    const words = person.split(" ");
    const last = words.pop() ?? "";
    if (words.length === 0 || words.length > 2 || !/^\p{Lu}\p{Ll}[\p{L}'’-]+$/u.test(last)) continue;
    bearers.set(last, (bearers.get(last) ?? new Set()).add(words[0]));
  }
  return new Map([...bearers].map(([last, first]) => [last, first.size]));
}

const nameTypes = new Set(["PERSON", "GPE", "LOC", "ORG", "NORP"]);

/**
 * Returns copies of a fraction of the names in capitals, as in headlines. Without them the model takes every
 * phrase in capitals for an organisation, as most acronyms are.
 * @param {readonly Phrase[]} phrases
 * @param {number} fraction
 * @param {() => number} random
 * @returns {Phrase[]}
 */
export function inCapitals(phrases, fraction, random) {
  const known = new Set(phrases.map(({ phrase }) => phrase));
  const names = phrases.filter(({ phrase, type }) => nameTypes.has(type) && /\p{Ll}/u.test(phrase));
  return sampleWithout(names, Math.round(fraction * names.length), random)
    .map((name) => ({ ...name, phrase: name.phrase.toUpperCase() }))
    .filter(({ phrase }) => !known.has(phrase));
}
