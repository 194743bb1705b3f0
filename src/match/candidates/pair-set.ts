/** A growing set of pairs of rows, one number each: left row × right rows + right row. */
import { enlarged } from "../columns/lists.js";
import { roomFor, withRoom } from "../weights/pair-classes.js";

export interface Pairs {
  /** Ascending by left row, then by right row. */
  readonly left: Int32Array;
  readonly right: Int32Array;
}

export type AddPair = (left: number, right: number) => void;

/** Where pairs go that have no room in memory. */
export interface Spill {
  /** Pairs in memory at most. */
  readonly most: number;
  readonly runs: {
    readonly length: number;
    /** Takes ascending numbers, and keeps none of the memory. */
    add(run: Float64Array): void;
    /** The numbers of all runs, ascending, each once. */
    merged(): Iterable<number>;
    /** Forgets all runs. */
    close(): void;
  };
}

export class PairSet {
  readonly #rightRows: number;
  readonly #spill: Spill | undefined;
  #keys: Float64Array<ArrayBuffer>;
  #used = 0;
  /** Sorted and without repetitions up to here. */
  #sorted = 0;

  constructor(rightRows: number, spill?: Spill) {
    this.#rightRows = rightRows;
    this.#spill = spill;
    this.#keys = new Float64Array(Math.min(4096, spill?.most ?? Infinity));
  }

  add(left: number, right: number): void {
    if (this.#used === this.#keys.length) this.#grow();
    this.#keys[this.#used++] = left * this.#rightRows + right;
  }

  /** Sorting first often frees enough: sources find the same pairs. */
  #grow(): void {
    this.#sort();
    if (this.#used < 0.7 * this.#keys.length) return;
    if (this.#spill !== undefined && 2 * this.#keys.length > this.#spill.most) {
      this.#spill.runs.add(this.#keys.subarray(0, this.#used));
      this.#used = this.#sorted = 0;
      return;
    }
    this.#keys = enlarged(this.#keys, 2 * this.#keys.length);
  }

  #sort(): void {
    if (this.#sorted === this.#used) return;
    const keys = this.#keys.subarray(0, this.#used).sort();
    let used = 0;
    for (const key of keys) if (used === 0 || keys[used - 1] !== key) keys[used++] = key;
    this.#used = used;
    this.#sorted = used;
  }

  /** @throws ArgumentError for more pairs than have numbers */
  finish(): Pairs {
    try {
      return this.#pairs();
    } finally {
      this.#spill?.runs.close();
    }
  }

  #pairs(): Pairs {
    this.#sort();
    const runs = this.#spill?.runs;
    let keys: Iterable<number> = this.#keys.subarray(0, this.#used);
    let most = this.#used;
    if (runs !== undefined && runs.length > 0) {
      runs.add(this.#keys.subarray(0, this.#used));
      this.#keys = new Float64Array(0);
      [keys, most] = [runs.merged(), runs.length];
    }
    // Runs have pairs in common; what is not written to takes no memory.
    const [left, right] = [roomFor(most), roomFor(most)];
    let count = 0;
    for (const key of keys) {
      left[count] = Math.floor(key / this.#rightRows);
      right[count] = key - left[count] * this.#rightRows;
      count++;
    }
    return { left: withRoom(left, count), right: withRoom(right, count) };
  }
}
