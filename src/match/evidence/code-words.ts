/** Compares the words with digits of two rows: model numbers, house numbers, codes in any column. */
import type { RowWords } from "../columns/row-words.js";
import type { VocabularyWords } from "../spelling/vocabulary-words.js";
import { levelOf } from "./levels.js";
import { matchEqual, matchSoft, Side } from "./overlap.js";

/** Cuts of the weight of the heaviest common code. */
const cuts = [0.3, 0.5, 0.7, 0.85];
/** Weight of a code without a partner on both sides from which the rows contradict each other. */
const conflict = 0.4;
/** A contradiction costs half a step if the common code is rarer, else one and a half. From the worst to the best: */
const ranks = [-1.5, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4];
export const codeLevels = ranks.length;

/**
 * Returns a function for a left and a right row: the level of their heaviest common code, lower if each has a rare code that
 * the other lacks; undefined if a row has no word with a digit.
 */
export function codeComparison(
  words: VocabularyWords,
  rows: RowWords,
): (a: number, b: number) => number | undefined {
  const [left, right] = [new Side(), new Side()];
  return (a, b) => {
    left.loadChosen(rows.left, a, rows.isCode);
    right.loadChosen(rows.right, b, rows.isCode);
    if (left.count === 0 || right.count === 0) return undefined;
    matchEqual(left, right);
    if (left.open > 0) matchNeighbours(left, right, rows.right, b, words);
    if (right.open > 0) matchNeighbours(right, left, rows.left, a, words);
    if (left.open > 0 && right.open > 0) matchSoft(left, right, words, rows.rarity);
    left.sum(rows.rarity);
    right.sum(rows.rarity);
    const agreed = Math.max(left.heaviest, right.heaviest);
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
