/**
 * Whether the names of two rows contradict each other: each has a word that is nowhere in the other row, neither written
 * differently nor as a part or the initials of others. Codes and numbers contradict most: rows of one thing seldom have different
 * ones, siblings of one family nearly always.
 */
import type { Field } from "../columns/fields.js";
import { RowStamps } from "../columns/row-stamps.js";
import type { RowWords } from "../columns/row-words.js";
import type { Lists } from "../columns/vocabulary.js";
import { areOpposed, sidesOf } from "../spelling/opposites.js";
import { isShortFor } from "../spelling/soft-words.js";
import type { VocabularyWords } from "../spelling/vocabulary-words.js";

/** From contradiction to none: opposites ("Jr" and "Sr"), codes, rare words, common words, nothing. */
export const opposition = { opposites: 0, codes: 1, rare: 2, common: 3, none: 4 } as const;
export const oppositionLevels = 5;

/** Rarity from which a word distinguishes. */
const rareWord = 0.3;
/** Shorter words are parts of others by chance. */
const shortestPart = 4;

/** Returns a function for a left and a right row with names. */
export function nameOpposition(
  { set, left, right }: Field,
  rows: RowWords,
  words: VocabularyWords,
  stamps = new RowStamps(rows),
) {
  const { isCode } = rows;
  const { starts, items } = set.words;
  /** What words of a name say that the other row lacks, as far as they have opposites. */
  const said = (value: number, stamp: Int32Array, row: number): number[] => {
    const found: number[] = [];
    for (let place = starts[value]; place < starts[value + 1]; place++)
      if (stamp[items[place]] !== row) found.push(...sidesOf(words.read(items[place])));
    return found;
  };
  /** Strongest word of a name that the other row lacks: as an opposition. */
  const lacking = (value: number, stamp: Int32Array, other: Lists, row: number): number => {
    let found: number = opposition.none;
    for (let place = starts[value]; place < starts[value + 1]; place++) {
      const word = items[place];
      if (stamp[word] === row) continue;
      const level =
        isCode[word] === 1
          ? opposition.codes
          : rows.rarity[word] > rareWord
            ? opposition.rare
            : opposition.common;
      if (level < found && !isWithin(word, isCode[word], other, row)) found = level;
    }
    return found;
  };
  const isPart = (part: number, whole: number): boolean =>
    words.contains(whole, part) && words.read(part).length >= shortestPart;
  const isWithin = (word: number, digit: number, { starts, items }: Lists, row: number): boolean => {
    const wordAt = (place: number): number => items[place];
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      const other = items[place];
      if (isPart(word, other)) return true;
      if (words.joinedEnd(word, place, starts[row + 1], wordAt) >= 0) return true;
      if (words.initialsEnd(word, place, starts[row + 1], wordAt) >= 0) return true;
      if (isCode[other] !== digit) continue;
      if (isPart(other, word)) return true;
      if (digit === 0 && (words.likeness(word, other) > 0 || isShortFor(words.read(word), words.read(other))))
        return true;
    }
    return false;
  };
  return (a: number, b: number): number => {
    if (left[a] === right[b]) return opposition.none;
    stamps.stamp(a, b);
    const own = said(left[a], stamps.right, b);
    if (own.length > 0 && areOpposed(own, said(right[b], stamps.left, a))) return opposition.opposites;
    const first = lacking(left[a], stamps.right, rows.right, b);
    if (first === opposition.none) return opposition.none;
    return Math.max(first, lacking(right[b], stamps.left, rows.left, a));
  };
}
