/** Words of rows, or of one column, as sparse vectors of unit length for the search of candidates. */

import { shared } from "../../runtime/shared-array.js";
import type { Field } from "../columns/fields.js";
import type { CountedWords } from "../columns/row-words.js";
import type { Lists } from "../columns/vocabulary.js";
import type { SparseRows } from "./grams.js";
import type { RowTerms } from "./row-search.js";

/** Words in a larger share of the rows tell too little to find candidates by. */
const commonShare = 0.1;
const fewRows = 50;

/** Words of the rows of both tables; of one table the same object twice. */
export interface Terms {
  readonly left: RowTerms;
  readonly right: RowTerms;
  /** Number of terms. */
  readonly terms: number;
}

export function wordTerms(
  { left, right, rows: rowsWith }: CountedWords,
  rows: readonly [number, number],
  isOneTable: boolean,
): Terms {
  const total = isOneTable ? rows[0] : rows[0] + rows[1];
  const most = Math.max(fewRows, commonShare * total);
  const weights = Float32Array.from(rowsWith, (count) =>
    count > most || count === 0 ? 0 : Math.log(1 + total / count),
  );
  const side = (lists: Lists): SparseRows => {
    const { starts, items } = sortedLists(lists);
    return weighted(starts.length - 1, (row) => items.subarray(starts[row], starts[row + 1]), weights);
  };
  const leftTerms = side(left);
  return { left: leftTerms, right: isOneTable ? leftTerms : side(right), terms: weights.length };
}

/** The words of one column's cells. */
export function fieldTerms({ set, left, right }: Field): Terms {
  const { starts, items } = sortedLists(set.words);
  const empty = new Uint32Array(0);
  const side = (values: Int32Array): RowTerms => {
    const wordsOf = (row: number): Uint32Array =>
      values[row] < 0 ? empty : items.subarray(starts[values[row]], starts[values[row] + 1]);
    return { ...weighted(values.length, wordsOf, set.rarity), values };
  };
  const leftTerms = side(left);
  return { left: leftTerms, right: right === left ? leftTerms : side(right), terms: set.rarity.length };
}

/** The same lists, each ascending. */
function sortedLists({ starts, items }: Lists): Lists {
  const sorted = items.slice();
  for (let list = 0; list + 1 < starts.length; list++) sorted.subarray(starts[list], starts[list + 1]).sort();
  return { starts, items: sorted };
}

function weighted(rows: number, wordsOf: (row: number) => Uint32Array, weights: Float32Array): SparseRows {
  const starts = shared(Uint32Array, rows + 1);
  let total = 0;
  for (let row = 0; row < rows; row++) total += wordsOf(row).length;
  const columns = shared(Uint32Array, total);
  const values = shared(Float32Array, total);
  let used = 0;
  for (let row = 0; row < rows; row++) {
    const words = wordsOf(row);
    let squares = 0;
    words.forEach((word, place) => {
      if (weights[word] === 0 || (place > 0 && words[place - 1] === word)) return;
      columns[used] = word;
      values[used++] = weights[word];
      squares += weights[word] ** 2;
    });
    starts[row + 1] = used;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let place = starts[row]; place < used; place++) values[place] *= scale;
  }
  return { starts, columns: columns.subarray(0, used), weights: values.subarray(0, used) };
}
