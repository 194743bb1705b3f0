/** Candidates by equal codes, or by two equal cells together, such as date and amount. */
import { type Field, isText } from "../columns/fields.js";

/** Blocks of more pairs hold a value that is common. */
const mostPairs = 100;
/** Combinations of two columns that are looked at. */
const mostCombinations = 15;

export function equalCodes(
  fields: readonly Field[],
  isOneTable: boolean,
  add: (left: number, right: number) => void,
): void {
  const codes = fields.filter(({ kind }) => !isText(kind) && kind !== "long");
  for (const field of codes) {
    if (field.kind === "category") continue;
    pairBlocks(field.left, field.right, isOneTable, add);
  }
  let combinations = 0;
  codes.forEach((first, index) => {
    for (const second of codes.slice(index + 1)) {
      if (combinations++ >= mostCombinations) return;
      const values = second.set.texts.length;
      const both = (side: "left" | "right"): Float64Array =>
        Float64Array.from(first[side], (value, row) =>
          value < 0 || second[side][row] < 0 ? -1 : value * values + second[side][row],
        );
      const left = both("left");
      pairBlocks(left, isOneTable ? left : both("right"), isOneTable, add);
    }
  });
}

function pairBlocks(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  isOneTable: boolean,
  add: (left: number, right: number) => void,
): void {
  const blocks = rowsByKey(left);
  const others = isOneTable ? blocks : rowsByKey(right);
  for (const [key, rows] of blocks) {
    const partners = others.get(key) ?? [];
    const pairs = isOneTable ? (rows.length * (rows.length - 1)) / 2 : rows.length * partners.length;
    if (pairs > mostPairs) continue;
    for (const row of rows) for (const partner of partners) add(row, partner);
  }
}

function rowsByKey(keys: ArrayLike<number>): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (let row = 0; row < keys.length; row++) {
    if (keys[row] < 0) continue;
    const known = rows.get(keys[row]);
    if (known === undefined) rows.set(keys[row], [row]);
    else known.push(row);
  }
  return rows;
}
