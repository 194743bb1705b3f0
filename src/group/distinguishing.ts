/**
 * Learns from a table which words distinguish its things, without labels:
 *
 * - Several pairs differ only in the same two words ("football" and "baseball"): the words mean different things. This
 *   follows the negative rules of AutoFJ (Li et al. 2021), which are learned from a table without duplicates; here a
 *   difference must recur.
 * - Two words are similar, but each occurs in several rows ("methyl" and "ethyl"): neither is a misspelling.
 * - A word has no counterpart in the other phrase ("Ladies'", "II", "Jr."): it distinguishes, unless it is optional.
 *   Optional are function words, legal forms, and the word for the kind of thing that many rows have at an end
 *   ("season", "magazine", "F.C."). In parentheses the word may be only a remark.
 */

import type { WeighedPhrase } from "../match/evidence/features.js";
import { numberValue } from "../match/evidence/phrase.js";
import { alignWords } from "../match/evidence/words.js";
import type { Links } from "./linkage.js";

/** The factor for the similarity of two phrases: 1 if no word distinguishes them. */
export type Distinguisher = (a: WeighedPhrase, b: WeighedPhrase) => number;

/** The factor for distinguishing words, the same as for different numbers. */
const APART = 0.5;
/** The factor for a word in parentheses, which may be a remark. */
const PERHAPS_APART = 0.75;
/** Minimum pairs that differ in the same two words, and minimum rows with a word that is not a misspelling. */
const RECURRING = 3;
/** Only pairs of at least this similarity are evidence. */
const ALIKE = 0.6;
/** A word in at least this share of the rows, at an end of the phrase, names the kind of thing. */
const KIND_SHARE = 0.1;

/** Optional words: articles, prepositions, conjunctions, legal forms. */
const optional = new Set(
  (
    "the a an of and in at on for to by from with de la le les du des el los las del da do di et y e und der die das " +
    "inc incorporated ltd limited co company corp corporation llc llp lp plc gmbh ag kg sa sas sarl srl spa nv bv ab " +
    "as oy oyj pty pvt pte"
  ).split(" "),
);

/** Learns from the phrases of a table and from its similar pairs. */
export function learnDistinguishing(weighed: readonly WeighedPhrase[], links: Links): Distinguisher {
  const rowsWith = countRows(weighed);
  const recurs = (word: string): boolean => (rowsWith.get(word) ?? 0) >= RECURRING;
  const isKind = (word: string): boolean => (rowsWith.get(word) ?? 0) >= KIND_SHARE * weighed.length;
  const counts = new Map<string, number>();
  links.scores.forEach((score, link) => {
    if (score < ALIKE) return;
    const key = swapped(compareWords(weighed[links.left[link]], weighed[links.right[link]]));
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  return (a, b) => {
    const difference = compareWords(a, b);
    const key = swapped(difference);
    if (key !== undefined && (counts.get(key) ?? 0) >= RECURRING) return APART;
    if (difference.alike?.every(recurs)) return APART;
    let kept = 1;
    for (const added of [...difference.left, ...difference.right]) {
      const isKindWord = isKind(added.word) && (added.isFirst || added.isLast || added.isAside);
      const isAtWill = isOptional(added) || (isKindWord && !isOrder(added));
      if (!isAtWill) kept = Math.min(kept, added.isAside ? PERHAPS_APART : APART);
    }
    return kept;
  };
}

function countRows(weighed: readonly WeighedPhrase[]): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { words } of weighed)
    for (const word of new Set(words)) rows.set(word, (rows.get(word) ?? 0) + 1);
  return rows;
}

/** A word without a counterpart in the other phrase. */
interface AddedWord {
  readonly word: string;
  readonly isAside: boolean;
  /** First of what is not in parentheses. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

interface WordDifference {
  readonly left: readonly AddedWord[];
  readonly right: readonly AddedWord[];
  /** The only two words that match without being equal, if neither is a prefix or abbreviation of the other. */
  readonly alike?: readonly [string, string];
}

function compareWords(a: WeighedPhrase, b: WeighedPhrase): WordDifference {
  const met = alignWords(a.words, b.words);
  const [x, y] = [nearlyMet(a, met.left), nearlyMet(b, met.right)];
  const isPair = met.shortened === 0 && x.length === 1 && y.length === 1 && !isEnding(x[0], y[0]);
  return {
    left: addedWords(a, met.left),
    right: addedWords(b, met.right),
    alike: isPair ? [x[0], y[0]] : undefined,
  };
}

function addedWords({ words, aside }: WeighedPhrase, met: Float64Array): AddedWord[] {
  const last = aside.lastIndexOf(false);
  const first = aside.indexOf(false);
  return words.flatMap((word, index) =>
    met[index] < 0.5
      ? [{ word, isAside: aside[index], isFirst: index === first, isLast: index === last }]
      : [],
  );
}

function nearlyMet({ words, aside }: WeighedPhrase, met: Float64Array): string[] {
  return words.filter((_, index) => met[index] >= 0.5 && met[index] < 1 && !aside[index]);
}

/** Whether one word is the other plus one or two letters, such as a plural. */
function isEnding(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return long.startsWith(short) && long.length <= short.length + 2;
}

/** The two words in which the phrases differ, if they differ in one word each outside parentheses. */
function swapped({ left, right }: WordDifference): string | undefined {
  const [x, y] = [left, right].map((added) => added.filter(({ isAside }) => !isAside));
  return x.length === 1 && y.length === 1 ? [x[0].word, y[0].word].sort().join(" | ") : undefined;
}

/** Not an article at the end: "Pepsin A" ends in a letter. */
function isOptional({ word, isLast }: AddedWord): boolean {
  return optional.has(word) && !(word.length === 1 && isLast);
}

/** "2", "II" or "B": it numbers things of one name, no matter how many rows have it. */
function isOrder({ word, isAside }: AddedWord): boolean {
  return !isAside && (word.length === 1 || numberValue(word) !== undefined);
}
