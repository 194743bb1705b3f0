/** Candidates by equal codes, or by two equal cells together, such as date and amount. */
import { dayOf } from "../columns/dates.js";
import { type Field, isText } from "../columns/fields.js";
import { textCount } from "../columns/texts.js";
import { pauses } from "../pause.js";
import { type PairsByRow, pairsByRow } from "../weights/pair-table.js";
import type { AddPair } from "./pair-set.js";

/** Blocks of more pairs hold a value that is common. */
const mostPairs = 100;
/** Combinations of two columns that are looked at. */
const mostCombinations = 15;

/** Days by which the dates of one thing may differ, as of a payment and its booking. */
const nearDays = [0, 1, -1, 2, -2, 3, -3];

interface CodeOptions {
  readonly isOneTable: boolean;
  readonly signal?: AbortSignal;
}

/** An aborted call rejects with the reason of its signal. */
export async function equalCodes(
  fields: readonly Field[],
  { isOneTable, signal }: CodeOptions,
  add: AddPair,
): Promise<void> {
  const pause = pauses(signal, 1);
  const most = (isOneTable ? 2 : 1) * mostPairs;
  const codes = fields.filter(({ kind }) => !isText(kind));
  for (const { kind, left, right } of codes) {
    await pause();
    if (kind !== "category") pairBlocks(left, rowsByKey(right), most, add);
  }
  let combinations = 0;
  for (const [index, first] of codes.entries()) {
    for (const second of codes.slice(index + 1)) {
      if (combinations++ >= mostCombinations) return;
      const [a, b] = second.kind === "date" ? [second, first] : [first, second];
      const rows = rowsByKey(combined(a, b, "right", 0));
      for (const days of a.kind === "date" ? nearDays : [0]) {
        await pause();
        pairBlocks(combined(a, b, "left", days), rows, most, add);
      }
    }
  }
}

/** One key for the cells of two columns, -1 where one is empty; dates are moved by some days. */
function combined(first: Field, second: Field, side: "left" | "right", days: number): Float64Array {
  const count = textCount(second.set.texts);
  const keys =
    first.kind === "date"
      ? first.set.numbers.map((date) => (Number.isNaN(date) ? -1 : dayOf(date) + 1e6 + days))
      : Float64Array.from({ length: textCount(first.set.texts) }, (_, value) => value);
  return Float64Array.from(first[side], (value, row) => {
    const other = second[side][row];
    return value < 0 || other < 0 || keys[value] < 0 ? -1 : keys[value] * count + other;
  });
}

/** The rows of each key: those of block b are order[starts[b]] to order[starts[b + 1] - 1]. */
interface RowsByKey extends PairsByRow {
  /** Number of the block of each key. */
  readonly blocks: ReadonlyMap<number, number>;
}

function rowsByKey(keys: Int32Array | Float64Array): RowsByKey {
  const blocks = new Map<number, number>();
  const blockOf = new Int32Array(keys.length);
  keys.forEach((key, row) => {
    const block = blocks.get(key) ?? blocks.size;
    blocks.set(key, block);
    blockOf[row] = block;
  });
  return { blocks, ...pairsByRow(blockOf, blocks.size) };
}

/** Pairs left rows with right rows of the same key, unless there are too many of them. */
function pairBlocks(
  left: Int32Array | Float64Array,
  { blocks, starts, order }: RowsByKey,
  most: number,
  add: AddPair,
): void {
  const blockOf = Int32Array.from(left, (key) => (key < 0 ? -1 : (blocks.get(key) ?? -1)));
  const counts = new Uint32Array(blocks.size);
  for (const block of blockOf) if (block >= 0) counts[block]++;
  blockOf.forEach((block, row) => {
    if (block < 0 || counts[block] * (starts[block + 1] - starts[block]) > most) return;
    for (let place = starts[block]; place < starts[block + 1]; place++) add(row, order[place]);
  });
}
