/** Aligns the words of two phrases: equal, misspelt, abbreviated, joined, or initials of several. */
import { distance } from "fastest-levenshtein";
import { differInSigns } from "../spelling/soft-words.js";
import { numberValue } from "./phrase.js";

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
