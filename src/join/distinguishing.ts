/**
 * Words that tell things apart in this table, for where it is compared with itself and nobody says what a word means:
 *
 * - Several pairs differ in nothing but the same two words ("football" and "baseball"): the table means different
 *   things by them. After the negative rules of AutoFJ (Li et al. 2021), which learns them from a table without
 *   duplicates; here a difference must recur.
 * - Two words are alike, but either stands in several rows ("methyl" and "ethyl"): two words, not one misspelt.
 * - A word has no counterpart in the other phrase ("Ladies'", "II", "Jr."): an addition tells apart, on one side as on
 *   both, unless people write it or leave it out at will. That is so of function words and legal forms, and of the
 *   word for what all these things are, which many rows have at an end ("season", "magazine", "F.C."). In parentheses
 *   an addition may be a mere remark.
 */
import type { Links } from "./linkage.js";
import { numberValue } from "./phrase.js";
import type { WeighedPhrase } from "./views.js";
import { alignWords } from "./words.js";

/** The share of their similarity that two phrases keep: 1 where no word tells them apart. */
export type Distinguisher = (a: WeighedPhrase, b: WeighedPhrase) => number;

/** What remains where words tell things apart: as much as where numbers do. */
const APART = 0.5;
/** What remains where the word is in parentheses, and may be a remark. */
const PERHAPS_APART = 0.75;
/** Pairs that must differ by the same two words, and rows that must have a word for it to be no misspelling. */
const RECURRING = 3;
/** Only pairs that look alike otherwise are evidence. */
const ALIKE = 0.6;
/** A word on so large a share of the rows, at an end of the phrase, says what all of them are. */
const KIND_SHARE = 0.1;

/** Words that are written or left out at will: articles, prepositions, conjunctions, legal forms. */
const optional = new Set(
  (
    "the a an of and in at on for to by from with de la le les du des el los las del da do di et y e und der die das " +
    "inc incorporated ltd limited co company corp corporation llc llp lp plc gmbh ag kg sa sas sarl srl spa nv bv ab " +
    "as oy oyj pty pvt pte"
  ).split(" "),
);

/** Learns the words from the table's phrases, and from pairs of them that look alike. */
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
  /** The only two words that correspond without being equal, where one is no beginning or shortening of the other. */
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

/** True where a word is the other with a letter or two more, such as a plural. */
function isEnding(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return long.startsWith(short) && long.length <= short.length + 2;
}

/** The two words by which phrases differ where one on either side is all, parentheses apart. */
function swapped({ left, right }: WordDifference): string | undefined {
  const [x, y] = [left, right].map((added) => added.filter(({ isAside }) => !isAside));
  return x.length === 1 && y.length === 1 ? [x[0].word, y[0].word].sort().join(" | ") : undefined;
}

/** An article stands before a word: "Pepsin A" ends in a letter. */
function isOptional({ word, isLast }: AddedWord): boolean {
  return optional.has(word) && !(word.length === 1 && isLast);
}

/** "2", "II" or "B": an order among things of one name, however many rows have it. */
function isOrder({ word, isAside }: AddedWord): boolean {
  return !isAside && (word.length === 1 || numberValue(word) !== undefined);
}
