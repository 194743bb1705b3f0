/**
 * Parses phrases for comparison (folded text, words, values of numbers, and the part in parentheses), and aligns their words:
 * equal, misspelt, abbreviated, joined, or initials of several.
 */

import { distance } from "fastest-levenshtein";
import { foldLetters, INNER_CAPITALS, withoutAccents } from "../../text/accents.js";
import { isDigit, signWords } from "../cells/cell-words.js";
import { bareDigits } from "../cells/numbers.js";
import { differInSigns, sidesOf } from "../spelling/soft-words.js";

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

/** Words with a lower similarity than this have no counterpart. */
const leastLikeness = 0.7;

/** How words correspond. "number": written differently, with the same value. */
export type WordKind = "equal" | "number" | "joined" | "initials" | "abbreviated" | "misspelt";

/** Words of two phrases that correspond, by place; `from` to `to`, without the end. */
export interface WordMatch {
  readonly kind: WordKind;
  readonly likeness: number;
  readonly left: { readonly from: number; readonly to: number };
  readonly right: { readonly from: number; readonly to: number };
}

interface Side {
  readonly words: readonly string[];
  readonly met: Float64Array;
}

/** Receives what was matched: words of the first and of the second side. */
type Trace = (kind: WordKind, likeness: number, a: WordMatch["left"], b: WordMatch["left"]) => void;

const at = (place: number) => ({ from: place, to: place + 1 });

/**
 * Aligns words: equal ones first, then joined words and initials, then the most similar of the rest.
 * @param onMatch called with the words that correspond
 * @returns for each word of a phrase how well it matches, 0 (no counterpart) to 1 (the same word), and the number of words
 *   that correspond as abbreviation, initials or joined words
 */
export function alignWords(
  left: readonly string[],
  right: readonly string[],
  onMatch?: (match: WordMatch) => void,
) {
  const a: Side = { words: left, met: new Float64Array(left.length) };
  const b: Side = { words: right, met: new Float64Array(right.length) };
  const trace: Trace | undefined =
    onMatch && ((kind, likeness, x, y) => onMatch({ kind, likeness, left: x, right: y }));
  const flipped: Trace | undefined = trace && ((kind, likeness, x, y) => trace(kind, likeness, y, x));
  matchEqual(a, b, trace);
  const isOpen = a.met.includes(0) && b.met.includes(0);
  const shortened = isOpen
    ? matchSpans(a, b, trace) + matchSpans(b, a, flipped) + matchAlike(a, b, trace)
    : 0;
  return { left: a.met, right: b.met, shortened };
}

function matchEqual(a: Side, b: Side, trace?: Trace): void {
  for (let i = 0; i < a.words.length; i++) {
    for (let j = 0; j < b.words.length; j++) {
      if (b.met[j] > 0 || a.words[i] !== b.words[j]) continue;
      a.met[i] = 1;
      b.met[j] = 1;
      trace?.("equal", 1, at(i), at(j));
      break;
    }
  }
}

/** Matches several words of `many` with one word of `one`: joined ("air forces") or by their initials. */
function matchSpans(one: Side, many: Side, trace?: Trace): number {
  let found = 0;
  for (let i = 0; i < one.words.length; i++) {
    if (one.met[i] > 0 || one.words[i].length < 2) continue;
    for (let from = 0; from + 1 < many.words.length && one.met[i] === 0; from++) {
      const span = spanOf(one.words[i], many, from);
      if (span === undefined) continue;
      one.met[i] = span.likeness;
      many.met.fill(span.likeness, from, span.to);
      trace?.(span.likeness === 1 ? "joined" : "initials", span.likeness, at(i), { from, to: span.to });
      found++;
    }
  }
  return found;
}

/** The words from `from` that correspond to one word, without the end. */
function spanOf(
  word: string,
  { words, met }: Side,
  from: number,
): { to: number; likeness: number } | undefined {
  let [joined, initials] = ["", ""];
  for (let to = from; to < words.length && met[to] === 0; to++) {
    joined += words[to];
    initials += words[to][0];
    if (to === from) continue;
    if (joined === word) return { to: to + 1, likeness: 1 };
    if (initials === word) return { to: to + 1, likeness: word.length === 2 ? 0.8 : 0.9 };
    if (!word.startsWith(joined) && !word.startsWith(initials)) return undefined;
  }
  return undefined;
}

/** Matches the most similar of the remaining words. Returns how many of them are abbreviations. */
function matchAlike(a: Side, b: Side, trace?: Trace): number {
  const pairs: { i: number; j: number; likeness: number; short: number }[] = [];
  for (let i = 0; i < a.words.length; i++) {
    for (let j = 0; j < b.words.length && a.met[i] === 0; j++) {
      if (b.met[j] > 0) continue;
      const { likeness, short } = wordLikeness(a.words[i], b.words[j]);
      if (likeness >= leastLikeness) pairs.push({ i, j, likeness, short });
    }
  }
  pairs.sort((x, y) => y.likeness - x.likeness || x.i - y.i || x.j - y.j);
  let shortened = 0;
  for (const { i, j, likeness, short } of pairs) {
    if (a.met[i] > 0 || b.met[j] > 0) continue;
    a.met[i] = likeness;
    b.met[j] = likeness;
    trace?.(likeness === 1 ? "number" : short > 0 ? "abbreviated" : "misspelt", likeness, at(i), at(j));
    shortened += short;
  }
  return shortened;
}

const different = { likeness: 0, short: 0 };

/** Similarity of two different words: numbers by value, then abbreviations, else by edits. */
export function wordLikeness(a: string, b: string): { likeness: number; short: number } {
  const [valueA, valueB] = [numberValue(a), numberValue(b)];
  if (valueA !== undefined || valueB !== undefined)
    return valueA === valueB ? { likeness: 1, short: 0 } : different;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (differInSigns(short, long)) return different;
  if (short[0] === long[0] && isAbbreviation(short, long))
    return { likeness: short.length === 1 ? 0.75 : 0.85, short: 1 };
  if (short.length < 3) return different;
  return { likeness: 1 - distance(a, b) / long.length, short: 0 };
}

/** "int" or "intl" for "international": a prefix, or letters in order that include the last one. */
function isAbbreviation(short: string, long: string): boolean {
  if (long.length < short.length + 2) return false;
  if (long.startsWith(short)) return short.length === 1 || short.length * 2 <= long.length + 2;
  if (short.length < 2 || short.length * 2 > long.length + 1) return false;
  if (short[short.length - 1] !== long[long.length - 1]) return false;
  let at = 0;
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
