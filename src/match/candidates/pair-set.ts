/** A growing set of pairs of rows, one number each: left row × right rows + right row. */

export interface Pairs {
  /** Ascending by left row, then by right row. */
  readonly left: Int32Array;
  readonly right: Int32Array;
}

export type AddPair = (left: number, right: number) => void;

export class PairSet {
  readonly #rightRows: number;
  #keys = new Float64Array(4096);
  #used = 0;
  /** Sorted and without repetitions up to here. */
  #sorted = 0;

  constructor(rightRows: number) {
    this.#rightRows = rightRows;
  }

  add(left: number, right: number): void {
    if (this.#used === this.#keys.length) this.#grow();
    this.#keys[this.#used++] = left * this.#rightRows + right;
  }

  /** Sorting first often frees enough: sources find the same pairs. */
  #grow(): void {
    this.#sort();
    if (this.#used < 0.7 * this.#keys.length) return;
    const larger = new Float64Array(2 * this.#keys.length);
    larger.set(this.#keys);
    this.#keys = larger;
  }

  #sort(): void {
    if (this.#sorted === this.#used) return;
    const keys = this.#keys.subarray(0, this.#used).sort();
    let used = 0;
    for (const key of keys) if (used === 0 || keys[used - 1] !== key) keys[used++] = key;
    this.#used = used;
    this.#sorted = used;
  }

  finish(): Pairs {
    this.#sort();
    const left = new Int32Array(this.#used);
    const right = new Int32Array(this.#used);
    for (let pair = 0; pair < this.#used; pair++) {
      left[pair] = Math.floor(this.#keys[pair] / this.#rightRows);
      right[pair] = this.#keys[pair] - left[pair] * this.#rightRows;
    }
    return { left, right };
  }
}
