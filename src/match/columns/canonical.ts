/** An order of rows that depends on their contents alone, so that results do not depend on the order of the input. */
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
import { isLikeArray, likeArray } from "../../like-array.js";
import type { TableColumns } from "./align.js";
import type { Cells } from "./value-set.js";

/** Two 32-bit hashes of a row's cells, as one number below 2^52. */
function rowHash(columns: readonly (readonly string[])[], row: number): number {
  let [first, second] = [FNV_BASIS, FNV_BASIS ^ 0x5bd1e995];
  for (const cells of columns) {
    const cell = cells[row];
    for (let index = 0; index < cell.length; index++) {
      first = Math.imul(first ^ cell.charCodeAt(index), FNV_PRIME);
      second = Math.imul(second ^ cell.charCodeAt(index), 0x85ebca6b) ^ (second >>> 13);
    }
    first = Math.imul(first ^ 0x1f, FNV_PRIME);
    second = Math.imul(second ^ 0x1f, 0x85ebca6b);
  }
  return (first >>> 0) * 2 ** 20 + (second >>> 12);
}

/** The rows of some columns in an order of their contents, equal ones by further columns; equal rows stay in their order. */
export function canonicalOrder(
  columns: readonly (readonly string[])[],
  further: readonly (readonly string[])[],
  rows: number,
): Uint32Array {
  const [first, second] = [columns, further].map((cells) =>
    Float64Array.from({ length: rows }, (_, row) => rowHash(cells, row)),
  );
  return Uint32Array.from({ length: rows }, (_, row) => row).sort(
    (a, b) => first[a] - first[b] || second[a] - second[b] || a - b,
  );
}

/** A column in an order of its texts, so that nothing depends on that of its rows, and the order. */
export function inCanonicalOrder(cells: readonly string[]) {
  const order = canonicalOrder([cells], [], cells.length);
  const at = (place: number): string => cells[order[place]];
  // Cells that lie in a file stay there.
  const ordered = isLikeArray(cells) ? likeArray(cells.length, at) : Array.from(order.keys(), at);
  return { cells: ordered, order, places: inverse(order) };
}

/** A number that depends on which cells a column holds, not on their order. */
function contentSum(cells: readonly string[], rows: number): number {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum = (sum + rowHash([cells], row)) % 2 ** 52;
  return sum;
}

/** Cells that are read together. */
const readTogether = 2 ** 17;

/** The cells in an order, read as they are asked for: some at a time in the order of the table, since they may lie in a file. */
export const reorder = (cells: readonly string[], order: Uint32Array): Cells => ({
  length: order.length,
  *[Symbol.iterator]() {
    for (let from = 0; from < order.length; from += readTogether) {
      const wanted = order.subarray(from, from + readTogether);
      const texts = new Array<string>(wanted.length);
      for (const key of Float64Array.from(wanted, (row, place) => row * readTogether + place).sort())
        texts[key % readTogether] = cells[Math.floor(key / readTogether)];
      yield* texts;
    }
  },
});

/** Which of two tables comes first: the smaller one, of equally large ones by the contents of columns with common headers, if any. */
export function canonicalSides(left: TableColumns, right: TableColumns): "given" | "swapped" {
  const common = Object.keys(left).filter((name) => Object.hasOwn(right, name));
  const [a, b] = [left, right].map((table) => {
    const columns = (common.length > 0 ? common : Object.keys(table)).map((name) => table[name]);
    const rows = columns[0]?.length ?? 0;
    return { rows, sum: () => columns.reduce((sum, cells) => (sum + contentSum(cells, rows)) % 2 ** 52, 0) };
  });
  if (a.rows !== b.rows) return a.rows < b.rows ? "given" : "swapped";
  return a.sum() <= b.sum() ? "given" : "swapped";
}

/** For each given row its place among the prepared ones. */
export function inverse(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  order.forEach((row, place) => {
    places[row] = place;
  });
  return places;
}
