/**
 * Typed names in addition to types.tsv.gz: of ontologies, WordNet and surnames, names in capitals, and names
 * whose type is implied: of a long name by its last word, of an abbreviation by its long form, of a plural by
 * its singular.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readGazetteer } from "../../../dist/corpus/typing/phrase-typer.js";
import { sampleWithout } from "../../../dist/random.js";
import { readRows } from "../../training-tables.mjs";
import { nounsOfKinds } from "./wordnet.mjs";

/**
 * Sources by the kinds of OTHER that pearl-mini distinguishes, a subset of those in
 * src/corpus/typing/fine-types.ts. A source that ends in ":" or "/" is a prefix. Genes and their products count
 * as chemicals: their codes look alike ("IL-2", "MK-801"), and one word may name both.
 */
const sources = {
  disease: `obo:disease ncbi-disease: corpora:medicine/diseases corpora:medicine/cancer
    corpora:medicine/symptoms bionlp13cg:Cancer anem:Pathological_formation
    wiki:disease wiki:disorder wiki:cancer wiki:condition`,
  chemical: `obo:chemical craft:CHEBI corpora:medicine/drugs corpora:science/toxic_chemicals
    bionlp13cg:Simple_chemical bionlp13cg:Amino_acid bionlp11id:Chemical gum:substance
    crossner:chemicalcompound crossner:chemicalelement wiki:compound wiki:element wiki:ion
    bc2gm:GENE jnlpba:protein jnlpba:DNA jnlpba:RNA craft:GGP obo:protein
    bionlp11id:Protein bionlp11id:Regulon-operon bionlp13cg:Gene_or_gene_product
    crossner:protein crossner:enzyme
    wiki:substance wiki:drug wiki:molecule wiki:chemical wiki:mineral wiki:metal`,
  anatomy: `obo:anatomy obo:cell anatem:Anatomy anem: bionlp13cg:Cell bionlp13cg:Organ
    jnlpba:cell_type jnlpba:cell_line craft:CL wiki:organ wiki:cell`,
  organism: `linnaeus:Species craft:Taxon bionlp11id:Organism bionlp13cg:Organism corpora:animals/
    corpora:plants/ wiki:species wiki:genus wiki:subspecies wiki:breed wiki:frog wiki:bird wiki:fish wiki:plant
    wiki:dinosaur wiki:tree wiki:mammal wiki:animal wiki:moth wiki:virus wiki:snake wiki:butterfly gum:animal
    gum:plant`,
};
const kinds = Object.entries(sources).flatMap(([kind, names]) =>
  names.split(/\s+/).map((name) => ({ kind, name, whole: /[^:/]$/.test(name) })),
);

/** The type, as in src/corpus/typing/fine-types.ts, of an OTHER phrase from a source. */
export function fineType(source) {
  const found = kinds.find(({ name, whole }) => (whole ? source === name : source.startsWith(name)));
  return found === undefined ? "OTHER" : `OTHER/${found.kind}`;
}

/** Types of the names in each source of biomed.tsv.gz. */
const ontologies = {
  ...{ obo_doid: "OTHER/disease", ncbi_disease_train: "OTHER/disease", obo_chebi: "OTHER/chemical" },
  ...{ obo_uberon: "OTHER/anatomy", obo_cl: "OTHER/anatomy", obo_pr: "OTHER/chemical", obo_go: "OTHER" },
  ...{ plant_synonyms: "OTHER/organism", wiki_taxon: "OTHER/organism", obo_ncbitaxon: "OTHER/organism" },
};

/** Both sides of the pairs from sources with names of one type. @param data folder of the training data */
export function* ontologyNames(data) {
  for (const [name, other, source] of rowsOf(join(data, "pairs/biomed.tsv.gz"))) {
    const type = ontologies[source];
    if (type !== undefined) for (const phrase of [name, other]) yield [phrase, type];
  }
}

/** WordNet's named persons, places, organisations and works, and its nouns of a kind, with their types. */
export async function* wordnetNames(wordnet) {
  const { types } = await readGazetteer();
  for (const [name, type] of types) if (type !== "OTHER" && /^\p{Lu}/u.test(name)) yield [name, type];
  yield* nounsOfKinds(wordnet);
}

/** The last names of persons, each with its number of distinct first names. */
export function surnames(persons) {
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
 * Copies of a fraction of the names in capitals, as in headlines. Without them the model takes every phrase in
 * capitals for an organisation, as most acronyms are.
 */
export function inCapitals(phrases, fraction, random) {
  const known = new Set(phrases.map(({ phrase }) => phrase));
  const names = phrases.filter(({ phrase, type }) => nameTypes.has(type) && /\p{Ll}/u.test(phrase));
  const kept = new Set(sampleWithout(names, Math.round(fraction * names.length), random));
  return names
    .filter((name) => kept.has(name) || name.count >= FREQUENT)
    .map((name) => ({ ...name, phrase: name.phrase.toUpperCase(), count: Math.ceil(name.count / 4) }))
    .filter(({ phrase }) => !known.has(phrase));
}

/** Names that texts have this often are all repeated in capitals. */
export const FREQUENT = 10;

/** A word implies a type if at least this many names end in it, and at least this fraction of them have the type. */
const FEWEST_NAMES = 10;
const LEAST_FRACTION = 0.85;

/** The last word of a name with several words, in lower case. */
const headOf = (name) => /[\s-]([\p{L}]{3,})$/u.exec(name)?.[1].toLowerCase();

/**
 * Returns a function from a name to its type: that of a known name (pairs of name and type), or the one that its
 * last word implies. Names that end in "failure" are diseases, most that end in "university" are organisations.
 */
export function typeByHead(known) {
  const heads = new Map();
  const types = new Map(known);
  for (const [name, type] of types) {
    const head = headOf(name);
    if (head === undefined) continue;
    const counts = heads.get(head) ?? new Map();
    heads.set(head, counts.set(type, (counts.get(type) ?? 0) + 1));
  }
  const typeOfHead = new Map();
  for (const [head, counts] of heads) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const [type, most] = [...counts].sort((a, b) => b[1] - a[1])[0];
    if (most >= FEWEST_NAMES && most >= LEAST_FRACTION * all) typeOfHead.set(head, type);
  }
  return (name) => types.get(name) ?? typeOfHead.get(headOf(name) ?? "");
}

/** The ending of MedQuAD's names for drugs. */
const OVERDOSE = " overdose";

/**
 * Abbreviations with the types of their long forms; both sides of MedQuAD's synonyms; and titles of medical
 * articles, which name a disease even if the word has other senses, such as "stroke" (`rareSenses`: kinds by word).
 */
export function* impliedNames(data, typeOf, rareSenses) {
  for (const [short, long, source] of rowsOf(join(data, "pairs/abbrev.tsv.gz"))) {
    const type = source.endsWith("_text_acronym") ? typeOf(long) : undefined;
    if (type !== undefined) yield [short, type];
  }
  for (const [name, other, source] of rowsOf(join(data, "pairs/biomed.tsv.gz"))) {
    if (source !== "medquad") continue;
    for (const phrase of [name, other])
      if (phrase.endsWith(OVERDOSE)) yield [phrase.slice(0, -OVERDOSE.length), "OTHER/chemical"];
    // a synonym has the type of its preferred name, or the reverse if only its own type is known
    const type = typeOf(other) ?? typeOf(name);
    if (type?.startsWith("OTHER/")) for (const phrase of [name, other]) yield [phrase, type];
  }
  for (const title of new Set([...rowsOf(join(data, "text/medical.tsv.gz"))].map(([first]) => first))) {
    const small = title.toLowerCase();
    for (const word of [small, ...singulars(small)]) {
      const type = typeOf(word) ?? rareSenses.get(word);
      if (!type?.startsWith("OTHER/")) continue;
      for (const phrase of new Set([title, small, word])) yield [phrase, type];
      break;
    }
  }
}

/** Plural endings and their singular endings: the rules of WordNet's Morphy (morphy(7WN)). */
const endings = Object.entries({ ies: "y", ches: "ch", shes: "sh", xes: "x", ses: "s", s: "" });

/** The possible singulars of a word. */
const singulars = (word) =>
  endings
    .filter(([plural]) => word.endsWith(plural))
    .map(([plural, singular]) => word.slice(0, word.length - plural.length) + singular);

/** A plural is used if it occurs at least this often in the text. */
const FEWEST_TIMES = 3;

/** Plurals in medical text, in lower case, whose singular is of a kind of OTHER, with their types. */
export function* plurals(data, typeOf) {
  const counts = new Map();
  for (const [, text = ""] of rowsOf(join(data, "text/medical.tsv.gz")))
    for (const word of text.match(/(?<![\p{L}-])\p{Ll}{4,}s(?![\p{L}-])/gu) ?? [])
      counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, count] of counts) {
    if (count < FEWEST_TIMES || typeOf(word) !== undefined) continue;
    const type = singulars(word)
      .map(typeOf)
      .find((found) => found?.startsWith("OTHER/"));
    if (type !== undefined) yield [word, type];
  }
}

/** Rows of a table; empty if the table does not exist. */
const rowsOf = (path) => (existsSync(path) ? readRows(path) : []);
