/** Rewrites phrases: replaces one or two content words with synonyms, and sometimes the determiner. */
import { isFunctionWord } from "../../../dist/pearl/augmentation/token/wordnet-synonym.js";

/** @typedef {() => number} Random uniform in [0, 1) */

/** Probability that a second word is replaced. */
const SECOND_WORD = 0.3;
/** Probability that the determiner is replaced. */
const OTHER_DETERMINER = 0.15;
const isDeterminer = /^(?:the|a|an|this|that|these|those|its|his|their)$/i;
const determiners = ["the", "a", "this", "that", "its"];

/** Lists the synonyms of each word, in both directions. @param {Iterable<readonly string[]>} pairs */
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
  // short forms are too ambiguous: WordNet has "ane" for "1" and "al" for aluminium
  if (word.includes(" ") || !/\p{L}{3}/u.test(word) || isFunctionWord(word)) return;
  const known = synonyms.get(word);
  if (known === undefined) synonyms.set(word, [synonym]);
  else known.push(synonym);
}

/**
 * Returns a rewritten phrase, or undefined if no word has a synonym.
 * @param {string} phrase @param {ReadonlyMap<string, readonly string[]>} synonyms @param {Random} random
 */
export function rewrite(phrase, synonyms, random) {
  const words = phrase.split(" ");
  const replaceable = words.flatMap((word, at) => (synonyms.has(word.toLowerCase()) ? [at] : []));
  if (replaceable.length === 0) return undefined;
  const replaced = random() < SECOND_WORD ? Math.min(2, replaceable.length) : 1;
  for (let count = 0; count < replaced; count++) {
    const [at] = replaceable.splice(Math.floor(random() * replaceable.length), 1);
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
