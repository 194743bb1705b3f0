/**
 * How alike two different words are: initials, abbreviations, misspellings, or by their letters (Jaro-Winkler, Winkler 1990). Words
 * that say opposites, or may be left out.
 */
import { distance } from "fastest-levenshtein";
import { otherForms, wordList } from "../../text/word-lists.js";
import { hasDigit } from "../cells/cell-words.js";

const isDigits = /^\d+$/;
/** Edits between words that are alike, at most: two from 8 letters on. @param letters of the shorter word */
export const mostEdits = (letters: number): number => (letters >= 8 ? 2 : 1);

/**
 * From 0 to 1; the same in both directions. A nickname is like its name. Words with digits need a long common beginning that has
 * one, or one slip in many digits: "pedro.smith21" and "pedro.jones23" have only a name in common.
 */
export function softLikeness(a: string, b: string): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const sameFirst = short.charCodeAt(0) === long.charCodeAt(0);
  if (differInSigns(short, long)) return 0;
  const withDigits = hasDigit(a) || hasDigit(b);
  if (withDigits) {
    const prefix = sameFirst && short.length >= 5 ? commonPrefix(short, long) : 0;
    if (prefix >= 5 && hasDigit(short, prefix)) return 0.85;
    const isSlip = short.length >= 7 && isDigits.test(short) && isDigits.test(long) && distance(a, b) === 1;
    return isSlip ? 0.6 : 0;
  }
  if (sameFirst) {
    if (short.length === 1) return 0.7;
    const prefix = commonPrefix(short, long);
    if (prefix >= 4) return long.length - short.length <= 2 ? 0.9 : 0.7;
    if (prefix === 3 && short.length === 3) return 0.6;
  }
  return otherForms().get(a)?.has(b) ? 0.85 : edited(short, long);
}

/** Standard abbreviations, each behind its word. Shorter ones stand for too many words (chicago-sites: precision .899 with them, .900). */
const shortForms = wordList("abbreviations", (entries) => {
  const bare = entries.map((forms) => forms.map((form) => form.replace(/[.']/g, "")));
  return new Set(bare.flatMap(([word, ...short]) => short.filter(isClear).map((form) => `${word} ${form}`)));
});

const isClear = (form: string): boolean => form.length > 3 || form === "jr" || form === "sr";

/** Whether one word is a standard abbreviation of the other: "assn" and "association". */
export const isShortFor = (a: string, b: string): boolean =>
  a.charCodeAt(0) === b.charCodeAt(0) && (shortForms().has(`${a} ${b}`) || shortForms().has(`${b} ${a}`));

const isSign = (code: number): boolean => code === 0x2b || code === 0x23;

/** Whether one of two short words has signs behind it: "C" is not "C++", "Canal" may be "Canal+". */
export const differInSigns = (short: string, long: string): boolean =>
  short.length <= 3 &&
  isSign(short.charCodeAt(short.length - 1)) !== isSign(long.charCodeAt(long.length - 1));

function edited(short: string, long: string): number {
  const most = mostEdits(short.length);
  if (short.length < 3 || long.length - short.length > most) return 0;
  const edits = isTransposed(short, long) ? 1 : distance(short, long);
  const likeness = 1 - edits / short.length;
  return edits <= most && likeness >= 0.6 ? likeness : 0;
}

/** Whether two neighbouring letters have changed places. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let first = 0;
  while (first < a.length && a[first] === b[first]) first++;
  return a[first] === b[first + 1] && a[first + 1] === b[first] && a.slice(first + 2) === b.slice(first + 2);
}

/** By word what it says of two things that contradict each other, as "Jr" and "Sr", its sides: each the number of its set and its place there, as one number, 16 sides at most. */
const sides = wordList("opposites", (sets) => {
  const found = new Map<string, number[]>();
  sets.forEach((ofSet, set) => {
    ofSet.forEach((words, side) => {
      for (const word of words.split(" ")) found.set(word, [...(found.get(word) ?? []), (set << 4) | side]);
    });
  });
  return found;
});
const none: readonly number[] = [];

/** What a folded word says, if it has opposites. */
export const sidesOf = (word: string): readonly number[] => sides().get(word) ?? none;

/** Whether two names say opposites: of one set each has a side that the other lacks. */
export const areOpposed = (left: readonly number[], right: readonly number[]): boolean =>
  left.some((a) => !right.includes(a) && right.some((b) => isOpposite(a, b) && !left.includes(b)));

const isOpposite = (a: number, b: number): boolean => a >> 4 === b >> 4;

/** Articles, prepositions, conjunctions: names have or lack them, and legal forms, without another meaning. */
export const functionWords: ReadonlySet<string> = new Set(
  "the a an of and in at on for to by from with de la le les du des el los las del da do di et y e und der die das".split(
    " ",
  ),
);

export const legalForms: ReadonlySet<string> = new Set(
  (
    "inc incorporated ltd limited co company corp corporation llc llp lp plc gmbh ag kg sa sas sarl srl spa nv bv ab " +
    "as oy oyj pty pvt pte"
  ).split(" "),
);

/**
 * Jaro similarity: (m/|a| + m/|b| + (m − t)/m) / 3 with m matches no farther apart than half the longer string
 * less one, and t half the number of matches out of order.
 */
function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  const isTaken = new Uint8Array(b.length);
  const matched: number[] = []; // in the order of a
  for (let indexA = 0; indexA < a.length; indexA++) {
    const unit = a.charCodeAt(indexA);
    const end = Math.min(b.length, indexA + reach + 1);
    for (let indexB = Math.max(0, indexA - reach); indexB < end; indexB++) {
      if (b.charCodeAt(indexB) !== unit || isTaken[indexB] === 1) continue;
      isTaken[indexB] = 1;
      matched.push(unit);
      break;
    }
  }
  const matches = matched.length;
  if (matches === 0) return 0;
  let [place, outOfOrder] = [0, 0];
  for (let indexB = 0; indexB < b.length; indexB++)
    if (isTaken[indexB] === 1 && b.charCodeAt(indexB) !== matched[place++]) outOfOrder++;
  return (matches / a.length + matches / b.length + (matches - outOfOrder / 2) / matches) / 3;
}

/** How many first characters are equal. */
export function commonPrefix(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return same;
}

/** Jaro similarity raised by 0.1 of what is missing for each of up to 4 equal first characters. */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  return jaro + Math.min(4, commonPrefix(a, b)) * 0.1 * (1 - jaro);
}
