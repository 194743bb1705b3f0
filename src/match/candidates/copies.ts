/** Rows that are equal in all columns: candidates are looked up for the first of them, and then shared among all. */

import { placesByNumber } from "../../places-by-number.js";
import type { PreparedTables } from "../columns/fields.js";
import { textCount } from "../columns/texts.js";
import type { ValuedColumn } from "../columns/value-set.js";
import { NumberedKeys } from "./equal-codes.js";
import type { AddPair } from "./pair-set.js";

/** The first row that equals each row; of an empty row itself. */
function firstRows(columns: readonly Pick<ValuedColumn, "set" | "left">[], rows: number): Int32Array {
  let classOf = new Int32Array(rows);
  for (const { set, left } of columns) {
    const keys = new NumberedKeys(rows);
    const values = textCount(set.texts) + 1;
    classOf = classOf.map((number, row) => keys.add(number * values + left[row] + 1));
  }
  const firstOf = new Int32Array(rows).fill(-1);
  return classOf.map((number, row) => {
    if (columns.every(({ left }) => left[row] < 0)) return row;
    if (firstOf[number] < 0) firstOf[number] = row;
    return firstOf[number];
  });
}

/**
 * The tables with empty cells in rows that equal an earlier one, and a function that adds a pair for all rows that equal its two.
 * @param k how many further pairs with equal rows a row has for each source of candidates
 */
export function withoutCopies(tables: PreparedTables, k: number) {
  const { fields, alone, rows, isOneTable } = tables;
  const left = firstRows([...fields, ...alone[0]], rows[0]);
  const ofRight = fields.map(({ set, right }) => ({ set, left: right }));
  const right = isOneTable ? left : firstRows([...ofRight, ...alone[1]], rows[1]);
  const isFirst = (first: number, row: number): boolean => first === row;
  if (left.every(isFirst) && right.every(isFirst)) return undefined;
  const emptied = (values: Int32Array, firstOf: Int32Array): Int32Array =>
    values.map((value, row) => (firstOf[row] === row ? value : -1));
  const masked = fields.map((field) => {
    const ofLeft = emptied(field.left, left);
    return {
      ...field,
      left: ofLeft,
      right: field.right === field.left ? ofLeft : emptied(field.right, right),
    };
  });
  const maskedAlone = ([left, right] as const).map((firstOf, side) =>
    alone[side].map((column) => ({ ...column, left: emptied(column.left, firstOf) })),
  );
  const [ofLeft, ofRightRows] = [placesByNumber(left, rows[0]), placesByNumber(right, rows[1])];
  const open = [new Int32Array(rows[0]), new Int32Array(rows[1])];
  return {
    tables: { ...tables, fields: masked, alone: [maskedAlone[0], maskedAlone[1]] as const },
    /** Each row meets an equal of the other, and the nearest ones, which come first, meet all as long as there is room. */
    adding: (add: AddPair): AddPair => {
      for (const rooms of open) rooms.fill(k);
      return (a, b) => {
        const own = ofLeft.order.subarray(ofLeft.starts[a], ofLeft.starts[a + 1]);
        const others = ofRightRows.order.subarray(ofRightRows.starts[b], ofRightRows.starts[b + 1]);
        const least = Math.min(own.length, others.length);
        const further = Math.min(least - 1, open[0][a], open[1][b]);
        open[0][a] -= further;
        open[1][b] -= further;
        const most = Math.max(own.length, others.length);
        for (let step = 0; step <= further; step++)
          for (let at = 0; at < most; at++) add(own[at % own.length], others[(at + step) % others.length]);
      };
    },
    /** Pairs of equal rows of one table. */
    addEqual: (add: AddPair): void => {
      for (let first = 0; first < rows[0]; first++) {
        const equal = ofLeft.order.subarray(ofLeft.starts[first], ofLeft.starts[first + 1]);
        const steps = Math.min(k, equal.length - 1);
        equal.forEach((row, at) => {
          for (let step = 1; step <= steps; step++) add(row, equal[(at + step) % equal.length]);
        });
      }
    },
  };
}
