/**
 * Pairs of phrases with different forms of one content word and with different function words: "was
 * established", "to establish", "the establishment of". The phrases come from the texts; the forms belong to
 * a lemma or to lemmas that WordNet links as derivationally related.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createTagger } from "../../../dist/corpus/text/tagger.js";
import { isFunctionWord } from "../../../dist/pearl/augmentation/token/wordnet-synonym.js";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { readRelatives } from "./wordnet-relatives.mjs";

/** Lines after which the tagger is replaced, since its memory grows with each new word. */
const LINES = 2000;

/** Lexicographer files whose lemmas mean something else than their relatives: "establisher", "user". */
const OTHER_MEANING = /^noun\.(?:person|animal|plant|food|body|location|artifact|substance)$/;

/** Universal tags of content words, with WordNet's parts of speech. */
const CONTENT = /** @type {Record<string, string>} */ ({ NOUN: "n", VERB: "v", ADJ: "a", ADV: "r" });

/** Fraction of a lemma's pairs whose second phrase has a related lemma, if there is one. */
const RELATED = 0.5;

/** Function words that change the meaning of a phrase: negations, question words, prepositions, pronouns. */
const MEANINGFUL =
  /^(?:no|not|nor|never|n't|without|neither|none|nothing|against|under|below|above|over|before|after|until|what|when|where|which|who|whom|whose|why|how|if|than|i|me|you|he|him|she|we|us|they|them|most|more|less|least|few|once)$/;

/** Words that make another verb when they follow one: "turn up", "turn down". */
const PARTICLE =
  /^(?:about|along|around|away|back|by|down|for|in|into|off|on|out|over|round|through|to|up|upon|with|of|at|from)$/;

/**
 * @typedef {object} FormSettings
 * @property {number} words maximum per phrase
 * @property {number} fewest minimum count of a lemma over all phrases; one mention in a sentence is in
 *   several phrases
 * @property {number} phrases maximum per lemma
 * @property {number} pairs maximum per lemma, in addition to the limit of twice the square root of its count
 * @property {number} seed
 * @typedef {{ text: string, word: string }} Phrase `word` is the form of its content word
 */

/**
 * Pairs phrases whose content words have different forms. Pairs of the same form would teach that function
 * words carry no meaning.
 * @param {readonly string[]} texts paths of running text
 * @param {readonly import("../../../dist/text/wordnet.js").Synset[]} synsets
 * @param {FormSettings} settings
 * @returns {Promise<[string, string][]>} in random order
 */
export async function formPairs(
  texts,
  synsets,
  { words, fewest, phrases: mostPhrases, pairs: mostPairs, seed },
) {
  const relatives = await relativesOfLemmas(synsets);
  const random = createRandom(seed);
  /** @type {Map<string, { phrases: Phrase[], times: number }>} */
  const chosen = new Map();
  for (const [lemma, counted] of await phrasesOfLemmas(texts, relatives, words)) {
    const times = [...counted.values()].reduce((sum, own) => sum + own.times, 0);
    if (times >= fewest) chosen.set(lemma, { phrases: sampleFrequent(counted, mostPhrases, random), times });
  }
  /** @type {[string, string][]} */
  const pairs = [];
  for (const [lemma, { phrases, times }] of chosen) {
    const related = [...(relatives.get(lemma) ?? [])].flatMap((other) => chosen.get(other)?.phrases ?? []);
    const most = Math.min(mostPairs, 2 * Math.sqrt(times));
    for (let count = 0; count < most; count++) {
      const others = related.length > 0 && random() < RELATED ? related : phrases;
      const [one, other] = [pick(phrases, random), pick(others, random)];
      if (one.word !== other.word) pairs.push([one.text, other.text]);
    }
  }
  return sampleWithout(pairs, pairs.length, random);
}

/**
 * Lists derivationally related lemmas. Keys and values are a lemma and its part of speech, "establish v".
 * @param {readonly import("../../../dist/text/wordnet.js").Synset[]} synsets
 */
async function relativesOfLemmas(synsets) {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]));
  const keyOf = (
    /** @type {import("../../../dist/text/wordnet.js").Synset} */ { id, lemmas },
    /** @type {number} */ at,
  ) => `${lemmas[at].toLowerCase()} ${id.at(-1)}`;
  /** @type {Map<string, Set<string>>} */
  const relatives = new Map();
  for (const synset of synsets)
    for (const at of synset.lemmas.keys()) relatives.set(keyOf(synset, at), new Set());
  for (const [one, other] of await readRelatives()) {
    const [synset, of] = [byId.get(one.id), byId.get(other.id)];
    if (synset === undefined || of === undefined) continue;
    if ([synset, of].some(({ lexicographerFile }) => OTHER_MEANING.test(lexicographerFile))) continue;
    relatives.get(keyOf(synset, one.lemma))?.add(keyOf(of, other.lemma));
  }
  return relatives;
}

/**
 * @typedef {{ times: number, word: string }} Counted the content word of a phrase, and how often the phrase
 *   occurs
 */

/**
 * Counts phrases with one content word, by its lemma.
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
 * @param {readonly import("../../../dist/corpus/text/tagger.js").Word[]} sentence
 * @param {ReadonlyMap<string, unknown>} lemmas
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

/**
 * @param {import("../../../dist/corpus/text/tagger.js").Word} word
 * @param {ReadonlyMap<string, unknown>} lemmas
 */
function roleOf({ text, tag, lemma }, lemmas) {
  const small = text.toLowerCase();
  const key = `${lemma} ${CONTENT[tag]}`;
  const isContent =
    CONTENT[tag] !== undefined && /^\p{Ll}{3,}$/u.test(text) && !isFunctionWord(small) && lemmas.has(key);
  return {
    text: small,
    grammar: isFunctionWord(small) && !MEANINGFUL.test(small),
    key: isContent ? key : undefined,
  };
}

/**
 * Samples phrases, frequent ones with a higher probability, by exponential keys (Efraimidis and Spirakis,
 * 2006).
 * @param {ReadonlyMap<string, Counted>} counted @param {number} most @param {() => number} random
 * @returns {Phrase[]}
 */
const sampleFrequent = (counted, most, random) =>
  [...counted]
    .map(([text, { times, word }]) => ({ text, word, key: Math.log(1 - random()) / Math.sqrt(times) }))
    .sort((a, b) => b.key - a.key)
    .slice(0, most)
    .map(({ text, word }) => ({ text, word }));

/** @template Item @param {readonly Item[]} items @param {() => number} random */
const pick = (items, random) => items[Math.floor(random() * items.length)];
