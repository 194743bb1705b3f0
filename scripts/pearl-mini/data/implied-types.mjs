/** Infers types from typed names: of a long name from its last word, of a short form from the long one, of a plural from its singular. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRows } from "../../training-tables.mjs";

/** A word implies a type if at least this many names end in it, and at least this fraction of them have the type. */
const FEWEST_NAMES = 10;
const SHARE_OF_TYPE = 0.85;
/** What MedQuAD's articles on drugs are called. */
const OVERDOSE = " overdose";
/** How often a text must have a plural. */
const FEWEST_TIMES = 3;

/** @typedef {(name: string) => string | undefined} TypeOf */

/** The last word of a name of several, in small letters. @param {string} name */
const headOf = (name) => /[\s-]([\p{L}]{3,})$/u.exec(name)?.[1].toLowerCase();

/**
 * Returns the type of a known name, or the type that the last word implies: failures of organs are diseases, most
 * universities are organisations.
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
  const telling = new Map();
  for (const [head, counts] of heads) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const most = [...counts].sort((a, b) => b[1] - a[1])[0];
    if (most[1] >= FEWEST_NAMES && most[1] >= SHARE_OF_TYPE * all) telling.set(head, most[0]);
  }
  return (name) => types.get(name) ?? telling.get(headOf(name) ?? "");
}

/**
 * Short forms with the types of their long ones; both sides of MedQuAD's synonyms; titles of medical articles, which are
 * about the disease even where the word has other senses, as "stroke" has.
 * @param {string} data folder of the training data @param {TypeOf} typeOf
 * @param {ReadonlyMap<string, string>} rareSenses kinds of words of which some sense has one
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
    // a synonym has the type of its preferred name, if one of both types is known
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

/** Endings of plurals and what the singular has for them: the rules of WordNet's Morphy (morphy(7WN)). */
const endings = Object.entries({ ies: "y", ches: "ch", shes: "sh", xes: "x", ses: "s", s: "" });

/** What a word may be the plural of. @param {string} word */
const singulars = (word) =>
  endings
    .filter(([plural]) => word.endsWith(plural))
    .map(([plural, singular]) => word.slice(0, word.length - plural.length) + singular);

/**
 * Plurals, in medical text, of words in small letters that are of a kind of OTHER.
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

/** None where there is no such table. @param {string} path */
const rowsOf = (path) => (existsSync(path) ? readRows(path) : []);
