/**
 * Learns from a table which words distinguish its things, without labels:
 *
 * - Several pairs differ only in the same two words ("football" and "baseball"): the words mean different things. This
 *   follows the negative rules of AutoFJ (Li et al. 2021), which are learned from a table without duplicates; here a
 *   difference must recur.
 * - Two words are similar, but each occurs in several rows ("methyl" and "ethyl"): neither is a misspelling.
 * - A word has no counterpart in the other phrase ("Ladies'", "II", "Jr."): it distinguishes, unless it is optional.
 *   Optional are function words, legal forms, and the word for the kind of thing that many rows have at an end
 *   ("season", "magazine", "F.C."). In parentheses the word may be only a remark, and one word more among many tells
 *   nothing.
 * - Texts of several parts with commas share some of them with many others ("Department of Physics", "USA"): where another
 *   part is rarer, these say where a thing is, or which part of it is meant.
 */
import { TextCounts } from "../match/columns/texts.js";
import type { WeighedPhrase } from "../match/evidence/features.js";
import { alignWords, numberValue, splitFolded } from "../match/evidence/phrase.js";
import { functionWords, legalForms } from "../match/spelling/soft-words.js";
import type { Links } from "./links.js";

/** The factor for distinguishing words, the same as for different numbers. */
const APART = 0.5;
/** The factor for a word in parentheses, which may be a remark. */
const PERHAPS_APART = 0.75;
/** Minimum pairs that differ in the same two words, and minimum rows with a word that is no misspelling or names a kind. */
const RECURRING = 3;
/** Only pairs of at least this similarity are evidence. */
const ALIKE = 0.6;
/** A word in at least this share of the rows, at an end of the phrase, names the kind of thing. */
const KIND_SHARE = 0.1;
/** In a text of this many words for each that is added, they tell nothing apart: a description, not a name. */
const WORDS_FOR_ONE = 10;

/** The phrases of a table. */
export interface LearnedFrom {
  /** The folded texts, in any order. */
  readonly texts: Iterable<string>;
  phraseOf(row: number): WeighedPhrase;
  /** Called for every link; a promise is waited for. */
  pause?(): Promise<void> | undefined;
}

/**
 * Learns from the phrases of a table and from its similar pairs.
 * @returns a function that gives the factor for the similarity of two phrases: 1 if no word distinguishes them
 */
export async function learnDistinguishing({ texts, phraseOf, pause }: LearnedFrom, links: Links) {
  let rows = 0;
  const [counts, partCounts] = [new TextCounts(), new TextCounts()];
  for (const text of texts) {
    rows++;
    for (const word of new Set(splitFolded(text))) counts.add(word);
    for (const part of new Set(partsOf(text))) partCounts.add(part);
  }
  const rowsWith = counts.frequent(RECURRING);
  const sharedParts = partCounts.frequent(RECURRING);
  const recurs = (word: string): boolean => rowsWith.has(word);
  const isKind = (word: string): boolean => (rowsWith.get(word) ?? 0) >= KIND_SHARE * rows;
  const { left, right, scores } = links;
  const swaps = new TextCounts();
  for (let link = 0; link < scores.length; link++) {
    const waiting = pause?.();
    if (waiting !== undefined) await waiting;
    if (scores[link] < ALIKE) continue;
    const { swapped } = compareWords(phraseOf(left[link]), phraseOf(right[link]));
    if (swapped !== undefined) swaps.add(swapped);
  }
  const recurringSwaps = swaps.frequent(RECURRING);
  return (a: WeighedPhrase, b: WeighedPhrase): number => {
    const { added, alike, common, swapped } = compareWords(a, b);
    if (swapped !== undefined && recurringSwaps.has(swapped)) return APART;
    if (alike?.every(recurs)) return APART;
    const rarest = Math.min(...common.map((word) => rowsWith.get(word) ?? 1));
    const distinguishing = added.filter(({ word, part, isAside, isFirst, isLast }) => {
      // Not an article at the end: "Pepsin A" ends in a letter.
      if ((functionWords.has(word) || legalForms.has(word)) && !(word.length === 1 && isLast)) return false;
      // "2", "II" or "B" numbers things of one name, no matter how many rows have it.
      const isOrder = !isAside && (word.length === 1 || numberValue(word) !== undefined);
      if (!isOrder && sharedParts.has(part) && (rowsWith.get(word) ?? 0) > rarest) return false;
      return isOrder || !isKind(word) || !(isFirst || isLast || isAside);
    });
    if (distinguishing.length * WORDS_FOR_ONE <= Math.max(a.words.length, b.words.length)) return 1;
    return Math.min(1, ...distinguishing.map(({ isAside }) => (isAside ? PERHAPS_APART : APART)));
  };
}

/** How two phrases differ. */
function compareWords(a: WeighedPhrase, b: WeighedPhrase) {
  const met = alignWords(a.words, b.words);
  const [left, right] = [addedWords(a, met.left), addedWords(b, met.right)];
  const [x, y] = [nearlyMet(a, met.left), nearlyMet(b, met.right)];
  const isAlike = met.shortened === 0 && x.length === 1 && y.length === 1 && !isEnding(x[0], y[0]);
  const [outLeft, outRight] = [left, right].map((words) => words.filter(({ isAside }) => !isAside));
  const isSwapped = outLeft.length === 1 && outRight.length === 1;
  const forms = outLeft.length + outRight.length === 0 ? otherForms(a, b) : [];
  return {
    /** Words without a counterpart in the other phrase. */
    added: [...left, ...right],
    /** Words of the first phrase that the other one has. */
    common: a.words.filter((_, index) => met.left[index] === 1),
    /** The only two words that match without being equal, if neither is a prefix or abbreviation of the other. */
    alike: isAlike ? [x[0], y[0]] : undefined,
    /** The two words in which the phrases differ, if they differ in one word each outside parentheses. */
    swapped: isSwapped
      ? [outLeft[0].word, outRight[0].word].sort().join(" | ")
      : forms.sort().join(" | ") || undefined,
  };
}

/** Words without a counterpart, with the part between commas that they are in; first and last of those outside parentheses. */
function addedWords({ folded, words, aside }: WeighedPhrase, met: Float64Array) {
  const [first, last] = [aside.indexOf(false), aside.lastIndexOf(false)];
  const parts = partsOf(folded).flatMap((part) => part.split(" ").map(() => part));
  return words
    .map((word, index) => {
      return {
        word,
        part: parts[index],
        isAside: aside[index],
        isFirst: index === first,
        isLast: index === last,
      };
    })
    .filter((_, index) => met[index] < 0.5);
}

/** The words of each part between commas; of a text without commas nothing. */
function partsOf(folded: string): string[] {
  const parts = folded.split(/[,;]/);
  return parts.length === 1
    ? []
    : parts.map((part) => splitFolded(part).join(" ")).filter((part) => part !== "");
}

/** The legal forms at the ends of two phrases, if they differ: "Co" begins "Corp", and is another. */
function otherForms(a: WeighedPhrase, b: WeighedPhrase): string[] {
  const forms = [a, b].flatMap(({ words }) => words.slice(-1)).filter((word) => legalForms.has(word));
  return forms.length === 2 && forms[0] !== forms[1] ? forms : [];
}

function nearlyMet({ words, aside }: WeighedPhrase, met: Float64Array): string[] {
  return words.filter((_, index) => met[index] >= 0.5 && met[index] < 1 && !aside[index]);
}

/** What inflects words of names: plurals, genitives and cases of Germanic and Romance languages. */
const ending = /^(?:'?s|e[nrs]?|[nri])?$/;

/** Whether one word is the other with an ending, such as a plural. */
function isEnding(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return long.startsWith(short) && ending.test(long.slice(short.length));
}
