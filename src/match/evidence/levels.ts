/**
 * Compares two values of a column: an ordinal level that says how well they agree, higher for better. Agreement on a rare
 * value has a higher level than on a common one.
 */
import { distance } from "fastest-levenshtein";
import { dotRows } from "../../search/vectors.js";
import type { NamingVectors } from "../candidates/nearest-by-embedding.js";
import { hasDigit } from "../cells/cell-words.js";
import { dayOf } from "../cells/dates.js";
import { bareDigits } from "../cells/numbers.js";
import { digitsOf } from "../cells/phones.js";
import type { Field } from "../columns/fields.js";
import { ListsBuilder } from "../columns/lists.js";
import { isText } from "../columns/profile.js";
import { areSiblings, type SiblingPlaces } from "../columns/sibling-places.js";
import { eachText, textReader } from "../columns/texts.js";
import type { ValueSet } from "../columns/value-set.js";
import { EditSimilarity } from "../spelling/edit-similarity.js";
import { type GramSets, gramCosine, gramSets } from "../spelling/gram-sets.js";
import type { VocabularyWords } from "../spelling/vocabulary-words.js";
import { overlapComparison } from "./overlap.js";

/** How levels are to be read. */
export interface LevelScale {
  /** Number of levels. */
  readonly levels: number;
  /** Levels below it say that values differ, those from `agrees` on that they agree. */
  readonly differs: number;
  readonly agrees: number;
  /** Whether the level between is that of a slip, as in a telephone number. */
  readonly hasSlips?: boolean;
}

/** Level of a pair that says nothing: a side is empty, or is no number among numbers. */
export const missing = -1;

/** Compares two values of a column by number. */
export interface FieldComparison extends LevelScale {
  compare(left: number, right: number): number;
  /** The weight of the words without a partner in the last comparison, of texts only. */
  unmatched?(): number;
}

/** The level of a number: how many of the cuts it reaches. */
export function levelOf(value: number, cuts: readonly number[]): number {
  let level = 0;
  while (level < cuts.length && value >= cuts[level]) level++;
  return level;
}

const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step - 1e-9);

/** Cuts of -ln(share of rows with the value): equal values in six levels. */
export const rareCuts = [2, 4, 6, 8, 10];
const textCuts = steps(0.1, 0.95, 0.05);
/** Texts differ below a similarity of .45, and agree from .8 on. */
export const textScale = { differs: 8, agrees: 15 };
const codeCuts = [0.5, 0.7, 0.85];
export const codeScale = { differs: codeCuts.length, agrees: codeCuts.length + 1, hasSlips: true };
const categoryCuts = [1, 2, 3];
const numberCuts = [0.5, 0.8, 0.95, 0.999];
const numberScale = { differs: 3, agrees: numberCuts.length };
export const rareNumber = [5];
/** Degrees by which coordinates differ at most: .01 is a kilometre of latitude, .0005 are 50 metres. */
const degreeCuts = [0.5, 0.2, 0.1, 0.05, 0.01, 0.002, 0.0005].map((degrees) => -degrees - 1e-9);
/** Levels of coordinates: those of unequal numbers, and of equal ones. */
export const degreeLevels = degreeCuts.length + 1 + rareNumber.length + 1;

export interface TextData {
  readonly words: VocabularyWords;
  /** Of texts. */
  readonly grams?: GramSets;
  readonly vectors?: NamingVectors;
  /** Whether the numbers in the texts have a column of evidence of their own, and so are not compared as words. */
  readonly areNumbered?: boolean;
  /** Whether numbers are coordinates, of which the difference tells, and not its share. */
  readonly areDegrees?: boolean;
}

/** Compares the values of a field; with vectors of the values, their cosine counts too. */
export function fieldComparison(field: Field, data: TextData): FieldComparison {
  const { kind, set } = field;
  const addsWords = addedWords(set, data.words);
  if (isText(kind)) return textComparison(field, data);
  if (kind === "number") {
    const cuts = data.areDegrees ? degreeCuts : numberCuts;
    const nearness = data.areDegrees ? (x: number, y: number) => -Math.abs(x - y) : ratioOf;
    const compare = (a: number, b: number): number => {
      const found = nearness(set.numbers[a], set.numbers[b]);
      // What is no number, such as "6k6.14" or "unknown", contradicts none.
      return Number.isNaN(found) ? missing : levelOf(found, cuts);
    };
    return { ...withEqual(cuts.length + 1, set, rareNumber, compare), ...numberScale };
  }
  const read = textReader(set.texts);
  if (kind === "category") {
    const compare = (a: number, b: number): number =>
      addsWords(a, b) ||
      (Math.min(set.counts[a], set.counts[b]) <= mostSlips(set.filled) && isSlip(read(a), read(b)))
        ? 1
        : 0;
    return { ...withEqual(2, set, categoryCuts, compare), differs: 1, agrees: 2 };
  }
  const edits = new EditSimilarity(set.texts);
  const isMisshapen = misshapen(set);
  const ofTexts = (a: number, b: number): number => {
    if (kind === "code" && addsWords(a, b)) return codeCuts.length;
    if (isMisshapen(a, b) && isSlip(read(a), read(b))) return codeCuts.length;
    return areFar(set, edits, a, b) ? 0 : codeLevel(read(a), read(b), field.siblings ?? []);
  };
  if (kind !== "date") return { ...withEqual(codeCuts.length + 1, set, rareCuts, ofTexts), ...codeScale };
  // A value that cannot be read as a date may have one sign too many ("1982-06-231") or lack the day.
  const otherwise = (a: number, b: number): number => {
    const level = ofTexts(a, b);
    const [x, y] = [read(a), read(b)];
    const isNear = level === codeCuts.length || isSlip(digitsOf(x), digitsOf(y)) || isPartOf(x, y);
    return isNear ? dateScale.differs : Math.min(level, 1);
  };
  const compare = dateComparison(set, edits, otherwise);
  return { ...withEqual(dateLevels, set, rareCuts, compare), ...dateScale };
}

/** Most codes of a column have one shape, such as four digits. A shape that has no more than this share of them is no other kind. */
const [usualShape, oddShape] = [0.5, 0.03];
/** Addresses and texts have more: their shapes tell nothing, and would all be kept. */
const mostShapes = 10_000;

/** Returns a function: whether one of two codes has the shape of the column and the other a rare one, as "2002" and "20h02" do. */
function misshapen({ texts, counts, filled }: ValueSet): (a: number, b: number) => boolean {
  const numbers = new Map<string, number>();
  const shapeOf = new Uint32Array(counts.length);
  const rows: number[] = [];
  let value = 0;
  for (const text of eachText(texts)) {
    const shape = text.replace(/\p{L}/gu, "a").replace(/\d/g, "9");
    const number = numbers.get(shape) ?? numbers.size;
    numbers.set(shape, number);
    if (numbers.size > mostShapes) return () => false;
    rows[number] = (rows[number] ?? 0) + counts[value];
    shapeOf[value++] = number;
  }
  return (a, b) => {
    const [most, least] = [usualShape * filled, oddShape * filled];
    const [own, other] = [rows[shapeOf[a]], rows[shapeOf[b]]];
    return Math.max(own, other) >= most && Math.min(own, other) <= least;
  };
}

const zero = 0x30;

/** Whether two codes have the lowest level, as most have: without reading them. */
function areFar(
  { texts: { starts, items } }: ValueSet,
  edits: EditSimilarity,
  a: number,
  b: number,
): boolean {
  if (items[starts[a]] === zero || items[starts[b]] === zero) return false;
  return (edits.of(a, b) ?? 1) < codeCuts[0];
}

/** Whether one of two values only adds words to the other, as "Rev A" to "A" and "No. 12" to "12": not a number or a single letter. */
function addedWords({ words: { starts, items } }: ValueSet, words: VocabularyWords) {
  return (a: number, b: number): boolean => {
    if (starts[a + 1] - starts[a] === starts[b + 1] - starts[b]) return false;
    const [own, others] = [a, b].map((value) => items.subarray(starts[value], starts[value + 1]));
    const [few, many] = own.length < others.length ? [own, others] : [others, own];
    const isAdded = (word: number): boolean =>
      words.read(word).length > 1 && !hasDigit(words.read(word)) && !few.includes(word);
    if (few.some((word) => !many.includes(word))) return false;
    return many.every((word) => few.includes(word) || isAdded(word));
  };
}

/** Of so many filled cells a misspelt value is in no more than these. */
export const mostSlips = (filled: number): number => 2 * Math.max(1, filled / 3000);

/** Whether two words differ by one letter, or by two that have changed places. */
export function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 3) return false;
  const edits = distance(a, b);
  return edits <= 1 || (edits === 2 && haveSameLetters(a, b));
}

export const haveSameLetters = (a: string, b: string): boolean =>
  a.length === b.length && [...a].sort().join("") === [...b].sort().join("");

/** Levels of unequal values first, then equal values by rarity. */
export function withEqual(
  unequal: number,
  { counts, filled }: ValueSet,
  cuts: readonly number[],
  compare: (a: number, b: number) => number,
): Pick<FieldComparison, "levels" | "compare"> {
  const surprise = (value: number): number => -Math.log(counts[value] / Math.max(1, filled));
  return {
    levels: unequal + cuts.length + 1,
    compare: (a, b) => (a === b ? unequal + levelOf(surprise(a), cuts) : compare(a, b)),
  };
}

/** In shorter codes, one different sign is as likely another code as a slip. */
const shortestOfSlips = 6;
/** Letters of a code that are compared one by one: a pair takes time with the square of their number. */
const mostLetters = 500;

/**
 * By the share of letters that need no edit; leading zeros of digits need none. Of long codes the beginnings are compared, and then
 * the lengths. Siblings differ.
 */
function codeLevel(a: string, b: string, siblings: SiblingPlaces): number {
  if (bareDigits(a) === bareDigits(b)) return codeCuts.length;
  // A refund is not a slip of a payment.
  if (a.startsWith("-") !== b.startsWith("-")) return 0;
  const [x, y] = [a.slice(0, mostLetters), b.slice(0, mostLetters)];
  const ofLengths = Math.min(a.length, b.length) / Math.max(a.length, b.length);
  if (areSiblings(a, b, siblings)) return codeCuts.length - 1;
  if (x === a && y === b && x.length >= shortestOfSlips && isSlip(x, y)) return codeCuts.length;
  return levelOf(Math.min(ofLengths, 1 - distance(x, y) / Math.max(x.length, y.length)), codeCuts);
}

/** How large the smaller of two numbers is as a share of the larger; NaN where one is no number. */
export function ratioOf(a: number, b: number): number {
  const largest = Math.max(Math.abs(a), Math.abs(b));
  return largest === 0 ? 1 : 1 - Math.abs(a - b) / largest;
}

/**
 * Unequal dates, from far apart: a year or half of the digits in common; a month; two digits differ; one slip, exchanged
 * parts or one part that differs; three days.
 */
const dateLevels = 6;
const dateScale = { differs: 4, agrees: dateLevels };

/** Whether one of two dates is the beginning of the other, which "1982 6" is of "19820623". */
function isPartOf(a: string, b: string): boolean {
  const [whole, part] = /^\d{8}$/.test(a) ? [a, b] : [b, a];
  const numbers = part.match(/\d+/g) ?? [];
  const written = numbers.map((number) => number.padStart(2, "0")).join("");
  return numbers.length < 3 && written.length >= 4 && /^\d{8}$/.test(whole) && whole.startsWith(written);
}

/** Compares two dates. @param otherwise compares values of which one is not as long as a date: a slip may have a letter */
function dateComparison(
  { numbers, texts: { starts, items } }: ValueSet,
  similarity: EditSimilarity,
  otherwise: (a: number, b: number) => number,
) {
  const dayNumbers = numbers.map((date) => dayOf(date));
  /** Whether two characters at one place are those at another. */
  const isSame = (x: number, y: number): boolean => items[x] === items[y] && items[x + 1] === items[y + 1];
  const haveTwoParts = (x: number, y: number): boolean => {
    const [isMonth, isDay] = [isSame(x + 4, y + 4), isSame(x + 6, y + 6)];
    if (!isSame(x, y) || !isSame(x + 2, y + 2)) return isMonth && isDay;
    return isMonth || isDay || (isSame(x + 4, y + 6) && isSame(x + 6, y + 4));
  };
  return (a: number, b: number): number => {
    const [x, y] = [starts[a], starts[b]];
    if (starts[a + 1] - x !== 8 || starts[b + 1] - y !== 8) return otherwise(a, b);
    const days = Math.abs(dayNumbers[a] - dayNumbers[b]);
    if (days <= 3) return 5;
    const edits = Math.round(8 * (1 - similarity.of(a, b)!));
    if (edits === 1 || haveTwoParts(x, y)) return 4;
    if (edits === 2) return 3;
    if (days <= 31) return 2;
    return days <= 366 || edits <= 4 ? 1 : 0;
  };
}

/** Rarity from which a word without a partner counts. */
const leastUnmatched = 0.2;
/** Of so many words a name is short: "Anna Keller", "Linden Foods Ltd". */
const mostOfShort = 3;

/** A first look: below it, texts do not have the same words. */
const leastCosine = 0.5;

/** Whether two values have the same words in any order, as "Ann Scott" and "Scott, Ann (II)": brackets that one lacks are passed over. */
function sameMainWords({ words: { starts, items }, mainWords }: ValueSet, a: number, b: number): boolean {
  const count = mainWords[a];
  const hasBrackets = (value: number): boolean => mainWords[value] < starts[value + 1] - starts[value];
  if (count !== mainWords[b] || (hasBrackets(a) && hasBrackets(b))) return false;
  const others = items.subarray(starts[b], starts[b] + count);
  const own = items.subarray(starts[a], starts[a] + count);
  return own.every((word) => others.includes(word)) && others.every((word) => own.includes(word));
}

function textComparison(
  { kind, set }: Field,
  { words, grams = gramSets(set.texts, set.counts), vectors, areNumbered = false }: TextData,
): FieldComparison {
  const edits = new EditSimilarity(set.texts);
  const cosineOfGrams = gramCosine(grams);
  const rarity = areNumbered ? withoutNumbers(set.rarity, words) : set.rarity;
  const overlap = overlapComparison({ words, rarity });
  const byEdits = kind !== "long" && kind !== "list";
  let last = 0;
  const { starts, items } = set.words;
  const wordsOf = (value: number): number => starts[value + 1] - starts[value];
  /** Whether a value is one word of the initials of the other: "IBM" does not differ from "International Business Machines". */
  const areInitials = (a: number, b: number): boolean =>
    wordsOf(a) === 1 &&
    wordsOf(b) > 1 &&
    words.beginAlike(items[starts[a]], items[starts[b]]) &&
    words.initialsEnd(items[starts[a]], starts[b], starts[b + 1], (place) => items[place]) >= 0;
  /** Whether one is the first letter of the other, a single word: "F." does not differ from "Felix". */
  const isFirstLetter = (a: number, b: number): boolean => {
    const [letter, word] = [a, b].map((value) => words.read(items[starts[value]]));
    return wordsOf(a) === 1 && wordsOf(b) === 1 && letter.length === 1 && word.startsWith(letter);
  };
  const isInitial = (a: number, b: number): boolean => areInitials(a, b) || isFirstLetter(a, b);
  /** Short names of several words that each have one of their own differ; no text agrees that has a word more. */
  const mostAlike = (a: number, b: number, unmatched: number, hasSurplus: boolean): number => {
    const isShort = Math.min(wordsOf(a), wordsOf(b)) > 1 && Math.max(wordsOf(a), wordsOf(b)) <= mostOfShort;
    if (isShort && unmatched > leastUnmatched) return textScale.differs - 1;
    return hasSurplus ? textScale.agrees - 1 : textCuts.length;
  };
  const compare = (a: number, b: number): number => {
    const { cosine, unmatched, hasSurplus } = overlap(set.words, a, set.words, b);
    last = unmatched;
    if (cosine > leastCosine && sameMainWords(set, a, b))
      return textCuts.length + 1 + levelOf(-Math.log((set.counts[a] + set.counts[b]) / set.filled), rareCuts);
    const letters = cosineOfGrams(a, b);
    const edited = byEdits ? edits.of(a, b) : undefined;
    let whole = edited ?? 0;
    if (vectors !== undefined)
      whole = Math.max(whole, dotRows(vectors.data, a, vectors.data, b, vectors.dimension));
    else if (edited === undefined) whole = (2 * cosine + letters) / 3;
    // A single word either has a partner or not: its letters say more.
    const covered = edited !== undefined && edits.areSingle ? Math.max(cosine, edited) : cosine;
    const penalty = Math.min(1, Math.max(0, unmatched - leastUnmatched));
    const found = levelOf(0.5 * covered + 0.25 * letters + 0.25 * whole - 0.25 * penalty, textCuts);
    const level = Math.min(found, mostAlike(a, b, unmatched, hasSurplus));
    return level < textScale.differs && (isInitial(a, b) || isInitial(b, a)) ? textScale.differs : level;
  };
  const levels = withEqual(textCuts.length + 1, set, rareCuts, compare);
  return { ...levels, ...textScale, unmatched: () => last };
}

/**
 * The numbers in texts: digits, or one letter between what is no letter (not the O of O'Brien), as in "Flat C, 31 Mill Lane" and
 * "31C Mill Lane". Things of one family differ in them, and their words are the same.
 */
const tokens = /\d+|(?<!\p{L})\p{L}(?![\p{L}'’])/gu;

/** A number, or a single letter as in "Apt C". Chinese and Japanese signs are excluded, since each of them is a word. */
const isNumber = /^(?:\d+[\p{Script=Latin}\p{Script=Cyrillic}]?|[\p{Script=Latin}\p{Script=Cyrillic}])$/u;

/** The weights of words, with 0 for numbers: the number of a house says nothing about its street. */
const withoutNumbers = (rarity: Float32Array, words: VocabularyWords): Float32Array =>
  rarity.map((weight, word) => (weight > 0 && isNumber.test(words.read(word)) ? 0 : weight));

/** Share of filled cells with a number from which a column has numbers. */
const leastShare = 0.15;

export function hasNumbers({ texts, counts, filled }: ValueSet): boolean {
  let [having, value] = [0, 0];
  for (const text of eachText(texts)) {
    having += text.search(tokens) < 0 ? 0 : counts[value];
    value++;
  }
  return having >= leastShare * Math.max(1, filled);
}

/** No number in common; each lacks one of the other's; one lacks what the other has; slips; the same numbers. */
const level = { different: 0, conflict: 1, oneSided: 2, near: 3, equal: 4 } as const;

/** Compares the numbers of two texts; -1 where one of them has none. */
export function numbersComparison({ texts }: ValueSet): FieldComparison {
  const { starts, items, written } = numberLists(texts);
  const isSlip = (a: number, b: number): boolean => {
    const [x, y] = [written[a], written[b]];
    if (Math.min(x.length, y.length) < 3) return false;
    if (x.length === y.length) return distance(x, y) === 2 && haveSameLetters(x, y);
    return Math.max(x.length, y.length) >= 4 && distance(x, y) === 1;
  };
  return {
    ...{ levels: 5, differs: level.oneSided, agrees: level.near },
    compare: (a, b) => {
      const [ofA, ofB] = [starts[a + 1] - starts[a], starts[b + 1] - starts[b]];
      if (ofA === 0 || ofB === 0) return -1;
      const [first, other] = [items[starts[a]], items[starts[b]]];
      if (ofA + ofB === 2)
        return first === other ? level.equal : isSlip(first, other) ? level.near : level.different;
      const [own, others] = [a, b].map((value) => [...items.subarray(starts[value], starts[value + 1])]);
      /** Takes from both sides what has a partner. */
      const withoutPartners = (left: number[], isPartner: (a: number, b: number) => boolean): number[] =>
        left.filter((token) => {
          const at = others.findIndex((other) => isPartner(token, other));
          if (at >= 0) others.splice(at, 1);
          return at < 0;
        });
      const unequal = withoutPartners(own, (x, y) => x === y);
      if (unequal.length + others.length === 0) return level.equal;
      const open = withoutPartners(unequal, isSlip);
      if (open.length + others.length === 0) return level.near;
      if (open.length === own.length) return level.different;
      return open.length === 0 || others.length === 0 ? level.oneSided : level.conflict;
    },
  };
}

/** The numbers of each text, by number of what is written. */
function numberLists(texts: ValueSet["texts"]) {
  const lists = new ListsBuilder();
  const numbers = new Map<string, number>();
  for (const text of eachText(texts)) {
    const own = Array.from(text.matchAll(tokens), ([token]) => {
      const written = token.replace(/^0+(?=\d)/, "");
      const known = numbers.get(written) ?? numbers.size;
      numbers.set(written, known);
      return known;
    });
    lists.push(own);
  }
  return { ...lists.finish(), written: [...numbers.keys()] };
}
