/**
 * Pairs of phrases from WikDict's dictionaries (made from Wiktionary, CC BY-SA 3.0), from Debian's packages
 * of FreeDict's edition. Three kinds of pairs: translations of one sense ("rim", "edge"); English headwords
 * with a translation in common ("sofa" and "couch" share "sohva"); and a headword with its gloss ("caboose",
 * "last car on a train").
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { groupsOf, phrasesIn } from "./dictionaries.mjs";

const debianFolder = "/usr/share/dictd";

/**
 * Languages of the dictionaries into and from English: the editions under CC BY-SA, not the older ones under
 * the GPL.
 */
const INTO_ENGLISH = ["fin", "pol", "ell"];
const FROM_ENGLISH = ["fin", "bul", "jpn", "nor", "ind"];

/** A translation with more headwords is skipped: it has too many senses. */
const MOST_HEADWORDS = 5;

/** @typedef {{ headword: string, translations: string[], gloss: string }} Sense */

/**
 * Reads groups of phrases with the same meaning: translations of a sense, and headwords that share a
 * translation.
 * @param {string} [folder] contains the dictionaries, freedict-fin-eng.dict.dz and so on
 * @returns {string[][]}
 * @throws {Error} a dictionary does not exist
 */
export function readWikdict(folder = debianFolder) {
  const groups = INTO_ENGLISH.flatMap((language) =>
    readSenses(folder, `${language}-eng`).map(({ translations }) => translations),
  );
  for (const language of FROM_ENGLISH) {
    /** @type {Map<string, Set<string>>} */
    const headwords = new Map();
    for (const { headword, translations } of readSenses(folder, `eng-${language}`))
      for (const translation of translations) {
        const known = headwords.get(translation) ?? new Set();
        headwords.set(translation, known.add(headword));
      }
    for (const group of headwords.values()) if (group.size <= MOST_HEADWORDS) groups.push([...group]);
  }
  return groupsOf(groups);
}

/**
 * Pairs English headwords with the glosses of their senses.
 * @param {{ words: number }} settings `words` is the maximum per gloss @param {string} [folder]
 * @returns {Generator<[headword: string, gloss: string]>}
 * @throws {Error} a dictionary does not exist
 */
export function* wikdictGlosses({ words }, folder = debianFolder) {
  for (const language of FROM_ENGLISH)
    for (const { headword, gloss } of readSenses(folder, `eng-${language}`)) {
      const [name] = phrasesIn(headword);
      // drop the field of use: "nautical: small galley"
      const [text] = phrasesIn(gloss.replace(/^[\p{L} ,]+: /u, "").replace(/[.;]$/, ""));
      if (name !== undefined && text !== undefined && text.split(" ").length <= words) yield [name, text];
    }
}

/**
 * Reads the senses of a dictionary. An entry is a line `headword /pronunciation/ <part of speech>`, then for
 * each sense a line of translations, numbered if there are several senses, and an optional line with a gloss.
 * @param {string} folder @param {string} languages
 * @returns {Sense[]}
 */
function readSenses(folder, languages) {
  const path = join(folder, `freedict-${languages}.dict.dz`);
  if (!existsSync(path))
    throw new Error(`${path} does not exist: run apt-get install dict-freedict-${languages}`);
  const text = gunzipSync(readFileSync(path));
  const index = readFileSync(join(folder, `freedict-${languages}.index`), "utf8");
  const senses = [];
  const read = new Set();
  for (const line of index.split("\n")) {
    const [name, offset, length] = line.split("\t");
    if (length === undefined || name.startsWith("00database") || read.has(offset)) continue;
    read.add(offset);
    const start = number(offset);
    senses.push(...sensesOf(text.toString("utf8", start, start + number(length))));
  }
  return senses;
}

/** @param {string} entry @returns {Sense[]} */
function sensesOf(entry) {
  const [head, ...lines] = entry.split("\n");
  const headword = head.replace(/ (?:\/.*|<[^<>]*>)$/, "").trim();
  /** @type {Sense[]} */
  const senses = [];
  lines.forEach((line, at) => {
    const numbered = /^\s*\d+\. (.+)$/.exec(line);
    if (at === 0 || numbered !== null) {
      // "Mari 2." followed by the gloss of the second sense: both senses have the same translation
      const text = (numbered?.[1] ?? line).replace(/ \d+\.$/, "");
      senses.push({ headword, translations: text.split(/, |; /), gloss: "" });
    } else if (senses.length > 0 && senses[senses.length - 1].gloss === "")
      senses[senses.length - 1].gloss = line.trim();
  });
  return senses;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Parses a number of a dictd index, in base 64. @param {string} digits */
function number(digits) {
  let value = 0;
  for (const digit of digits) value = value * 64 + DIGITS.indexOf(digit);
  return value;
}
