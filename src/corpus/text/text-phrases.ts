/** The phrases of a text: chunks, with possessives joined, and verbs and prepositions with their objects. */
import { LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { type Chunk, chunkSentence, joinCompounds } from "./chunker.js";
import type { RankedPhrase } from "./phrase-ranking.js";
import type { Tagger, Word } from "./tagger.js";
import { pieces } from "./text-sources.js";

type FoundPhrase = Omit<RankedPhrase, "count">;

export interface ReadWords {
  words: number;
  /** Words in letters that are not Latin. */
  foreign: number;
}

/** Longer phrases are sentences or parts of tables. */
const mostWords = 8;
const mostCharacters = 100;
/** The tagger's time grows faster than its text. */
const window = 8192;

const contentTags = new Set(["NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "X"]);
const openTags = new Set(["NOUN", "PROPN", "VERB", "ADJ", "NUM", "X", "INTJ", "SYM"]);
const notWords = /\S{101,}/g;

/**
 * Yields the phrases of a text:
 * every chunk with a word of content ("of" and "it" are not); a noun phrase with its possessive as one
 * ("Japan's economy"); a verb phrase also with the noun phrase after it, as VP ("signed the contract"); a
 * prepositional phrase only with the noun phrase after it, or of several words ("in the morning", "because of").
 * The first word of a sentence loses its capital where it is a function word ("The company" is "the company").
 */
export function* phrasesOfText(tagger: Tagger, text: string, read: ReadWords): Generator<FoundPhrase> {
  // What has more than a hundred letters is not a word; the tagger needs minutes for a million letters.
  for (const piece of pieces(text.replace(notWords, " "), window)) {
    for (const sentence of tagger.sentences(piece)) {
      for (const word of sentence) {
        if (word.tag === "PUNCT" || word.tag === "SYM") continue;
        read.words++;
        if (/\p{L}/u.test(word.text) && !/\p{Script=Latin}/u.test(word.text)) read.foreign++;
      }
      yield* phrasesOfSentence(piece, joinCompounds(sentence));
    }
  }
}

function* phrasesOfSentence(text: string, words: readonly Word[]): Generator<FoundPhrase> {
  const chunks = joinPossessives(chunkSentence(words), words);
  for (const [index, chunk] of chunks.entries()) {
    const next = chunks[index + 1];
    const hasObject = next?.lexicalClass === "NP" && next.first === chunk.last + 1;
    if (chunk.lexicalClass !== "PP" || chunk.last > chunk.first) yield* phraseOf(text, words, chunk);
    if (hasObject && (chunk.lexicalClass === "PP" || chunk.lexicalClass === "VP"))
      yield* phraseOf(text, words, { ...chunk, last: next.last }, next.first);
  }
}

/** "Japan" and "'s economy" are one phrase. */
function joinPossessives(chunks: readonly Chunk[], words: readonly Word[]): Chunk[] {
  const joined: Chunk[] = [];
  for (const chunk of chunks) {
    const last = joined[joined.length - 1];
    const isPossessive = /^['’]s?$/.test(words[chunk.first].text);
    const follows = last?.lexicalClass === "NP" && last.last + 1 === chunk.first;
    if (isPossessive && chunk.lexicalClass === "NP" && follows)
      joined[joined.length - 1] = { ...last, last: chunk.last };
    else joined.push(chunk);
  }
  return joined;
}

/** The phrase as the text writes it. `from`: the first word that may be its word of content. */
function* phraseOf(
  text: string,
  words: readonly Word[],
  { lexicalClass, first, last }: Chunk,
  from: number = first,
): Generator<FoundPhrase> {
  if (last - first >= mostWords) return;
  let hasContent = lexicalClass === "PP" && from === first;
  for (let index = from; index <= last && !hasContent; index++)
    hasContent = contentTags.has(words[index].tag) && /\p{Script=Latin}|\d/u.test(words[index].text);
  if (!hasContent) return;
  const written = text.slice(words[first].start, words[last].end).replace(/\s+/gu, " ").trim();
  if (written === "" || written.length > mostCharacters || /[\t\n\r\p{Cc}]/u.test(written)) return;
  const isOpening = first === 0 && !openTags.has(words[0].tag) && /^\p{Lu}(?:\p{Ll}|\s)/u.test(written);
  const phrase =
    isOpening && !/^I\s/.test(written) ? written.charAt(0).toLowerCase() + written.slice(1) : written;
  yield { phrase, lexicalClass };
}

/** Counts each phrase in each class: five numbers, in the order of LEXICAL_CLASSES. */
export function countPhrases(
  tagger: Tagger,
  texts: Iterable<string>,
): { counts: Map<string, number[]>; read: ReadWords } {
  const counts = new Map<string, number[]>();
  const read = { words: 0, foreign: 0 };
  for (const text of texts) {
    for (const { phrase, lexicalClass } of phrasesOfText(tagger, text, read)) {
      const entry = counts.get(phrase) ?? LEXICAL_CLASSES.map(() => 0);
      counts.set(phrase, entry);
      entry[LEXICAL_CLASSES.indexOf(lexicalClass)]++;
    }
  }
  return { counts, read };
}
