/**
 * Infers types from typed names: the type of a long name from its last word, of an abbreviation from its long
 * form, of a plural from its singular.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRows } from "../../training-tables.mjs";

/**
 * A word implies a type if at least this many names end in it, and at least this fraction of them have the
 * type.
 */
const FEWEST_NAMES = 10;
const LEAST_FRACTION = 0.85;
/** The ending of MedQuAD's names for drugs. */
const OVERDOSE = " overdose";
/** A plural is used if it occurs at least this often in the text. */
const FEWEST_TIMES = 3;

/** @typedef {(name: string) => string | undefined} TypeOf */

/** The last word of a name with several words, in lower case. @param {string} name */
const headOf = (name) => /[\s-]([\p{L}]{3,})$/u.exec(name)?.[1].toLowerCase();

/**
 * Returns a function from a name to its type: the type of a known name, or the type that its last word
 * implies. Names that end in "failure" are diseases, most that end in "university" are organisations.
 * @param {Iterable<[name: string, type: string]>} known
 * @returns {TypeOf}
 */
export function typeByHead(known) {
  /** @type {Map<string, Map<string, number>>} */
  const heads = new Map();
  const types = new Map(known);
  for (const [name, type] of types) {
    const head = headOf(name);
    if (head === undefined) continue;
    const counts = heads.get(head) ?? new Map();
    heads.set(head, counts.set(type, (counts.get(type) ?? 0) + 1));
  }
  /** @type {Map<string, string>} */
  const typeOfHead = new Map();
  for (const [head, counts] of heads) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const most = [...counts].sort((a, b) => b[1] - a[1])[0];
    if (most[1] >= FEWEST_NAMES && most[1] >= LEAST_FRACTION * all) typeOfHead.set(head, most[0]);
  }
  return (name) => types.get(name) ?? typeOfHead.get(headOf(name) ?? "");
}

/**
 * Yields abbreviations with the types of their long forms; both sides of MedQuAD's synonyms; and titles of
 * medical articles, which name a disease even if the word has other senses, such as "stroke".
 * @param {string} data folder of the training data @param {TypeOf} typeOf
 * @param {ReadonlyMap<string, string>} rareSenses kinds of words that have some sense of that kind
 * @returns {Generator<[phrase: string, type: string]>}
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
  const titles = new Set([...rowsOf(join(data, "text/medical.tsv.gz"))].map(([title]) => title));
  for (const title of titles) {
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

/** The possible singulars of a word. @param {string} word */
const singulars = (word) =>
  endings
    .filter(([plural]) => word.endsWith(plural))
    .map(([plural, singular]) => word.slice(0, word.length - plural.length) + singular);

/**
 * Yields plurals in medical text, in lower case, whose singular is of a kind of OTHER.
 * @param {string} data folder of the training data @param {TypeOf} typeOf
 * @returns {Generator<[phrase: string, type: string]>}
 */
export function* plurals(data, typeOf) {
  /** @type {Map<string, number>} */
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

/** Rows of a table; empty if the table does not exist. @param {string} path */
const rowsOf = (path) => (existsSync(path) ? readRows(path) : []);
