/** Several views of a pair of phrases: what each says about their meaning the same thing, as numbers for the scorer. */
import { distance } from "fastest-levenshtein";
import { type TermStatistics, wordHash } from "./grams.js";
import { isYear, type JoinPhrase, readJoinPhrase } from "./phrase.js";
import { alignWords } from "./words.js";

/** The views, in the order of the scorer's inputs. All lie between 0 and 1. */
export const viewNames = [
  "embedding", // cosine of the vectors, 0 where negative or without a model
  "grams", // cosine of 3-grams, words and initials weighed by how rare they are in the two tables
  "words", // weight of equal words / weight of all words
  "leftCovered", // weight of the left phrase's words that are met in the right one
  "rightCovered", // the other way round
  "bothDiffer", // the lesser of the weights without counterpart on either side
  "leftRarest", // the rarest left word without counterpart, as a share of the rarest possible
  "rightRarest",
  "edits", // 1 - edits / length, letters and digits only
  "jaroWinkler", // of the folded texts
  "beginning", // common beginning / length of the shorter
  "sameLetters", // 1 where letters and digits are equal
  "sameOutsideParentheses", // 1 where they are equal outside parentheses but not in all
  "mainEdits", // edits of the part outside parentheses
  "mainLeftCovered", // weight of the left words outside parentheses that are met
  "mainRightCovered",
  "parenthesesDiffer", // 1 where both have parentheses without a common word
  "parenthesesOneSided",
  "lengths", // shorter / longer
  "numbersConflict", // 1 where each has a number that the other lacks
  "yearsConflict",
  "numbersOneSided", // 1 where only one has a number that the other lacks
  "numbersAgree", // 1 where both have the same numbers, at least one
  "shortened", // 1 where a word corresponds as abbreviation or initials
  "firstWord", // how well the first words are met
  "sameWords", // 1 where the words are equal, whatever their order
  "typesDiffer", // 1 - agreement of what kinds of things they name, 0 where the model tells no types
] as const;

export type ViewName = (typeof viewNames)[number];

/** A phrase with the weights of its words in these two tables. */
export interface WeighedPhrase extends JoinPhrase {
  /** Per word: 0 (in every row) to 1 (in one row only). */
  readonly weights: Float64Array;
  readonly totalWeight: number;
}

/** Reads a phrase and weighs its words by how rare they are in the two tables. */
export function weighPhrase(text: string, statistics: TermStatistics): WeighedPhrase {
  const phrase = readJoinPhrase(text);
  const weights = Float64Array.from(phrase.words, (word) => wordWeight(word, statistics));
  return { ...phrase, weights, totalWeight: weights.reduce((sum, weight) => sum + weight, 0) };
}

function wordWeight(word: string, { documents, buckets, rows }: TermStatistics): number {
  const count = Math.max(1, documents[wordHash(word) & (buckets - 1)]);
  return (Math.log(1 + rows / count) - Math.LN2) / (Math.log(1 + rows) - Math.LN2) + 0.02;
}

/** What is compared by numbers of whole phrases: all from 0 to 1. */
export interface PairCosines {
  readonly embedding: number;
  readonly grams: number;
  /** Agreement of the entity types; undefined where the model tells none, which then speaks neither for nor against. */
  readonly types?: number;
}

/** Writes the views of a pair into `out` from `offset`. */
export function pairViews(
  left: WeighedPhrase,
  right: WeighedPhrase,
  cosines: PairCosines,
  out: Float64Array | Float32Array,
  offset: number,
): void {
  const { left: metLeft, right: metRight, shortened } = alignWords(left.words, right.words);
  const sideLeft = covered(left, metLeft);
  const sideRight = covered(right, metRight);
  const longest = Math.max(left.compact.length, right.compact.length, 1);
  const same = left.compact === right.compact && left.compact !== "";
  const numbers = compareNumbers(left.numbers, right.numbers);
  const [asideLeft, asideRight] = [left.asideCount > 0, right.asideCount > 0];
  const asideShared = left.words.some((_, index) => left.aside[index] && metLeft[index] > 0);
  const mainLongest = Math.max(left.main.length, right.main.length, 1);
  let at = offset;
  out[at++] = Math.max(0, cosines.embedding);
  out[at++] = cosines.grams;
  out[at++] = (sideLeft.equal + sideRight.equal) / Math.max(left.totalWeight + right.totalWeight, 1e-9);
  out[at++] = sideLeft.met / Math.max(left.totalWeight, 1e-9);
  out[at++] = sideRight.met / Math.max(right.totalWeight, 1e-9);
  out[at++] = Math.min(left.totalWeight - sideLeft.met, right.totalWeight - sideRight.met, 1);
  out[at++] = sideLeft.rarest;
  out[at++] = sideRight.rarest;
  out[at++] = same ? 1 : 1 - distance(left.compact, right.compact) / longest;
  out[at++] = jaroWinkler(left.folded, right.folded);
  out[at++] = commonBeginning(left.compact, right.compact);
  out[at++] = same ? 1 : 0;
  out[at++] = !same && left.main === right.main && left.main !== "" ? 1 : 0;
  out[at++] = left.main === right.main ? 1 : 1 - distance(left.main, right.main) / mainLongest;
  out[at++] = sideLeft.mainMet;
  out[at++] = sideRight.mainMet;
  out[at++] = asideLeft && asideRight && !asideShared ? 1 : 0;
  out[at++] = asideLeft !== asideRight ? 1 : 0;
  out[at++] = Math.min(left.compact.length, right.compact.length) / longest;
  out[at++] = numbers.conflict;
  out[at++] = numbers.yearsConflict;
  out[at++] = numbers.oneSided;
  out[at++] = numbers.agree;
  out[at++] = Math.min(shortened, 1);
  out[at++] = Math.max(metLeft[0] ?? 0, metRight[0] ?? 0);
  out[at++] = metLeft.every((met) => met === 1) && metRight.every((met) => met === 1) ? 1 : 0;
  out[at++] = cosines.types === undefined ? 0 : 1 - cosines.types;
}

/** How much of a phrase is met: weights of its words, and the rarest word without counterpart. */
function covered({ words, weights, aside }: WeighedPhrase, met: Float64Array) {
  let [sum, equal, rarest, main, mainMet] = [0, 0, 0, 1e-9, 0];
  for (let index = 0; index < words.length; index++) {
    const weight = weights[index];
    sum += met[index] * weight;
    if (met[index] === 1) equal += weight;
    rarest = Math.max(rarest, (1 - met[index]) * weight);
    if (aside[index]) continue;
    main += weight;
    mainMet += met[index] * weight;
  }
  return { met: sum, equal, rarest: Math.min(rarest, 1), mainMet: mainMet / main };
}

function compareNumbers(left: readonly string[], right: readonly string[]) {
  const onlyLeft = left.filter((value) => !right.includes(value));
  const onlyRight = right.filter((value) => !left.includes(value));
  const conflict = onlyLeft.length > 0 && onlyRight.length > 0;
  return {
    conflict: conflict ? 1 : 0,
    yearsConflict: onlyLeft.some(isYear) && onlyRight.some(isYear) ? 1 : 0,
    oneSided: onlyLeft.length > 0 !== onlyRight.length > 0 ? 1 : 0,
    agree: left.length > 0 && right.length > 0 && onlyLeft.length + onlyRight.length === 0 ? 1 : 0,
  };
}

function commonBeginning(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let same = 0;
  while (same < shorter && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return shorter === 0 ? 0 : same / shorter;
}

/** Jaro-Winkler similarity: letters in common within half the length, and a bonus for a common beginning of 4. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return a === "" ? 0 : 1;
  if (a === "" || b === "") return 0;
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  const taken = new Uint8Array(b.length);
  const matched: number[] = [];
  for (let i = 0; i < a.length; i++) {
    const unit = a.charCodeAt(i);
    const to = Math.min(b.length, i + reach + 1);
    for (let j = Math.max(0, i - reach); j < to; j++) {
      if (taken[j] === 1 || b.charCodeAt(j) !== unit) continue;
      taken[j] = 1;
      matched.push(unit);
      break;
    }
  }
  if (matched.length === 0) return 0;
  let [crossed, at] = [0, 0];
  for (let j = 0; j < b.length; j++) {
    if (taken[j] === 1 && b.charCodeAt(j) !== matched[at++]) crossed++;
  }
  const count = matched.length;
  const jaro = (count / a.length + count / b.length + (count - crossed / 2) / count) / 3;
  let beginning = 0;
  while (beginning < Math.min(4, a.length, b.length) && a[beginning] === b[beginning]) beginning++;
  return jaro + 0.1 * beginning * (1 - jaro);
}
