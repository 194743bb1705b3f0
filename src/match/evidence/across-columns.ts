/**
 * Comparisons across the columns of two rows: codes anywhere, words of the name anywhere in the other row, whether the names
 * contradict each other, and cells that have changed places.
 */
import type { Field } from "../columns/fields.js";
import type { Lists } from "../columns/lists.js";
import { isText } from "../columns/profile.js";
import type { RowWords } from "../columns/row-words.js";
import { areOpposed } from "../spelling/soft-words.js";
import type { VocabularyWords } from "../spelling/vocabulary-words.js";
import { levelOf } from "./levels.js";
import { matchEqual, matchSoft, Side } from "./overlap.js";

/** From contradiction to none: opposites ("Jr" and "Sr"), codes, rare words, common words, nothing. */
export const opposition = { opposites: 0, codes: 1, rare: 2, common: 3, none: 4 } as const;
export const oppositionLevels = 5;

/** Rarity from which a word distinguishes. */
const rareWord = 0.3;
/** Shorter words are parts of others by chance. */
const shortestPart = 4;

/**
 * Returns a function for a left and a right row with names: whether these contradict each other. Each then has a word that is
 * nowhere in the other row, neither written differently nor as a part or the initials of others. Codes and numbers contradict
 * most: rows of one thing seldom have different ones, siblings of one family nearly always.
 */
export function nameOpposition(
  { set, left, right }: Field,
  rows: RowWords,
  words: VocabularyWords,
  stamps = new RowStamps(rows),
) {
  const { isCode } = rows;
  const { starts, items } = set.words;
  /** What words of a name say that the other row lacks, as far as they have opposites. */
  const said = (value: number, stamp: Int32Array, row: number): readonly number[] => {
    let found: readonly number[] = [];
    for (let place = starts[value]; place < starts[value + 1]; place++)
      if (stamp[items[place]] !== row && words.sidesOf(items[place]).length > 0)
        found = [...found, ...words.sidesOf(items[place])];
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
    if (words.lettered(word, starts[row], starts[row + 1], wordAt) !== undefined) return true;
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      const other = items[place];
      if (isPart(word, other)) return true;
      if (words.beginAlike(word, other)) {
        if (words.joinedEnd(word, place, starts[row + 1], wordAt) >= 0) return true;
        if (words.initialsEnd(word, place, starts[row + 1], wordAt) >= 0) return true;
      }
      if (isCode[other] !== digit) continue;
      if (isPart(other, word)) return true;
      if (digit === 0 && (words.likeness(word, other) > 0 || words.isShortFor(word, other))) return true;
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

/** Returns a function for two rows with names: the share of naming words that are anywhere in the other row, the larger of both. */
export function crossWords(
  { set, left, right }: Field,
  words: RowWords,
  stamps: RowStamps,
): (a: number, b: number) => number {
  const { starts, items } = set.words;
  const found = (value: number, rowWith: Int32Array, row: number): number => {
    let [total, met] = [1e-9, 0];
    for (let place = starts[value]; place < starts[value + 1]; place++) {
      const weight = words.rarity[items[place]];
      total += weight;
      if (rowWith[items[place]] === row) met += weight;
    }
    return met / total;
  };
  return (a, b) => {
    stamps.stamp(a, b);
    return Math.max(found(left[a], stamps.right, b), found(right[b], stamps.left, a));
  };
}

/** Which words the two rows of a pair have, looked up at once: each word keeps the last row of its side that has it. */
export class RowStamps {
  /** By word. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly #rows: Pick<RowWords, "left" | "right">;
  #lastLeft = -1;
  #lastRight = -1;

  constructor(rows: RowWords) {
    this.#rows = rows;
    this.left = new Int32Array(rows.rarity.length).fill(-1);
    this.right = new Int32Array(rows.rarity.length).fill(-1);
  }

  /** Pairs come sorted by left row, which is then stamped once. */
  stamp(left: number, right: number): void {
    if (this.#lastLeft !== left) stampRow(this.left, this.#rows.left, left);
    if (this.#lastRight !== right) stampRow(this.right, this.#rows.right, right);
    this.#lastLeft = left;
    this.#lastRight = right;
  }
}

function stampRow(stamps: Int32Array, { starts, items }: Lists, row: number): void {
  for (let place = starts[row]; place < starts[row + 1]; place++) stamps[items[place]] = row;
}

/** Cuts of the weight of the heaviest common code. */
const cuts = [0.3, 0.5, 0.7, 0.85];
/** Weight of a code without a partner on both sides from which the rows contradict each other. */
const conflict = 0.4;
/** A contradiction costs half a step if the common code is rarer, else one and a half. From the worst to the best: */
const ranks = [-1.5, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4];
export const codeLevels = ranks.length;

/** A number of a text that is compared among its numbers and says no more, as that of a house; a longer one may be a model. */
const shortNumber = /^\d{1,3}[\p{Script=Latin}\p{Script=Cyrillic}]?$/u;

/**
 * Returns a function for a left and a right row: the level of their heaviest common code, lower if each has a rare code that
 * the other lacks; undefined if a row has no word with a digit, or if all that they share has been counted.
 * @param counted columns whose codes, or short numbers in texts, are counted where both rows have them there
 */
export function codeComparison(
  words: VocabularyWords,
  rows: RowWords,
  counted: readonly Field[] = [],
): (a: number, b: number) => number | undefined {
  const [left, right] = [new Side(), new Side()];
  const holds = ({ words: { starts, items } }: Field["set"], value: number, word: number): boolean => {
    for (let place = starts[value]; place < starts[value + 1]; place++)
      if (items[place] === word) return true;
    return false;
  };
  /** A code that is only like one of the other row is counted where its own column is compared. */
  const isCounted = (a: number, b: number, word: number, isIn: Record<"left" | "right", boolean>): boolean =>
    counted.some(
      ({ kind, set, left, right }) =>
        left[a] >= 0 &&
        right[b] >= 0 &&
        (!isIn.left || holds(set, left[a], word)) &&
        (!isIn.right || holds(set, right[b], word)) &&
        (!isText(kind) || shortNumber.test(words.read(word))),
    );
  const heaviestShared = (a: number, b: number): number | undefined => {
    let [heaviest, areCounted] = [-1, false];
    for (const side of [left, right])
      for (let place = 0; place < side.count; place++) {
        if (side.met[place] === 0) continue;
        const word = side.word(place);
        const isSame = side.met[place] === 1;
        const isIn = { left: isSame || side === left, right: isSame || side === right };
        if (isCounted(a, b, word, isIn)) areCounted = true;
        else heaviest = Math.max(heaviest, side.met[place] * rows.rarity[word]);
      }
    return areCounted && heaviest < 0 ? undefined : heaviest;
  };
  return (a, b) => {
    left.loadChosen(rows.left, a, rows.isCode);
    right.loadChosen(rows.right, b, rows.isCode);
    if (left.count === 0 || right.count === 0) return undefined;
    matchEqual(left, right);
    if (left.open > 0) matchNeighbours(left, right, rows.right, b, words);
    if (right.open > 0) matchNeighbours(right, left, rows.left, a, words);
    if (left.open > 0 && right.open > 0) matchSoft(left, right, words, rows.rarity);
    const agreed = heaviestShared(a, b);
    if (agreed === undefined) return undefined;
    left.sum(rows.rarity);
    right.sum(rows.rarity);
    const opposed = Math.min(left.unmatched, right.unmatched);
    const cost = opposed <= conflict ? 0 : opposed < agreed ? 0.5 : 1.5;
    return ranks.indexOf(levelOf(agreed, cuts) - cost);
  };
}

/** Matches 2 to 4 neighbours in the whole other row that join to one code: "kx tg6700b" is "kxtg6700b". */
function matchNeighbours(
  one: Side,
  other: Side,
  { starts, items }: RowWords["left"],
  row: number,
  words: VocabularyWords,
): void {
  const wordAt = (place: number): number => items[place];
  for (let i = 0; i < one.count; i++) {
    if (one.met[i] > 0) continue;
    for (let from = starts[row]; from + 1 < starts[row + 1]; from++) {
      if (!words.mayBegin(one.word(i), items[from])) continue;
      const to = words.joinedEnd(one.word(i), from, starts[row + 1], wordAt);
      if (to < 0) continue;
      one.meet(i, 1);
      for (let j = 0; j < other.count; j++) {
        const isPart = items.subarray(from, to).includes(other.word(j));
        if (isPart && other.met[j] === 0) other.meet(j, 1);
      }
      break;
    }
  }
}

/** Which value a row has in two columns, -1 where the cell is empty. */
type TwoCells = readonly [first: number, second: number];

/** What two columns say of two rows whose cells have changed places: which of them agree. The others then say nothing. */
type Exchanged = Readonly<Record<"first" | "second", boolean>>;

/**
 * Returns a function for the cells of a left and of a right row in two columns, as given and family names, that says whether
 * they have changed places: undefined where they have not. Where only one cell has, the row lacks one of the two.
 */
export function exchangedCells(
  first: Field["set"],
  second: Field["set"],
  words: VocabularyWords,
): (left: TwoCells, right: TwoCells) => Exchanged | undefined {
  const isSame = (value: number, other: number): boolean => {
    if (value < 0 || other < 0) return false;
    const [from, start] = [first.words.starts[value], second.words.starts[other]];
    const count = first.words.starts[value + 1] - from;
    if (count === 0 || second.words.starts[other + 1] - start !== count) return false;
    for (let place = 0; place < count; place++)
      if (first.words.items[from + place] !== second.words.items[start + place]) return false;
    return true;
  };
  const isAlike = (value: number, other: number): boolean =>
    words.likeness(
      first.words.items[first.words.starts[value]],
      second.words.items[second.words.starts[other]],
    ) > 0;
  return ([a, b], [x, y]) => {
    const [isAcross, isBack] = [isSame(a, y), isSame(x, b)];
    if (!isAcross && !isBack) return undefined;
    if (isAcross && isBack) return { first: true, second: true };
    // What is left of the other cells, if both are filled.
    const [own, other] = isAcross ? [x, b] : [a, y];
    if (own >= 0 && other >= 0) return isAlike(own, other) ? { first: true, second: true } : undefined;
    // The cell is in the wrong column in the row that lacks what belongs there.
    const isSecond = isAcross ? b < 0 : y < 0;
    return { first: !isSecond, second: isSecond };
  };
}
