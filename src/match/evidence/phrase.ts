/** Parses a phrase for comparison: folded text, words, values of numbers, and the part in parentheses. */
import { foldLetters, INNER_CAPITALS, withoutAccents } from "../../text/accents.js";
import { isDigit, signWords } from "../cells/cell-words.js";
import { bareDigits } from "../cells/numbers.js";
import { sidesOf } from "../spelling/soft-words.js";

export interface JoinPhrase {
  /** Lower-case, without accents, quotes and repeated spaces. */
  readonly folded: string;
  /** Letters and digits, and signs behind words. */
  readonly compact: string;
  /** Runs of letters or of digits, in order. */
  readonly words: readonly string[];
  /** Values of the numbers among the words: digits without leading zeros, ordinals, Roman numerals, number words. */
  readonly numbers: readonly string[];
  /** What its words say that have opposites. */
  readonly sides: readonly number[];
  /** Letters and digits outside parentheses; equal to `compact` where there are none. */
  readonly main: string;
  /** Per word whether it is inside parentheses; all false if no word is outside. */
  readonly aside: readonly boolean[];
  /** Of a long text, what is behind all this: it only counts for whether two texts are the same. "" of others. */
  readonly rest: {
    readonly folded: string;
    /** Letters and digits only. */
    readonly compact: string;
  };
}

// A UTF-8 dash or quote that was decoded as Latin-1 or Windows-1252 ("â" and two more characters).
const brokenPunctuation = /â[\u0080-\u009f€][\u0080-\u00bf™œ“”˜\u2018-\u2026]?/g;
const apostrophes = /(?<=\p{L})['’`´ʻʼ](?=\p{L}|\s|$)/gu;
const thousands = /(?<=\d),(?=\d{3}(?!\d))/g;
const yearRange = /(?<!\d)(1[5-9]|20)(\d\d)\s?[-–—/]\s?(\d\d)(?!\d)/g;
const wordRuns = /\p{L}[\p{L}\p{M}]*(?:[+#]+(?![\p{L}\p{N}+#]))?|\p{N}+/gu;

/**
 * Lower-cases, splits words at inner capitals, and removes what writers use inconsistently: accents, apostrophes and
 * thousands separators.
 */
export function foldPhrase(text: string): string {
  const spaced = withoutAccents(text.replace(brokenPunctuation, " ")).replace(INNER_CAPITALS, " ");
  return foldLetters(spaced.toLowerCase())
    .replace(apostrophes, "")
    .replace(thousands, "")
    .replace(yearRange, (_, century: string, first: string, second: string) => {
      const next = Number(second) < Number(first) ? String(Number(century) + 1) : century;
      return `${century}${first} ${next}${second}`;
    })
    .replace(/&/g, " and ")
    .replace(/\s+/g, " ")
    .trim();
}

const ordinalEnding = /^(?:st|nd|rd|th)$/;

/**
 * Splits a folded text into words: runs of letters, with the signs behind them ("c++"), and runs of digits, without the ending
 * of "21st". A text of signs alone is one word.
 * @param places if given, receives the position of the first letter of each word
 */
export function splitFolded(folded: string, places?: number[]): string[] {
  const words: string[] = [];
  for (const match of folded.matchAll(wordRuns)) {
    const word = match[0];
    const before = words[words.length - 1];
    const touches = match.index > 0 && isDigit(folded.charCodeAt(match.index - 1));
    if (touches && before !== undefined && ordinalEnding.test(word)) continue;
    words.push(word);
    places?.push(match.index);
  }
  if (words.length > 0) return words;
  places?.push(0);
  return signWords(folded);
}

const numberWords = new Map(
  [
    "one two three four five six seven eight nine ten eleven twelve",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
  ].flatMap((line) => line.split(" ").map((word, index) => [word, String(index + 1)] as const)),
);

const roman = /^(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})$/;
const romanValues: Record<string, number> = { i: 1, v: 5, x: 10 };

/** The value of digits, a number word or a Roman numeral of at least two letters; undefined for other words. */
export function numberValue(word: string): string | undefined {
  if (isDigit(word.charCodeAt(0))) return bareDigits(word);
  const named = numberWords.get(word);
  if (named !== undefined) return named;
  return roman.test(word) ? String(romanNumber(word)) : undefined;
}

function romanNumber(word: string): number {
  let sum = 0;
  for (let index = 0; index < word.length; index++) {
    const value = romanValues[word[index]];
    sum += value < (romanValues[word[index + 1]] ?? 0) ? -value : value;
  }
  return sum;
}

export function isYear(value: string): boolean {
  return value.length === 4 && value >= "1000" && value <= "2100";
}

const parentheses = /[([][^)\]]*[)\]]/g;

/** Characters of a phrase that are compared: words and letters of two phrases take time with the product of their lengths. */
const mostCompared = 1000;

export function readJoinPhrase(text: string): JoinPhrase {
  const whole = foldPhrase(text);
  const folded = whole.slice(0, mostCompared);
  const places: number[] = [];
  const words = splitFolded(folded, places);
  const spans = Array.from(folded.matchAll(parentheses), ({ 0: span, index }) => [
    index,
    index + span.length,
  ]);
  const inside = places.map((place) => spans.some(([from, to]) => place >= from && place < to));
  const isWhole = !inside.includes(true) || !inside.includes(false);
  const aside = isWhole ? words.map(() => false) : inside;
  return { folded, rest: restOf(whole), ...readWords(words, aside) };
}

/** What a phrase of some words is compared by. @param aside whether each is inside parentheses */
export const readWords = (words: readonly string[], aside: readonly boolean[]) => ({
  ...{ words, aside, compact: words.join(""), sides: words.flatMap(sidesOf) },
  numbers: words.map(numberValue).filter((value) => value !== undefined),
  main: words.filter((_, index) => !aside[index]).join(""),
});

const noRest = { folded: "", compact: "" };

function restOf(whole: string): JoinPhrase["rest"] {
  if (whole.length <= mostCompared) return noRest;
  const folded = whole.slice(mostCompared);
  return { folded, compact: splitFolded(folded).join("") };
}

/** Whether two phrases have the same letters and digits in the same order, however long they are. */
export const haveSameLetters = (a: JoinPhrase, b: JoinPhrase): boolean =>
  a.compact + a.rest.compact === b.compact + b.rest.compact;
