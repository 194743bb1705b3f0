/** Candidate pairs of rows of one block: with an equal code, with two equal cells, or near each other by their coordinates. */
import { type PlacesByNumber, placesByNumber } from "../../places-by-number.js";
import { dayOf } from "../cells/dates.js";
import { bareDigits } from "../cells/numbers.js";
import type { Coordinates } from "../columns/coordinates.js";
import type { Field } from "../columns/fields.js";
import { isText } from "../columns/profile.js";
import { eachText, TextNumbers, type Texts, textCount } from "../columns/texts.js";
import { pauses } from "../run/pause.js";
import type { AddPair } from "./pair-set.js";

/** Blocks of more pairs hold a value that is common. */
const mostPairs = 100;
/** Columns that are combined by two. */
const mostCombined = 6;

/** Days by which the dates of one thing may differ, as of a payment and its booking. */
const nearDays = [0, 1, -1, 2, -2, 3, -3];

interface BlockOptions {
  readonly isOneTable: boolean;
  readonly signal?: AbortSignal;
}

/** Pairs of equal codes, or of two equal cells together, such as date and amount. An aborted call rejects. */
export async function equalCodes(
  fields: readonly Field[],
  { isOneTable, signal }: BlockOptions,
  add: AddPair,
): Promise<void> {
  const pause = pauses(signal, 1);
  const most = (isOneTable ? 2 : 1) * mostPairs;
  const codes = fields.filter(({ kind }) => !isText(kind));
  // Columns that leave pairs to be found by two equal cells.
  const open = codes.filter(({ kind }) => kind === "category" || kind === "date");
  for (const field of codes) {
    await pause();
    const { kind, set, left, right } = field;
    if (kind === "category") continue;
    const { ofValue, size } = bareCodes(set.texts);
    const [leftCodes, rightCodes] = [left, right].map((values) =>
      values.map((value) => ofValue[value] ?? -1),
    );
    const isWhole = pairWithinBlocks(leftCodes, placesByNumber(rightCodes, size), most, add);
    if (!isWhole && kind !== "date") open.push(field);
  }
  const combined = open.sort((a, b) => information(b) - information(a)).slice(0, mostCombined);
  for (const [index, first] of combined.entries()) {
    for (const second of combined.slice(index + 1)) {
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

/** How much a column tells: its filled rows and how many different values they have. */
const information = ({ profile: { filled, distinct } }: Field): number => filled * Math.log(distinct);

/** For each code a number, the same one for codes that differ only in leading zeros. */
function bareCodes(texts: Texts): { ofValue: Int32Array; size: number } {
  const bare = new TextNumbers();
  const ofValue = Int32Array.from(eachText(texts), (text) => bare.numberOf(bareDigits(text)));
  return { ofValue, size: bare.size };
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

/** Pairs left rows with right rows of the same block, unless there are too many of them. @returns whether there never were */
function pairWithinBlocks(
  blockOf: Int32Array,
  { starts, order }: PlacesByNumber,
  most: number,
  add: AddPair,
): boolean {
  let isWhole = true;
  const counts = new Uint32Array(starts.length - 1);
  for (const block of blockOf) if (block >= 0) counts[block]++;
  blockOf.forEach((block, row) => {
    if (block < 0) return;
    if (counts[block] * (starts[block + 1] - starts[block]) > most) {
      isWhole = false;
      return;
    }
    for (let place = starts[block]; place < starts[block + 1]; place++) add(row, order[place]);
  });
  return isWhole;
}

/** How far the next k rows are looked for, as a multiple: rows of the same table lie between. */
const mostPassed = 16;

/** Two rows of one place may be this many degrees apart, two kilometres of latitude. */
const reach = 0.02;

/**
 * Pairs of rows that are near in both coordinates, and the nearest k by one of them alone: the other may be missing or wrong. An
 * aborted call rejects.
 */
export async function nearPlaces(
  { latitude, longitude }: Coordinates<Field>,
  { isOneTable, signal, k }: BlockOptions & { readonly k: number },
  add: AddPair,
): Promise<void> {
  const pause = pauses(signal, 1);
  const keys = new NumberedKeys(latitude.right.length);
  const ofRight = squaresOf({ latitude, longitude }, "right", [0, 0], (key) => keys.add(key));
  const rows = placesByNumber(ofRight, keys.size);
  const most = (isOneTable ? 2 : 1) * mostPairs;
  for (const north of [0, 1, -1])
    for (const east of [0, 1, -1]) {
      await pause();
      const squares = squaresOf({ latitude, longitude }, "left", [north, east], (key) => keys.find(key));
      pairWithinBlocks(squares, rows, most, add);
    }
  for (const field of [latitude, longitude]) {
    await pause();
    nearNumbers(field, { isOneTable, k }, add);
  }
}

/** For each row the number of its square of the map, moved by some squares; -1 without a place. */
function squaresOf(
  { latitude, longitude }: Coordinates<Field>,
  side: "left" | "right",
  [north, east]: readonly [number, number],
  numberOf: (key: number) => number,
): Int32Array {
  const squareOf = ({ set }: Field, value: number): number =>
    value < 0 ? Number.NaN : Math.floor(set.numbers[value] / reach);
  return latitude[side].map((value, row) => {
    const [y, x] = [squareOf(latitude, value) + north, squareOf(longitude, longitude[side][row]) + east];
    return Number.isNaN(x + y) ? -1 : numberOf((y + 1e6) * 1e8 + x + 1e6);
  });
}

/** Pairs each row with the k next ones in the order of a number, as far as they are near. */
function nearNumbers(
  { set: { numbers }, left, right }: Field,
  { isOneTable, k }: { readonly isOneTable: boolean; readonly k: number },
  add: AddPair,
): void {
  const all = isOneTable ? left.length : left.length + right.length;
  const numberOf = (at: number): number => {
    const value = at < left.length ? left[at] : right[at - left.length];
    return value < 0 ? Number.NaN : numbers[value];
  };
  const own = Float64Array.from({ length: all }, (_, at) => numberOf(at));
  const order = Uint32Array.from(own.keys())
    .filter((at) => !Number.isNaN(own[at]))
    .sort((a, b) => own[a] - own[b]);
  order.forEach((first, place) => {
    let open = k;
    const end = Math.min(order.length, place + 1 + mostPassed * k);
    for (let next = place + 1; next < end && open > 0; next++) {
      const [a, b] = first < order[next] ? [first, order[next]] : [order[next], first];
      if (own[order[next]] - own[first] > reach) break;
      if (isOneTable) add(a, b);
      else if (a < left.length && b >= left.length) add(a, b - left.length);
      else continue;
      open--;
    }
  });
}
