/** Candidates by equal codes, or by two equal cells together, such as date and amount. */
import { dayOf } from "../columns/dates.js";
import { type Field, isText } from "../columns/fields.js";
import { groupBy } from "../group-by.js";

/** Blocks of more pairs hold a value that is common. */
const mostPairs = 100;
/** Combinations of two columns that are looked at. */
const mostCombinations = 15;

/** Days by which the dates of one thing may differ, as of a payment and its booking. */
const nearDays = [0, 1, -1, 2, -2, 3, -3];

export function equalCodes(
  fields: readonly Field[],
  isOneTable: boolean,
  add: (left: number, right: number) => void,
): void {
  const codes = fields.filter(({ kind }) => !isText(kind));
  for (const { kind, left, right } of codes)
    if (kind !== "category") pairBlocks(left, isOneTable ? left : right, isOneTable, add);
  let combinations = 0;
  codes.forEach((first, index) => {
    for (const second of codes.slice(index + 1)) {
      if (combinations++ >= mostCombinations) return;
      const [a, b] = second.kind === "date" ? [second, first] : [first, second];
      const right = combined(a, b, "right", 0);
      for (const days of a.kind === "date" ? nearDays : [0])
        pairBlocks(combined(a, b, "left", days), right, isOneTable, add);
    }
  });
}

/** One key for the cells of two columns, -1 where one is empty; dates are moved by some days. */
function combined(first: Field, second: Field, side: "left" | "right", days: number): Float64Array {
  const count = second.set.texts.length;
  const keys =
    first.kind === "date"
      ? first.set.numbers.map((date) => (Number.isNaN(date) ? -1 : dayOf(date) + 1e6 + days))
      : Float64Array.from(first.set.texts.keys());
  return Float64Array.from(first[side], (value, row) => {
    const other = second[side][row];
    return value < 0 || other < 0 || keys[value] < 0 ? -1 : keys[value] * count + other;
  });
}

function pairBlocks(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  isOneTable: boolean,
  add: (left: number, right: number) => void,
): void {
  const rowsOf = (keys: ArrayLike<number>): Map<number, number[]> =>
    groupBy(Array.from(keys).keys(), (row) => keys[row]);
  const [blocks, others] = [rowsOf(left), rowsOf(right)];
  for (const [key, rows] of blocks) {
    const partners = key < 0 ? [] : (others.get(key) ?? []);
    if (rows.length * partners.length > (isOneTable ? 2 : 1) * mostPairs) continue;
    for (const row of rows) for (const partner of partners) add(row, partner);
  }
}
