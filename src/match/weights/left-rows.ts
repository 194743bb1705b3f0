/** The left rows of many pairs, which are sorted by them: a pair takes no memory of its own. */
import { placeIn } from "./chosen-places.js";

/** The left row of each pair; an array is one too. */
export interface LeftRows {
  readonly length: number;
  at(pair: number): number | undefined;
  slice(from: number, to: number): Int32Array;
}

export interface RowPairs {
  /** Ascending. */
  readonly left: LeftRows;
  readonly right: Int32Array;
}

/** Rows that are looked at in order before a search begins: most pairs are asked for one after another. */
const nearRows = 8;

export class SortedRows implements LeftRows {
  /** [rows + 1] where the pairs of each row begin. */
  readonly #starts: Uint32Array;
  /** Rows of pairs that follow, in any order. */
  readonly #more: Int32Array;
  readonly #sorted: number;
  /** The row that was asked for last. */
  #row = 0;

  private constructor(starts: Uint32Array, more: Int32Array) {
    this.#starts = starts;
    this.#more = more;
    this.#sorted = starts[starts.length - 1];
  }

  /** @param rowOf ascending, below `rows` */
  static of(rowOf: Int32Array, rows: number): SortedRows {
    const starts = new Uint32Array(rows + 1);
    for (const row of rowOf) starts[row + 1]++;
    for (let row = 0; row < rows; row++) starts[row + 1] += starts[row];
    return SortedRows.from(starts);
  }

  /** @param starts [rows + 1] where the pairs of each row begin, and where those of the last end */
  static from(starts: Uint32Array): SortedRows {
    return new SortedRows(starts, new Int32Array(0));
  }

  followedBy(more: Int32Array): SortedRows {
    return new SortedRows(this.#starts, more);
  }

  /** [rows + 1] where the pairs of each row begin; undefined where others follow. */
  get starts(): Uint32Array | undefined {
    return this.#more.length === 0 ? this.#starts : undefined;
  }

  get length(): number {
    return this.#sorted + this.#more.length;
  }

  at(pair: number): number {
    if (pair >= this.#sorted) return this.#more[pair - this.#sorted];
    if (pair < this.#starts[this.#row] || pair >= this.#starts[this.#row + 1]) this.#seek(pair);
    return this.#row;
  }

  #seek(pair: number): void {
    const starts = this.#starts;
    let row = pair < starts[this.#row] ? 0 : this.#row;
    const near = Math.min(row + nearRows, starts.length - 2);
    while (row < near && starts[row + 1] <= pair) row++;
    this.#row =
      starts[row + 1] > pair ? row : placeIn(row, starts.length - 2, (at) => starts[at + 1] <= pair);
  }

  slice(from: number, to: number): Int32Array {
    const rows = new Int32Array(to - from);
    this.writeTo(rows, from, to);
    return rows;
  }

  /** Writes the rows of some pairs. */
  writeTo(rows: Int32Array, from: number, to: number): void {
    const [starts, end] = [this.#starts, Math.min(to, this.#sorted)];
    let row = from < end ? this.at(from) : 0;
    for (let pair = from; pair < end; pair++) {
      while (starts[row + 1] <= pair) row++;
      rows[pair - from] = row;
    }
    for (let pair = Math.max(from, end); pair < to; pair++)
      rows[pair - from] = this.#more[pair - this.#sorted];
  }
}
