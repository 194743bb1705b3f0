/** A name as words and a qualifier, and what the rules on its words share. */
import type { Random } from "../../../../random.js";
import { isDayBeforeYear } from "../../phrase/year.js";
import type { DrawnRule, PhraseContext, RuleName } from "../../rule.js";

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

/** Whether a word is an article, a preposition or "and", in the languages that names are often in. */
export function isShortWord(word: string): boolean {
  return word.length <= 5 && short.has(word.toLowerCase());
}

/** The places of the words that `isAble` holds for. */
export function placesOf(words: readonly string[], isAble: (word: string) => boolean): number[] {
  const places: number[] = [];
  for (let place = 0; place < words.length; place++) if (isAble(words[place])) places.push(place);
  return places;
}
