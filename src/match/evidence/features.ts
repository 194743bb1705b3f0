/** The features of a pair of phrases: evidence for or against the same meaning, as inputs of the scorer. */
import { distance } from "fastest-levenshtein";
import { type TermStatistics, wordHash } from "../candidates/grams.js";
import { areOpposed, commonPrefix, jaroWinkler } from "../spelling/soft-words.js";
import { alignWords, haveSameLetters, isYear, type JoinPhrase, readJoinPhrase } from "./phrase.js";

/** The features in the order of the scorer's inputs, each from 0 to 1. */
export const featureNames = [
  "embedding", // cosine of the vectors, 0 where negative or without a model
  "grams", // cosine of 3-grams, words and initials weighed by how rare they are in the two tables
  "words", // weight of equal words / weight of all words
  "leftCovered", // weight of the left words with a counterpart on the right / weight of all left words
  "rightCovered", // the same for the right words
  "bothDiffer", // the smaller of the two weights without a counterpart
  "leftRarest", // weight of the rarest left word without a counterpart
  "rightRarest",
  "edits", // 1 - edits / length, letters and digits only
  "jaroWinkler", // of the folded texts
  "beginning", // length of the common prefix / length of the shorter
  "sameLetters", // 1 if letters and digits are equal
  "sameOutsideParentheses", // 1 if they are equal only outside parentheses
  "mainEdits", // the same as edits, outside parentheses
  "mainLeftCovered", // the same as leftCovered, outside parentheses
  "mainRightCovered",
  "parenthesesDiffer", // 1 if both have parentheses, without a common word
  "parenthesesOneSided",
  "lengths", // shorter / longer
  "numbersConflict", // 1 if each has a number that the other lacks, or they say opposites ("Jr" and "Sr")
  "yearsConflict",
  "numbersOneSided", // 1 if only one has a number that the other lacks
  "numbersAgree", // 1 if both have the same numbers, at least one
  "shortened", // 1 if a word is an abbreviation or the initials of its counterpart
  "firstWord", // how well the first word matches its counterpart
  "sameWords", // 1 if the words are equal in any order
  "typesDiffer", // 1 - agreement of the entity types, 0 without a type head
] as const;

export type FeatureName = (typeof featureNames)[number];

/** A phrase with the weights of its words in the two tables. */
export interface WeighedPhrase extends JoinPhrase {
  /** Per word: 0 (in every row) to 1 (in one row only). */
  readonly weights: Float64Array;
  readonly totalWeight: number;
}

/** Parses a phrase and weights its words by their rarity in the two tables. */
export function weighPhrase(text: string, statistics: TermStatistics): WeighedPhrase {
  const phrase = readJoinPhrase(text);
  const weights = Float64Array.from(phrase.words, (word) => wordWeight(word, statistics));
  return { ...phrase, weights, totalWeight: weights.reduce((sum, weight) => sum + weight, 0) };
}

function wordWeight(word: string, { documents, buckets, rows }: TermStatistics): number {
  const count = Math.max(1, documents[wordHash(word) & (buckets - 1)]);
  return (Math.log(1 + rows / count) - Math.LN2) / (Math.log(1 + rows) - Math.LN2) + 0.02;
}

/** Similarities of whole phrases, each from 0 to 1. */
export interface PairCosines {
  readonly embedding: number;
  readonly grams: number;
  /** Agreement of the entity types; undefined without a type head. */
  readonly types?: number;
}

export function pairFeatures(
  left: WeighedPhrase,
  right: WeighedPhrase,
  cosines: PairCosines,
  out: Float64Array,
): void {
  const { left: metLeft, right: metRight, shortened } = alignWords(left.words, right.words);
  const sideLeft = covered(left, metLeft);
  const sideRight = covered(right, metRight);
  const longest = Math.max(left.compact.length, right.compact.length, 1);
  const shortest = Math.min(left.compact.length, right.compact.length);
  const same = left.compact !== "" && haveSameLetters(left, right);
  const numbers = compareNumbers(left.numbers, right.numbers);
  const [asideLeft, asideRight] = [left.aside.includes(true), right.aside.includes(true)];
  const asideShared = left.words.some((_, index) => left.aside[index] && metLeft[index] > 0);
  const sameMain = left.main + left.rest.compact === right.main + right.rest.compact;
  const mainLongest = Math.max(left.main.length, right.main.length, 1);
  let at = 0;
  out[at++] = Math.max(0, cosines.embedding);
  out[at++] = cosines.grams;
  out[at++] = (sideLeft.equal + sideRight.equal) / Math.max(left.totalWeight + right.totalWeight, 1e-9);
  out[at++] = sideLeft.met / Math.max(left.totalWeight, 1e-9);
  out[at++] = sideRight.met / Math.max(right.totalWeight, 1e-9);
  out[at++] = Math.min(left.totalWeight - sideLeft.met, right.totalWeight - sideRight.met, 1);
  out[at++] = sideLeft.rarest;
  out[at++] = sideRight.rarest;
  out[at++] = same ? 1 : 1 - distance(left.compact, right.compact) / longest;
  out[at++] = left.folded === "" ? 0 : jaroWinkler(left.folded, right.folded);
  out[at++] = commonPrefix(left.compact, right.compact) / Math.max(shortest, 1);
  out[at++] = same ? 1 : 0;
  out[at++] = !same && sameMain && left.main !== "" ? 1 : 0;
  out[at++] = left.main === right.main ? 1 : 1 - distance(left.main, right.main) / mainLongest;
  out[at++] = sideLeft.mainMet;
  out[at++] = sideRight.mainMet;
  out[at++] = asideLeft && asideRight && !asideShared ? 1 : 0;
  out[at++] = asideLeft !== asideRight ? 1 : 0;
  out[at++] = shortest / longest;
  out[at++] = areOpposed(left.sides, right.sides) ? 1 : numbers.conflict;
  out[at++] = numbers.yearsConflict;
  out[at++] = numbers.oneSided;
  out[at++] = numbers.agree;
  out[at++] = Math.min(shortened, 1);
  out[at++] = Math.max(metLeft[0] ?? 0, metRight[0] ?? 0);
  out[at++] = metLeft.every((met) => met === 1) && metRight.every((met) => met === 1) ? 1 : 0;
  out[at++] = cosines.types === undefined ? 0 : 1 - cosines.types;
}

/** How much of a phrase has a counterpart: weights of its words, and the rarest word without one. */
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
