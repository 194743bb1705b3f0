/**
 * Pairs of phrases with different forms of one content word and with different function words: "was
 * established", "to establish", "the establishment of". The phrases come from the texts; the forms belong to
 * a lemma or to lemmas that WordNet links as derivationally related.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isFunctionWord } from "../../../dist/augmentation/wordnet-synonym.js";
import { createTagger } from "../../../dist/corpus/text/tagger.js";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { pick } from "./made-pairs.mjs";
import { readRelatives } from "./wordnet.mjs";

/** Lines after which the tagger is replaced, since its memory grows with each new word. */
const LINES = 2000;

/** Lexicographer files whose lemmas mean something else than their relatives: "establisher", "user". */
const OTHER_MEANING = /^noun\.(?:person|animal|plant|food|body|location|artifact|substance)$/;

/** Universal tags of content words, with WordNet's parts of speech. */
const CONTENT = { NOUN: "n", VERB: "v", ADJ: "a", ADV: "r" };

/** Fraction of a lemma's pairs whose second phrase has a related lemma, if there is one. */
const RELATED = 0.5;

/** Function words that change the meaning of a phrase: negations, question words, prepositions, pronouns. */
const MEANINGFUL =
  /^(?:no|not|nor|never|n't|without|neither|none|nothing|against|under|below|above|over|before|after|until|what|when|where|which|who|whom|whose|why|how|if|than|i|me|you|he|him|she|we|us|they|them|most|more|less|least|few|once)$/;

/** Words that make another verb when they follow one: "turn up", "turn down". */
const PARTICLE =
  /^(?:about|along|around|away|back|by|down|for|in|into|off|on|out|over|round|through|to|up|upon|with|of|at|from)$/;

/**
 * Pairs phrases whose content words have different forms, in random order. Pairs of the same form would teach
 * that function words carry no meaning.
 * @param texts paths of running text
 * @param settings `words`: maximum per phrase; `fewest`: minimum count of a lemma over all phrases (one mention in
 *   a sentence is in several phrases); `phrases` and `pairs`: maxima per lemma, of pairs also twice the square
 *   root of its count
 */
export async function formPairs(texts, synsets, { words, fewest, phrases: most, pairs: mostPairs, seed }) {
  const relatives = relativesOfLemmas(synsets);
  const random = createRandom(seed);
  const chosen = new Map();
  for (const [lemma, counted] of await phrasesOfLemmas(texts, relatives, words)) {
    const times = [...counted.values()].reduce((sum, own) => sum + own.times, 0);
    if (times >= fewest) chosen.set(lemma, { phrases: sampleFrequent(counted, most, random), times });
  }
  const pairs = [];
  for (const [lemma, { phrases, times }] of chosen) {
    const related = [...relatives.get(lemma)].flatMap((other) => chosen.get(other)?.phrases ?? []);
    for (let count = 0; count < Math.min(mostPairs, 2 * Math.sqrt(times)); count++) {
      const others = related.length > 0 && random() < RELATED ? related : phrases;
      const [one, other] = [pick(phrases, random), pick(others, random)];
      if (one.word !== other.word) pairs.push([one.text, other.text]);
    }
  }
  return sampleWithout(pairs, pairs.length, random);
}

/** Derivationally related lemmas by lemma; each is a lemma and its part of speech, "establish v". */
function relativesOfLemmas(synsets) {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]));
  const keyOf = ({ id, lemma }) => `${byId.get(id).lemmas[lemma].toLowerCase()} ${id.at(-1)}`;
  const hasOtherMeaning = ({ id }) => OTHER_MEANING.test(byId.get(id).lexicographerFile);
  const relatives = new Map();
  for (const { id, lemmas } of synsets)
    for (const lemma of lemmas.keys()) relatives.set(keyOf({ id, lemma }), new Set());
  for (const [one, other] of readRelatives())
    if (!hasOtherMeaning(one) && !hasOtherMeaning(other)) relatives.get(keyOf(one)).add(keyOf(other));
  return relatives;
}

/**
 * Counts phrases with one content word, by its lemma.
 * @returns by lemma and text: { times, word }, how often the phrase occurs and the form of its content word
 */
async function phrasesOfLemmas(texts, lemmas, most) {
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

/** Counts the phrases of a sentence: a content word and the function words around it, up to `most` words. */
function count(sentence, lemmas, most, found) {
  const words = sentence.map((word) => roleOf(word, lemmas));
  for (const [at, { key }] of words.entries()) {
    if (key === undefined) continue;
    let from = at;
    while (from > 0 && at - from < most - 1 && words[from - 1].isGrammar) from--;
    let to = at;
    while (to + 1 < words.length && to + 1 - at < most && words[to + 1].isGrammar) to++;
    const own = found.get(key) ?? new Map();
    found.set(key, own);
    for (let start = from; start <= at; start++)
      for (let end = at; end <= to && end - start < most; end++) {
        if (end > at && key.endsWith(" v") && PARTICLE.test(words[at + 1].text)) break;
        const texts = words.slice(start, end + 1).map(({ text }) => text);
        const text = texts.join(" ");
        own.set(text, { times: (own.get(text)?.times ?? 0) + 1, word: words[at].text });
      }
  }
}

function roleOf({ text, tag, lemma }, lemmas) {
  const small = text.toLowerCase();
  const isFunction = isFunctionWord(small);
  const key = CONTENT[tag] && /^\p{Ll}{3,}$/u.test(text) && !isFunction && `${lemma} ${CONTENT[tag]}`;
  return {
    text: small,
    isGrammar: isFunction && !MEANINGFUL.test(small),
    key: key && lemmas.has(key) ? key : undefined,
  };
}

/** Samples phrases, frequent ones more often, by exponential keys (Efraimidis and Spirakis, 2006). */
const sampleFrequent = (counted, most, random) =>
  [...counted]
    .map(([text, { times, word }]) => ({ text, word, key: Math.log(1 - random()) / Math.sqrt(times) }))
    .sort((a, b) => b.key - a.key)
    .slice(0, most);
