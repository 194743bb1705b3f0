/** Pairs made by rule: a name and its kind, a word and a misspelling, a phrase and a rewrite with synonyms. */
import { join } from "node:path";
import { markedWords } from "../../../dist/architectures/pearl-mini/marked-words.js";
import { createAugmenter } from "../../../dist/augmentation/augmenter.js";
import { isFunctionWord } from "../../../dist/augmentation/wordnet-synonym.js";
import { groupBy } from "../../../dist/by-key.js";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { clean, readRows } from "../../training-tables.mjs";
import { startsWithAny } from "./phrases.mjs";
import { singleWords } from "./wordnet.mjs";

/** Words for abbreviated kinds. Other kinds in capitals are identifiers of an ontology and are skipped. */
const kindWords = {
  ...{ PER: "person", "PER.NOM": "person", ORG: "organization", GENE: "gene", GGP: "gene" },
  ...{ CHEBI: "chemical", CL: "cell", DNA: "DNA", RNA: "RNA" },
};
/** Kinds that are too general to be useful. */
const vague = new Set(["abstract", "common", "form", "general", "idea", "misc", "nouns", "other", "term"]);

/**
 * Pairs typed phrases with their kinds, at most `most` per kind, for kinds with at least `fewest` phrases.
 * @param typed phrases allowed in training, by text
 */
export function* kindPairs(data, typed, { fewest, most, leaveOut, seed }) {
  const rows = [...readRows(join(data, "types.tsv.gz"))].filter(
    ([text, , , source]) => startsWithAny(source, leaveOut) === undefined && typed.has(clean(text)),
  );
  const random = createRandom(seed + 2);
  for (const [kind, own] of groupBy(rows, ([, , , source]) => kindOf(source))) {
    const phrases = [...new Set(own.map(([text]) => clean(text)))];
    if (kind !== undefined && phrases.length >= fewest)
      for (const phrase of sampleWithout(phrases, most, random)) yield [phrase, kind];
  }
}

/** The kind in a source, if any: "freebase:sports.pro_athlete" gives "pro athlete". */
function kindOf(source) {
  const [collection, fine = ""] = source.split(":", 2);
  // kinds found by patterns, such as dates, add nothing that the phrase does not show
  if (collection === "regex") return undefined;
  if (Object.hasOwn(kindWords, fine)) return kindWords[fine];
  const last = fine.split(/[./]/).pop() ?? "";
  const named = last.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  const kind = named.toLowerCase();
  return /^[a-z][a-z ]+$/.test(kind) && named !== named.toUpperCase() && !vague.has(kind) ? kind : undefined;
}

/** Shorter words are not misspelt: an edit often turns them into another word. */
const SHORTEST = 4;

/**
 * Pairs words of typed names and of WordNet with misspellings, without the words that the evaluation misspells.
 * @param data holds words/ @param settings misspellings per word, and the probability of a second edit
 */
export async function typoPairs({ data, wordnet, typed }, { copies, twice, seed }) {
  const evaluated = new Set();
  for (const [word] of readRows(join(data, "words/words.txt.gz"))) evaluated.add(word.trim().toLowerCase());
  const words = new Set(singleWords(wordnet));
  for (const phrase of typed.keys()) for (const { text } of markedWords(phrase)) words.add(text);
  const augmenter = await createAugmenter({ probabilities: { character: 1 }, wordNet: "off" });
  const random = createRandom(seed + 3);
  const pairs = [];
  for (const word of words) {
    if (word.length < SHORTEST || !/^\p{L}+$/u.test(word) || evaluated.has(word)) continue;
    for (let copy = 0; copy < copies; copy++) {
      const once = augmenter.augment(word, random).text;
      pairs.push([word, random() < twice ? augmenter.augment(once, random).text : once]);
    }
  }
  return pairs;
}

/** Probability that a second word is replaced, and that the determiner is. */
const SECOND_WORD = 0.3;
const OTHER_DETERMINER = 0.15;
const isDeterminer = /^(?:the|a|an|this|that|these|those|its|his|their)$/i;
const determiners = ["the", "a", "this", "that", "its"];

/**
 * Pairs chunks with rewrites of them that use the synonyms of some pairs, in either direction.
 * @param settings rewrites per chunk, minimum and maximum words
 */
export function* rewrites(chunks, pairs, { rewrites: times, rewrittenWords: [fewest, most], seed }) {
  const random = createRandom(seed + 1);
  // short forms are too ambiguous: WordNet has "ane" for "1" and "al" for aluminium
  const both = pairs.flatMap(([a, b]) => [
    [a.toLowerCase(), b],
    [b.toLowerCase(), a],
  ]);
  const synonyms = groupBy(
    both.filter(([word]) => !word.includes(" ") && /\p{L}{3}/u.test(word) && !isFunctionWord(word)),
    ([word]) => word,
  );
  for (const { phrase } of chunks) {
    const { length } = phrase.split(" ");
    if (length < fewest || length > most) continue;
    for (let time = 0; time < times; time++) {
      const other = rewrite(phrase, synonyms, random);
      if (other !== undefined) yield [phrase, other];
    }
  }
}

/** Replaces one or two words with synonyms, and sometimes the determiner; undefined if no word has a synonym. */
function rewrite(phrase, synonyms, random) {
  const words = phrase.split(" ");
  const replaceable = words.flatMap((word, at) => (synonyms.has(word.toLowerCase()) ? [at] : []));
  if (replaceable.length === 0) return undefined;
  const replaced = random() < SECOND_WORD ? Math.min(2, replaceable.length) : 1;
  for (let count = 0; count < replaced; count++) {
    const [at] = replaceable.splice(Math.floor(random() * replaceable.length), 1);
    [, words[at]] = pick(synonyms.get(words[at].toLowerCase()), random);
  }
  if (random() < OTHER_DETERMINER) {
    const at = words.findIndex((word) => isDeterminer.test(word));
    if (at >= 0) words[at] = pick(determiners, random);
  }
  return words.join(" ");
}

export const pick = (items, random) => items[Math.floor(random() * items.length)];
