/** Rewrites phrases: replaces one or two content words by synonyms, and sometimes the article. */
import { isFunctionWord } from "../../../dist/pearl/augmentation/token/wordnet-synonym.js";

/** @typedef {() => number} Random uniform in [0, 1) */

const SECOND_WORD = 0.3;
const OTHER_DETERMINER = 0.15;
const isDeterminer = /^(?:the|a|an|this|that|these|those|its|his|their)$/i;
const determiners = ["the", "a", "this", "that", "its"];

/** The synonyms of each word, in both directions. @param {Iterable<readonly string[]>} pairs */
export function synonymsByWord(pairs) {
  /** @type {Map<string, string[]>} */
  const synonyms = new Map();
  for (const [a, b] of pairs) {
    add(synonyms, a.toLowerCase(), b);
    add(synonyms, b.toLowerCase(), a);
  }
  return synonyms;
}

/** @param {Map<string, string[]>} synonyms @param {string} word @param {string} synonym */
function add(synonyms, word, synonym) {
  // "1" is "ane" and "al" aluminium: short forms mean too many things
  if (word.includes(" ") || !/\p{L}{3}/u.test(word) || isFunctionWord(word)) return;
  const known = synonyms.get(word);
  if (known === undefined) synonyms.set(word, [synonym]);
  else known.push(synonym);
}

/**
 * A rewritten phrase, or undefined where no word has a synonym.
 * @param {string} phrase @param {ReadonlyMap<string, readonly string[]>} synonyms @param {Random} random
 */
export function rewrite(phrase, synonyms, random) {
  const words = phrase.split(" ");
  const open = words.flatMap((word, at) => (synonyms.has(word.toLowerCase()) ? [at] : []));
  if (open.length === 0) return undefined;
  const replaced = random() < SECOND_WORD ? Math.min(2, open.length) : 1;
  for (let count = 0; count < replaced; count++) {
    const [at] = open.splice(Math.floor(random() * open.length), 1);
    words[at] = pick(synonyms.get(words[at].toLowerCase()) ?? [], random);
  }
  if (random() < OTHER_DETERMINER) {
    const at = words.findIndex((word) => isDeterminer.test(word));
    if (at >= 0) words[at] = pick(determiners, random);
  }
  return words.join(" ");
}

/** @param {readonly string[]} items @param {Random} random */
const pick = (items, random) => items[Math.floor(random() * items.length)];
