/** How two tables write the words of a name differently: dropped, cut short, joined, split, in another order. */
import type { Random } from "../../random.js";
import { type DrawnRule, type PhraseContext, pick, type RuleName } from "./rule.js";
import { unitsOf } from "./units.js";
import { isDayBeforeYear } from "./years.js";

/** A name taken apart: its words, and what qualifies it, in brackets at the end or after the first comma. */
export interface NameParts {
  readonly words: string[];
  /** " (planet)", ", Illinois" or nothing. */
  readonly tail: string;
}

/** The parts of a name; joined by spaces, and the tail put after them, they give it again. */
export function namePartsOf(phrase: string): NameParts {
  const start = phrase.endsWith(")") ? phrase.lastIndexOf(" (") : commaOf(phrase);
  const end = start > 0 ? start : phrase.length;
  return { words: phrase.slice(0, end).split(" "), tail: phrase.slice(end) };
}

/** Where a qualifier begins: the first comma that is not within a date. */
function commaOf(phrase: string): number {
  const comma = phrase.indexOf(", ");
  return comma > 0 && isDayBeforeYear(phrase.slice(0, comma), phrase.slice(comma + 2))
    ? phrase.indexOf(", ", comma + 1)
    : comma;
}

/** A change of a name's words in place; false where it does not apply. */
type WordEdit = (words: string[], random: Random, context: PhraseContext) => boolean;

/** A rule that changes the words before a name's qualifier, of names that have at least `leastWords`. */
export function nameWordRule(name: RuleName, leastWords: number, edit: WordEdit): DrawnRule {
  return {
    name,
    granularity: "token",
    draw: (phrase, random, context) => {
      const { words, tail } = namePartsOf(phrase);
      if (words.length < leastWords || !edit(words, random, context)) return undefined;
      const text = words.join(" ") + tail;
      return text === phrase || text.trim() === "" ? undefined : text;
    },
  };
}

const short = new Set(
  "the of and a an in at for on to by from & de del della di da do du des la le les el los las van von der den und et y".split(
    " ",
  ),
);
const article = /^(?:the|an?)$/i;
const plainWord = /^\p{L}{6,}$/u;
const hyphenated = /^[\p{L}\p{N}]+(?:[-–][\p{L}\p{N}]+)+$/u;

/** Whether a word is an article, a preposition or "and", in the languages that names are often in. */
export function isShortWord(word: string): boolean {
  return word.length <= 5 && short.has(word.toLowerCase());
}

/** The rules of words that are there, each seen in lists of names; none changes what is in brackets or after a comma. */
export const nameWordRules: readonly DrawnRule[] = [
  nameWordRule("drop-short-word", 2, dropShortWord),
  nameWordRule("drop-end-word", 3, dropEndWord),
  nameWordRule("shorten-word", 2, shortenWord),
  nameWordRule("join-words", 2, joinWords),
  nameWordRule("split-word", 1, splitWord),
  nameWordRule("shuffle-words", 3, shuffleWords),
];

/** "University of the West" to "University of West"; of two words only an article goes ("The Beatles", not "El Paso"). */
function dropShortWord(words: string[], random: Random): boolean {
  const able = placesOf(words, words.length > 2 ? isShortWord : (word) => article.test(word));
  if (able.length === 0 || able.length === words.length) return false;
  words.splice(pick(able, random), 1);
  return true;
}

/** The last word, which says least, more often than the first. */
function dropEndWord(words: string[], random: Random): boolean {
  words.splice(random() < 0.7 ? words.length - 1 : 0, 1);
  return true;
}

/** "Acme Manufacturing" to "Acme Manu.", as people shorten what has no abbreviation. */
function shortenWord(words: string[], random: Random): boolean {
  const able = placesOf(words, (word) => plainWord.test(word));
  if (able.length === 0) return false;
  const place = pick(able, random);
  const kept = random() < 0.5 ? 3 : 4;
  words[place] = `${unitsOf(words[place]).slice(0, kept).join("")}.`;
  return true;
}

/** "Face Book" to "FaceBook" or "Face-Book". */
function joinWords(words: string[], random: Random): boolean {
  const place = Math.floor(random() * (words.length - 1));
  const between = random() < 0.25 ? "-" : "";
  words.splice(place, 2, words[place] + between + words[place + 1]);
  return true;
}

/** "Saint-Denis" to "Saint Denis", "Battlefield" to "Battle field": parts of at least three letters. */
function splitWord(words: string[], random: Random): boolean {
  const able = placesOf(words, (word) => hyphenated.test(word) || (word.length > 7 && plainWord.test(word)));
  if (able.length === 0) return false;
  const place = pick(able, random);
  const word = words[place];
  if (hyphenated.test(word)) {
    words.splice(place, 1, ...word.split(/[-–]/));
    return true;
  }
  const units = unitsOf(word);
  if (units.length < 6) return false;
  const cut = 3 + Math.floor(random() * (units.length - 5));
  words.splice(place, 1, units.slice(0, cut).join(""), units.slice(cut).join(""));
  return true;
}

function shuffleWords(words: string[], random: Random): boolean {
  for (let last = words.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [words[last], words[other]] = [words[other], words[last]];
  }
  return true;
}

function placesOf(words: readonly string[], isAble: (word: string) => boolean): number[] {
  const places: number[] = [];
  for (let place = 0; place < words.length; place++) if (isAble(words[place])) places.push(place);
  return places;
}
