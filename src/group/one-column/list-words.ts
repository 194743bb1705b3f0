/** What the words of a list tell about its rows: which were only written anew, and whether equal ones may be different things. */
import { distance } from "fastest-levenshtein";
import { cellWords, hasDigit } from "../../match/cells/cell-words.js";
import { remembering } from "../../match/once.js";

/** Edits by which a word may be misspelt: one letter, or two that have changed places. */
const mostEdits = 2;
/** A shorter beginning of a word is no abbreviation. */
const leastLetters = 3;
/** "tab" stands for "tablets", but "harbor" not for "harbora": an abbreviation has at most this share of the letters. */
const mostOfWord = 0.5;
/** A word that is in several texts is misspelt if this share of its counterpart's texts, at most, has it. */
const RARELY = 0.02;
/** The share of the words with the same beginning that are the one it stands for. */
const LARGELY = 0.9;

/** The words of a text, numbers and letters apart: "50mg" is "50 mg". */
const partsOf = (text: string): string[] => [
  ...new Set(cellWords(text).flatMap((word) => word.split(/(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/u))),
];

/** The word that each abbreviation in a list stands for: nearly all words that begin with it are this one, rightly spelt. */
function abbreviated(counts: ReadonlyMap<string, number>): Map<string, string> {
  const wholesOf = new Map<string, string[]>();
  for (const word of counts.keys())
    for (let length = leastLetters; length <= mostOfWord * word.length; length++) {
      const start = word.slice(0, length);
      if (!counts.has(start) || hasDigit(start)) continue;
      const wholes = wholesOf.get(start);
      if (wholes === undefined) wholesOf.set(start, [word]);
      else wholes.push(word);
    }
  const wholeOf = new Map<string, string>();
  for (const [start, wholes] of wholesOf) {
    const count = (word: string): number => counts.get(word) ?? 0;
    const [most] = wholes.sort((a, b) => count(b) - count(a));
    const all = wholes.reduce((sum, word) => sum + count(word), 0);
    if (count(most) >= LARGELY * all) wholeOf.set(start, most);
  }
  return wholeOf;
}

/** Texts in which a word is surely no slip. */
const RECURRING = 3;

/** How two texts of a list, by their places, were written. */
export interface Rewritings {
  /**
   * Whether they are the same words in any order, where words may be abbreviated and one may be misspelt: the misspelt one is in
   * no other text, or in few beside the right one. What tells things apart in a list, such as a year, a place or a legal form,
   * recurs in it; a slip seldom does.
   */
  isRewritten(a: number, b: number): boolean;
  /**
   * The same where the words are in one order, the right spelling of a misspelt one recurs, as the word does that is abbreviated,
   * and the first letters are right: "Montoku" and "Antoku", each in one text, or "Parma" and "Tarma" are two names.
   */
  isSlip(a: number, b: number): boolean;
}

/** Whether a letter is wrong, missing or too many, or two have changed places; not the first one. */
function isOneSlip([a, b]: readonly [string, string]): boolean {
  if (a[0] !== b[0]) return false;
  if (distance(a, b) === 1) return true;
  const at = [...a].findIndex((letter, place) => letter !== b[place]);
  return a.length === b.length && b === a.slice(0, at) + a[at + 1] + a[at] + a.slice(at + 2);
}

/** Reads the words of a list. */
export function rewritings(texts: readonly string[]): Rewritings {
  const counts = new Map<string, number>();
  for (const text of new Set(texts))
    for (const word of partsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const count = (word: string): number => counts.get(word) ?? 0;
  const areSlips = (words: readonly string[], others: readonly string[]): boolean =>
    words.every((word) => count(word) === 1 || others.every((other) => count(word) <= RARELY * count(other)));
  const wholeOf = abbreviated(counts);
  const isIn = (words: readonly string[], word: string): boolean =>
    words.some((other) => other === word || wholeOf.get(other) === word || wholeOf.get(word) === other);
  const partsOfText = remembering((text: number) => partsOf(texts[text]));
  const isRewritten = (a: number, b: number): boolean => {
    const [own, others] = [partsOfText(a), partsOfText(b)];
    const ofOwn = own.filter((word) => !isIn(others, word));
    const ofOthers = others.filter((word) => !isIn(own, word));
    if (ofOwn.length + ofOthers.length === 0) return true;
    if (ofOwn.length === own.length || [...ofOwn, ...ofOthers].some(hasDigit)) return false;
    if (!areSlips(ofOwn, ofOthers) && !areSlips(ofOthers, ofOwn)) return false;
    return distance(ofOwn.join(""), ofOthers.join("")) <= mostEdits;
  };
  const isSlip = (a: number, b: number): boolean => {
    const [own, others] = [partsOfText(a), partsOfText(b)];
    if (own.length !== others.length) return false;
    const pairs = own
      .map((word, at) => [word, others[at]] as const)
      .filter(([word, other]) => word !== other);
    const slips = pairs.filter(([word, other]) => !isIn([other], word));
    const recur = pairs.every((words) => words.some((word) => count(word) >= RECURRING));
    return recur && slips.length < 2 && slips.every(isOneSlip) && isRewritten(a, b);
  };
  return { isRewritten, isSlip };
}

/** The words of a text, alike for texts that are equal but for case, accents and punctuation. */
export const wordsIn = (text: string): string => cellWords(text).join(" ");

/** Pairs of equal texts, and how many of them chance would make. */
export interface EqualTexts {
  readonly pairs: number;
  readonly byChance: number;
}

/**
 * Counts the pairs of equal texts, and those that chance would make if the texts of as many words were put together from words
 * drawn place by place: two persons who are called James Brown. Words are drawn as often as different texts have them, since a
 * repeated row would otherwise repeat its words.
 */
export function equalTexts(texts: readonly string[]): EqualTexts {
  const rowsOf = new Map<string, number>();
  for (const text of texts) {
    const words = wordsIn(text);
    if (words !== "") rowsOf.set(words, (rowsOf.get(words) ?? 0) + 1);
  }
  const byLength = new Map<number, { rows: number; readonly texts: string[][] }>();
  let pairs = 0;
  for (const [text, rows] of rowsOf) {
    pairs += pairsAmong(rows);
    const words = text.split(" ");
    const same = byLength.get(words.length) ?? { rows: 0, texts: [] };
    same.rows += rows;
    same.texts.push(words);
    byLength.set(words.length, same);
  }
  let byChance = 0;
  for (const [length, { rows, texts: different }] of byLength) {
    if (length === 1 || different.length === 1) continue;
    const agree = Array.from({ length }, (_, place) => {
      const counts = new Map<string, number>();
      for (const words of different) counts.set(words[place], (counts.get(words[place]) ?? 0) + 1);
      return (
        [...counts.values()].reduce((sum, count) => sum + pairsAmong(count), 0) / pairsAmong(different.length)
      );
    });
    byChance += agree.reduce((product, share) => product * share, pairsAmong(rows));
  }
  return { pairs, byChance };
}

const pairsAmong = (count: number): number => (count * (count - 1)) / 2;
