/** The share of one row's naming words that are anywhere in another row. */
import type { Field } from "../columns/fields.js";
import type { RowWords } from "../columns/row-words.js";

/** Returns a function for a left and a right row: the larger of the two directions. Both have names. */
export function crossWords({ set, left, right }: Field, words: RowWords): (a: number, b: number) => number {
  const { starts, items } = set.words;
  // Stamps instead of sets: pairs come sorted by left row, which is then stamped once.
  const ofLeft = new Int32Array(words.rarity.length).fill(-1);
  const ofRight = new Int32Array(words.rarity.length).fill(-1);
  let [stampedLeft, stampedRight] = [-1, -1];
  const found = (value: number, stamps: Int32Array, row: number): number => {
    let [total, met] = [1e-9, 0];
    for (let place = starts[value]; place < starts[value + 1]; place++) {
      const weight = words.rarity[items[place]];
      total += weight;
      if (stamps[items[place]] === row) met += weight;
    }
    return met / total;
  };
  return (a, b) => {
    if (stampedLeft !== a) {
      stampedLeft = a;
      for (let place = words.left.starts[a]; place < words.left.starts[a + 1]; place++)
        ofLeft[words.left.items[place]] = a;
    }
    if (stampedRight !== b) {
      stampedRight = b;
      for (let place = words.right.starts[b]; place < words.right.starts[b + 1]; place++)
        ofRight[words.right.items[place]] = b;
    }
    return Math.max(found(left[a], ofRight, b), found(right[b], ofLeft, a));
  };
}
