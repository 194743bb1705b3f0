/** A name as its words and its qualifier, and what the rules that edit its words share. */
import type { Draw, PhraseContext } from "../../pearl/augmentation/rule.js";
import type { Random } from "../../random.js";
import { wordSet } from "../../text/word-lists.js";
import { isDayBeforeYear } from "../phrase/year.js";

/** The words of a name, and its qualifier with what is before it: " (planet)", ", Illinois" or nothing. */
export function namePartsOf(phrase: string): { words: string[]; tail: string } {
  const start = phrase.endsWith(")") ? phrase.lastIndexOf(" (") : commaOf(phrase);
  const end = start > 0 ? start : phrase.length;
  return { words: phrase.slice(0, end).split(" "), tail: phrase.slice(end) };
}

/** Where a qualifier starts: the first comma that is not within a date. */
function commaOf(phrase: string): number {
  const comma = phrase.indexOf(", ");
  return comma > 0 && isDayBeforeYear(phrase.slice(0, comma), phrase.slice(comma + 2))
    ? phrase.indexOf(", ", comma + 1)
    : comma;
}

/** Changes the words in place; returns false where it does not apply. */
type WordEdit = (words: string[], random: Random, context: PhraseContext) => boolean;

/** Makes a rule for names of at least `leastWords` words before their qualifier. */
export function editWords(leastWords: number, edit: WordEdit): Draw {
  return (phrase, random, context) => {
    const { words, tail } = namePartsOf(phrase);
    if (words.length < leastWords || !edit(words, random, context)) return undefined;
    const text = words.join(" ") + tail;
    return text === phrase || text.trim() === "" ? undefined : text;
  };
}

const short = wordSet("short-words");

/** Whether a word is an article, a preposition or "and", in the languages that names are often in. */
export const isShortWord = (word: string): boolean => word.length <= 5 && short().has(word.toLowerCase());

export const placesOf = (words: readonly string[], isAble: (word: string) => boolean): number[] =>
  [...words.keys()].filter((place) => isAble(words[place]));
