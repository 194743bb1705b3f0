/** Which words the two rows of a pair have, looked up at once: each word keeps the last row of its side that has it. */
import type { RowWords } from "./row-words.js";
import type { Lists } from "./vocabulary.js";

export class RowStamps {
  /** By word. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly #rows: Pick<RowWords, "left" | "right">;
  #lastLeft = -1;
  #lastRight = -1;

  constructor(rows: RowWords) {
    this.#rows = rows;
    this.left = new Int32Array(rows.rarity.length).fill(-1);
    this.right = new Int32Array(rows.rarity.length).fill(-1);
  }

  /** Pairs come sorted by left row, which is then stamped once. */
  stamp(left: number, right: number): void {
    if (this.#lastLeft !== left) stampRow(this.left, this.#rows.left, left);
    if (this.#lastRight !== right) stampRow(this.right, this.#rows.right, right);
    this.#lastLeft = left;
    this.#lastRight = right;
  }
}

function stampRow(stamps: Int32Array, { starts, items }: Lists, row: number): void {
  for (let place = starts[row]; place < starts[row + 1]; place++) stamps[items[place]] = row;
}
