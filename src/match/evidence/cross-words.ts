/** The share of one row's naming words that are anywhere in another row. */
import type { Field } from "../columns/fields.js";
import type { RowStamps } from "../columns/row-stamps.js";
import type { RowWords } from "../columns/row-words.js";

/** Returns a function for a left and a right row: the larger of the two directions. Both have names. */
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
