/**
 * Pairs of phrases with the same content word in different forms and with different function words: "was established", "to
 * establish", "the establishment of". The phrases come from the texts; forms are those of a lemma and of the lemmas that
 * WordNet derives from it.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createTagger } from "../../../dist/corpus/text/tagger.js";
import { isFunctionWord } from "../../../dist/pearl/augmentation/token/wordnet-synonym.js";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { readKin } from "./wordnet-kin.mjs";

/** Lines after which the tagger is replaced, as its memory grows with each new word. */
const LINES = 2000;

/** Kin of these kinds are other things: "establisher", "use" and "user". */
const OTHER_THINGS = /^noun\.(?:person|animal|plant|food|body|location|artifact|substance)$/;

/** Universal tags of words of content, and WordNet's parts of speech. */
const CONTENT = /** @type {Record<string, string>} */ ({ NOUN: "n", VERB: "v", ADJ: "a", ADV: "r" });

/** Of the pairs of a lemma that has kin, those with a phrase of these. */
const KIN = 0.5;

/** Words of grammar that change what is said: negations, questions, and who is spoken of or to. */
const TELLING =
  /^(?:no|not|nor|never|n't|without|neither|none|nothing|against|under|below|above|over|before|after|until|what|when|where|which|who|whom|whose|why|how|if|than|i|me|you|he|him|she|we|us|they|them|most|more|less|least|few|once)$/;

/** After a verb they make another one: "turn up", "turn down". */
const PARTICLE =
  /^(?:about|along|around|away|back|by|down|for|in|into|off|on|out|over|round|through|to|up|upon|with|of|at|from)$/;

/**
 * @typedef {object} FormSettings
 * @property {number} words of a phrase at most
 * @property {number} fewest times that a lemma was met in phrases: one mention in a sentence is in several
 * @property {number} phrases of a lemma at most
 * @property {number} pairs of a lemma at most: twice the root of the times
 * @property {number} seed
 * @typedef {{ text: string, word: string }} Phrase with the form that its word of content has
 */

/**
 * Phrases that differ in the form of their word of content: others would teach that words of grammar say nothing.
 * @param {readonly string[]} texts paths of running text
 * @param {readonly import("../../../dist/text/wordnet.js").Synset[]} synsets
 * @param {FormSettings} settings
 * @returns {Promise<[string, string][]>} in an order of chance
 */
export async function formPairs(
  texts,
  synsets,
  { words, fewest, phrases: mostPhrases, pairs: mostPairs, seed },
) {
  const kin = await kinOfLemmas(synsets);
  const random = createRandom(seed);
  /** @type {Map<string, { phrases: Phrase[], times: number }>} */
  const chosen = new Map();
  for (const [lemma, counted] of await phrasesOfLemmas(texts, kin, words)) {
    const times = [...counted.values()].reduce((sum, own) => sum + own.times, 0);
    if (times >= fewest) chosen.set(lemma, { phrases: drawn(counted, mostPhrases, random), times });
  }
  /** @type {[string, string][]} */
  const pairs = [];
  for (const [lemma, { phrases, times }] of chosen) {
    const related = [...(kin.get(lemma) ?? [])].flatMap((other) => chosen.get(other)?.phrases ?? []);
    const most = Math.min(mostPairs, 2 * Math.sqrt(times));
    for (let count = 0; count < most; count++) {
      const others = related.length > 0 && random() < KIN ? related : phrases;
      const [one, other] = [pick(phrases, random), pick(others, random)];
      if (one.word !== other.word) pairs.push([one.text, other.text]);
    }
  }
  return sampleWithout(pairs, pairs.length, random);
}

/** By lemma and part of speech, "establish v", those that it is akin to. @param {readonly import("../../../dist/text/wordnet.js").Synset[]} synsets */
async function kinOfLemmas(synsets) {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]));
  const keyOf = (
    /** @type {import("../../../dist/text/wordnet.js").Synset} */ { id, lemmas },
    /** @type {number} */ at,
  ) => `${lemmas[at].toLowerCase()} ${id.at(-1)}`;
  /** @type {Map<string, Set<string>>} */
  const kin = new Map();
  for (const synset of synsets) for (const at of synset.lemmas.keys()) kin.set(keyOf(synset, at), new Set());
  for (const [one, other] of await readKin()) {
    const [synset, of] = [byId.get(one.id), byId.get(other.id)];
    if (synset === undefined || of === undefined) continue;
    if ([synset, of].some(({ lexicographerFile }) => OTHER_THINGS.test(lexicographerFile))) continue;
    kin.get(keyOf(synset, one.lemma))?.add(keyOf(of, other.lemma));
  }
  return kin;
}

/** @typedef {{ times: number, word: string }} Counted a phrase's word of content, and how often it was met */

/**
 * Runs of words with one of content, counted by its lemma.
 * @param {readonly string[]} texts @param {ReadonlyMap<string, unknown>} lemmas @param {number} most words
 */
async function phrasesOfLemmas(texts, lemmas, most) {
  /** @type {Map<string, Map<string, Counted>>} */
  const found = new Map();
  for (const path of texts) {
    let [tagger, lines] = [createTagger({ lemmas: true }), 0];
    for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
      if (++lines % LINES === 0) tagger = createTagger({ lemmas: true });
      for (const sentence of tagger.sentences(line)) count(sentence, lemmas, most, found);
    }
  }
  return found;
}

/**
 * @param {readonly import("../../../dist/corpus/text/tagger.js").Word[]} sentence @param {ReadonlyMap<string, unknown>} lemmas
 * @param {number} most @param {Map<string, Map<string, Counted>>} found
 */
function count(sentence, lemmas, most, found) {
  const words = sentence.map((word) => roleOf(word, lemmas));
  for (const [at, { key }] of words.entries()) {
    if (key === undefined) continue;
    let from = at;
    while (from > 0 && at - from < most - 1 && words[from - 1].grammar) from--;
    let to = at;
    while (to + 1 < words.length && to + 1 - at < most && words[to + 1].grammar) to++;
    const own = found.get(key) ?? new Map();
    found.set(key, own);
    for (let start = from; start <= at; start++)
      for (let end = at; end <= to && end - start < most; end++) {
        if (end > at && key.endsWith(" v") && PARTICLE.test(words[at + 1].text)) break;
        const text = words
          .slice(start, end + 1)
          .map((word) => word.text)
          .join(" ");
        own.set(text, { times: (own.get(text)?.times ?? 0) + 1, word: words[at].text });
      }
  }
}

/** @param {import("../../../dist/corpus/text/tagger.js").Word} word @param {ReadonlyMap<string, unknown>} lemmas */
function roleOf({ text, tag, lemma }, lemmas) {
  const small = text.toLowerCase();
  const key = `${lemma} ${CONTENT[tag]}`;
  const isContent =
    CONTENT[tag] !== undefined && /^\p{Ll}{3,}$/u.test(text) && !isFunctionWord(small) && lemmas.has(key);
  return {
    text: small,
    grammar: isFunctionWord(small) && !TELLING.test(small),
    key: isContent ? key : undefined,
  };
}

/**
 * Some, those met often rather than others: by exponential keys (Efraimidis and Spirakis, 2006).
 * @param {ReadonlyMap<string, Counted>} counted @param {number} most @param {() => number} random
 * @returns {Phrase[]}
 */
const drawn = (counted, most, random) =>
  [...counted]
    .map(([text, { times, word }]) => ({ text, word, key: Math.log(1 - random()) / Math.sqrt(times) }))
    .sort((a, b) => b.key - a.key)
    .slice(0, most)
    .map(({ text, word }) => ({ text, word }));

/** @template Item @param {readonly Item[]} items @param {() => number} random */
const pick = (items, random) => items[Math.floor(random() * items.length)];
