/** Sums by row, for a few of the rows of a table. */

/** 2³² divided by the golden ratio: evenly spaced rows get slots far apart (Knuth, The Art of Computer Programming 3, 6.4). */
const golden = 0x9e3779b1;
/** The sums of more rows are too far apart for a processor's caches. */
const mostDense = 2_000_000;

interface AddOptions {
  /** For each row, what the weight is multiplied with. */
  readonly values?: Float32Array;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * An array of all rows of a table, in which each row is its own slot; for a large table a hash table, whose size grows with the
 * rows that have a sum. A slot keeps its row until the next start.
 */
export class RowSums {
  readonly #isDense: boolean;
  /** Of each slot its row, counted from 1, and 0 where it is free; unused where rows are slots. */
  #keys = new Uint32Array(0);
  #bits = 0;
  /** By slot; 0 where no row has one. */
  sums: Float32Array;
  /** Slots of rows with a sum, as they came. */
  slots: Uint32Array;
  count = 0;

  /** @param rows of the table */
  constructor(rows = Infinity) {
    this.#isDense = rows <= mostDense;
    this.sums = new Float32Array(this.#isDense ? rows : 0);
    this.slots = new Uint32Array(this.sums.length + 1);
  }

  /** Starts again without any sum. @param most rows that may get one, at most */
  start(most: number): void {
    for (let place = 0; place < this.count; place++) {
      this.sums[this.slots[place]] = 0;
      if (!this.#isDense) this.#keys[this.slots[place]] = 0;
    }
    this.count = 0;
    if (this.#isDense) return;
    this.#bits = 33 - Math.clz32(most);
    if (this.sums.length >= 2 ** this.#bits) return;
    this.#keys = new Uint32Array(2 ** this.#bits);
    this.sums = new Float32Array(2 ** this.#bits);
    this.slots = new Uint32Array(2 ** this.#bits);
  }

  rowAt(slot: number): number {
    return this.#isDense ? slot : this.#keys[slot] - 1;
  }

  /** Adds a weight above 0 to rows, or to the part of them that the options name. */
  add(rows: Uint32Array, weight: number, options: AddOptions = { from: 0, to: rows.length }): void {
    if (this.#isDense) this.#addDense(rows, weight, options);
    else this.#addHashed(rows, weight, options);
  }

  #addDense(rows: Uint32Array, weight: number, { values, from, to }: AddOptions): void {
    const { sums, slots } = this;
    let count = this.count;
    for (let place = from; place < to; place++) {
      const row = rows[place];
      const before = sums[row];
      // Without a branch, which processors would guess wrong for every other row.
      slots[count] = row;
      count += Number(before === 0);
      sums[row] = before + (values === undefined ? weight : weight * values[place]);
    }
    this.count = count;
  }

  #addHashed(rows: Uint32Array, weight: number, { values, from, to }: AddOptions): void {
    const { sums, slots } = this;
    const [keys, shift, last] = [this.#keys, 32 - this.#bits, 2 ** this.#bits - 1];
    let count = this.count;
    for (let place = from; place < to; place++) {
      const key = rows[place] + 1;
      let slot = Math.imul(key, golden) >>> shift;
      while (keys[slot] !== key) {
        if (keys[slot] === 0) {
          keys[slot] = key;
          slots[count++] = slot;
          break;
        }
        slot = (slot + 1) & last;
      }
      sums[slot] += values === undefined ? weight : weight * values[place];
    }
    this.count = count;
  }
}
