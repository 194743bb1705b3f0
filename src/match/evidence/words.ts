/** Aligns the words of two phrases: equal, misspelt, abbreviated, joined, or initials of several. */
import { distance } from "fastest-levenshtein";
import { numberValue } from "./phrase.js";

/** How well each word of two phrases matches its counterpart in the other. */
export interface WordAlignment {
  /** 0 (no counterpart) to 1 (the same word), per word of the left phrase. */
  readonly left: Float64Array;
  /** The same for the right phrase. */
  readonly right: Float64Array;
  /** Words that correspond as abbreviation, initials or joined words. */
  readonly shortened: number;
}

/** Words with a lower similarity than this have no counterpart. */
const leastLikeness = 0.7;

/** Aligns words: equal ones first, then joined words and initials, then the most similar of the rest. */
export function alignWords(left: readonly string[], right: readonly string[]): WordAlignment {
  const metLeft = new Float64Array(left.length);
  const metRight = new Float64Array(right.length);
  matchEqual(left, right, metLeft, metRight);
  let shortened = 0;
  if (metLeft.includes(0) && metRight.includes(0)) {
    shortened += matchSpans(left, right, metLeft, metRight);
    shortened += matchSpans(right, left, metRight, metLeft);
    shortened += matchAlike(left, right, metLeft, metRight);
  }
  return { left: metLeft, right: metRight, shortened };
}

function matchEqual(
  left: readonly string[],
  right: readonly string[],
  metLeft: Float64Array,
  metRight: Float64Array,
): void {
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) {
      if (metRight[j] > 0 || left[i] !== right[j]) continue;
      metLeft[i] = 1;
      metRight[j] = 1;
      break;
    }
  }
}

/** Matches several words of `many` with one word of `one`: joined ("air forces") or by their initials. */
function matchSpans(
  one: readonly string[],
  many: readonly string[],
  metOne: Float64Array,
  metMany: Float64Array,
): number {
  let found = 0;
  for (let i = 0; i < one.length; i++) {
    if (metOne[i] > 0 || one[i].length < 2) continue;
    for (let from = 0; from + 1 < many.length && metOne[i] === 0; from++) {
      const span = spanOf(one[i], many, from, metMany);
      if (span === undefined) continue;
      metOne[i] = span.likeness;
      metMany.fill(span.likeness, from, span.to);
      found++;
    }
  }
  return found;
}

function spanOf(
  word: string,
  many: readonly string[],
  from: number,
  met: Float64Array,
): { to: number; likeness: number } | undefined {
  let joined = "";
  let initials = "";
  for (let to = from; to < many.length && met[to] === 0; to++) {
    joined += many[to];
    initials += many[to][0];
    if (to === from) continue;
    if (joined === word) return { to: to + 1, likeness: 1 };
    if (initials === word) return { to: to + 1, likeness: word.length === 2 ? 0.8 : 0.9 };
    if (!word.startsWith(joined) && !word.startsWith(initials)) return undefined;
  }
  return undefined;
}

/** Matches the most similar of the remaining words. Returns how many of them are abbreviations. */
function matchAlike(
  left: readonly string[],
  right: readonly string[],
  metLeft: Float64Array,
  metRight: Float64Array,
): number {
  const pairs: { i: number; j: number; likeness: number; short: number }[] = [];
  for (let i = 0; i < left.length; i++) {
    if (metLeft[i] > 0) continue;
    for (let j = 0; j < right.length; j++) {
      if (metRight[j] > 0) continue;
      const { likeness, short } = wordLikeness(left[i], right[j]);
      if (likeness >= leastLikeness) pairs.push({ i, j, likeness, short });
    }
  }
  pairs.sort((a, b) => b.likeness - a.likeness || a.i - b.i || a.j - b.j);
  let shortened = 0;
  for (const { i, j, likeness, short } of pairs) {
    if (metLeft[i] > 0 || metRight[j] > 0) continue;
    metLeft[i] = likeness;
    metRight[j] = likeness;
    shortened += short;
  }
  return shortened;
}

const different = { likeness: 0, short: 0 };

/** Similarity of two different words: numbers by value, then abbreviations, else by edits. */
export function wordLikeness(a: string, b: string): { likeness: number; short: number } {
  const [valueA, valueB] = [numberValue(a), numberValue(b)];
  if (valueA !== undefined || valueB !== undefined) {
    return valueA === valueB ? { likeness: 1, short: 0 } : different;
  }
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short[0] === long[0] && isAbbreviation(short, long)) {
    return { likeness: short.length === 1 ? 0.75 : 0.85, short: 1 };
  }
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
