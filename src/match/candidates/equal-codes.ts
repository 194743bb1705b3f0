/** Candidates by equal codes, or by two equal cells together, such as date and amount. */

import { type PlacesByNumber, placesByNumber } from "../../places-by-number.js";
import { dayOf } from "../cells/dates.js";
import type { Field } from "../columns/fields.js";
import { isText } from "../columns/profile.js";
import { textCount } from "../columns/texts.js";
import { pauses } from "../parts/pause.js";
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
  for (const { kind, set, left, right } of codes) {
    await pause();
    if (kind !== "category") pairWithinBlocks(left, placesByNumber(right, textCount(set.texts)), most, add);
  }
  let combinations = 0;
  for (const [index, first] of codes.entries()) {
    for (const second of codes.slice(index + 1)) {
      if (combinations++ >= mostCombinations) return;
      const [a, b] = second.kind === "date" ? [second, first] : [first, second];
      const keys = new NumberedKeys(a.right.length);
      const ofRight = blocksOf(a, b, "right", 0, (key) => keys.add(key));
      const rows = placesByNumber(ofRight, keys.size);
      for (const days of a.kind === "date" ? nearDays : [0]) {
        await pause();
        pairWithinBlocks(
          blocksOf(a, b, "left", days, (key) => keys.find(key)),
          rows,
          most,
          add,
        );
      }
    }
  }
}

/** For each row the number of one key for its cells of two columns, -1 where one is empty; dates are moved by some days. */
function blocksOf(
  first: Field,
  second: Field,
  side: "left" | "right",
  days: number,
  numberOf: (key: number) => number,
): Int32Array {
  const count = textCount(second.set.texts);
  const keys =
    first.kind === "date"
      ? first.set.numbers.map((date) => dayOf(date) + 1e6 + days).map((day) => (day >= 0 ? day : -1))
      : undefined;
  return first[side].map((value, row) => {
    const other = second[side][row];
    const key = value < 0 || keys === undefined ? value : keys[value];
    return key < 0 || other < 0 ? -1 : numberOf(key * count + other);
  });
}

/** Numbers of keys, without a map, which has room for 16 million of them. Open addressing. */
export class NumberedKeys {
  size = 0;
  readonly #keys: Float64Array;
  /** -1 is free. */
  readonly #slots: Int32Array;

  /** @param most keys at most */
  constructor(most: number) {
    this.#keys = new Float64Array(most);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(1.5 * most + 1))).fill(-1);
  }

  add(key: number): number {
    const slot = this.#slotOf(key);
    if (this.#slots[slot] < 0) {
      this.#keys[this.size] = key;
      this.#slots[slot] = this.size++;
    }
    return this.#slots[slot];
  }

  /** -1 for an unknown key. */
  find(key: number): number {
    return this.#slots[this.#slotOf(key)];
  }

  #slotOf(key: number): number {
    const hash = Math.imul(key ^ Math.imul(key / 2 ** 32, 0x9e3779b1), 0x85ebca6b);
    const last = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & last;
    while (this.#slots[slot] >= 0 && this.#keys[this.#slots[slot]] !== key) slot = (slot + 1) & last;
    return slot;
  }
}

/** Pairs left rows with right rows of the same block, unless there are too many of them. */
function pairWithinBlocks(
  blockOf: Int32Array,
  { starts, order }: PlacesByNumber,
  most: number,
  add: AddPair,
): void {
  const counts = new Uint32Array(starts.length - 1);
  for (const block of blockOf) if (block >= 0) counts[block]++;
  blockOf.forEach((block, row) => {
    if (block < 0 || counts[block] * (starts[block + 1] - starts[block]) > most) return;
    for (let place = starts[block]; place < starts[block + 1]; place++) add(row, order[place]);
  });
}
