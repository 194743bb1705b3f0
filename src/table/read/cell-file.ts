/** Columns of a large table in a file: they are read as arrays are, and take four bytes of memory for each cell. */

import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { likeArray } from "../../like-array.js";
import { writeTrouble } from "../trouble.js";

/** Cells that are read together where they are asked for in order. */
const blockBits = 12;
const blockRows = 2 ** blockBits;

/** Opens a new file without a name, which is gone with the process however that ends. */
export function openUnnamed(folder: string): number {
  const path = join(folder, `pearl-${randomBytes(6).toString("hex")}`);
  const file = openSync(path, "wx+");
  unlinkSync(path);
  return file;
}

/** Columns may be used for as long as anyone holds one. */
const unused = new FinalizationRegistry<number>(closeSync);

export class CellFile {
  readonly #folder: string;
  readonly #file: number;
  #size = 0;

  /** @throws TableError where the folder cannot be written to */
  constructor(folder: string) {
    this.#folder = folder;
    try {
      this.#file = openUnnamed(folder);
    } catch (error) {
      throw writeTrouble(error, folder);
    }
    unused.register(this, this.#file);
  }

  /** Keeps a column of so many cells. @param onLoaded receives the cells of each chunk @throws TableError on a full disk */
  async column(
    chunks: AsyncIterable<string[]>,
    rows: number,
    onLoaded?: (cells: number) => void,
  ): Promise<readonly string[]> {
    // Where each cell ends in its block, and where blocks begin in the file.
    const ends = new Uint32Array(rows);
    const starts = new Float64Array(Math.ceil(rows / blockRows) + 1);
    let row = 0;
    for await (const chunk of chunks) {
      let end = this.#size;
      // Each cell alone: halves of a surrogate pair in two cells are no character.
      const encoded = chunk.map((cell) => Buffer.from(cell));
      for (const cell of encoded) {
        const block = row >> blockBits;
        if (row % blockRows === 0) starts[block] = end;
        end += cell.length;
        ends[row++] = end - starts[block];
      }
      this.#write(Buffer.concat(encoded));
      onLoaded?.(chunk.length);
    }
    starts[starts.length - 1] = this.#size;
    return likeArray(rows, this.#reader(ends, starts));
  }

  #write(bytes: Buffer): void {
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#size + done);
    } catch (error) {
      throw writeTrouble(error, this.#folder);
    }
    this.#size += bytes.length;
  }

  /** Reads a block where rows are asked for in order, and single cells elsewhere. */
  #reader(ends: Uint32Array, starts: Float64Array): (row: number) => string {
    let [block, last] = [-1, -1];
    let bytes: Buffer = Buffer.alloc(0);
    return (row) => {
      const wanted = row >> blockBits;
      const from = row % blockRows === 0 ? 0 : ends[row - 1];
      const isNext = wanted !== block && (row === last + 1 || wanted === block + 1);
      last = row;
      if (isNext) {
        block = wanted;
        bytes = this.#read(starts[wanted], starts[wanted + 1] - starts[wanted]);
      }
      return wanted === block
        ? bytes.toString("utf8", from, ends[row])
        : this.#read(starts[wanted] + from, ends[row] - from).toString();
    };
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; )
      done += readSync(this.#file, bytes, done, length - done, start + done);
    return bytes;
  }
}
