/** Sums by row, for a few of the rows of a table. */

/** 2³² divided by the golden ratio: evenly spaced rows get slots far apart (Knuth, The Art of Computer Programming 3, 6.4). */
const golden = 0x9e3779b1;
/** A table is sparse where it has more rows than so many times the slots of a hash table. */
const sparse = 16;

interface AddOptions {
  /** For each row, what the weight is multiplied with. */
  readonly values?: Float32Array;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * A hash table where rows are sparse: sums of all rows of a large table would not fit into a processor's caches (of 5 million
 * rows, a search takes less than half the time). Of a small table, each row has its slot.
 */
export class RowSums {
  readonly #tableRows: number;
  /** Of each slot the place of its row, counted from 1; 0 is free. */
  #slots = new Int32Array(0);
  /** Slots that are used. */
  #size = 0;
  #factor = 1;
  #shift = 0;
  /** Rows with a sum, as they came, and their sums. */
  rows = new Uint32Array(0);
  sums = new Float32Array(0);
  count = 0;

  /** @param tableRows a row's number is less */
  constructor(tableRows = Infinity) {
    this.#tableRows = tableRows;
  }

  /** Starts again without any sum. @param most rows that may get one, at most */
  start(most: number): void {
    this.#clear();
    const bits = 33 - Math.clz32(most);
    const isSparse = this.#tableRows > sparse * 2 ** bits;
    [this.#factor, this.#shift] = isSparse ? [golden, 32 - bits] : [1, 0];
    this.#size = isSparse ? 2 ** bits : this.#tableRows;
    if (this.#slots.length < this.#size) this.#slots = new Int32Array(this.#size);
    if (this.rows.length < most) {
      this.rows = new Uint32Array(2 ** bits);
      this.sums = new Float32Array(2 ** bits);
    }
  }

  #clear(): void {
    if (this.#factor === golden) this.#slots.fill(0, 0, this.#size);
    else for (let place = 0; place < this.count; place++) this.#slots[this.rows[place]] = 0;
    this.count = 0;
  }

  /** Adds a weight to rows, or to the part of them that the options name. */
  add(
    rows: Uint32Array,
    weight: number,
    { values, from, to }: AddOptions = { from: 0, to: rows.length },
  ): void {
    const [slots, known, sums] = [this.#slots, this.rows, this.sums];
    const [factor, shift, last] = [this.#factor, this.#shift, this.#size - 1];
    let count = this.count;
    for (let place = from; place < to; place++) {
      const row = rows[place];
      let slot = Math.imul(row, factor) >>> shift;
      let found = slots[slot] - 1;
      while (found >= 0 && known[found] !== row) {
        slot = slot === last ? 0 : slot + 1;
        found = slots[slot] - 1;
      }
      if (found < 0) {
        found = count++;
        slots[slot] = count;
        known[found] = row;
        sums[found] = 0;
      }
      sums[found] += values === undefined ? weight : weight * values[place];
    }
    this.count = count;
  }

  /** Keeps only these places, which ascend. No more can be added until the next start. */
  keep(places: readonly number[]): void {
    this.#clear();
    places.forEach((from, to) => {
      this.rows[to] = this.rows[from];
      this.sums[to] = this.sums[from];
    });
    this.count = places.length;
  }
}
