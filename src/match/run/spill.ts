/** Sorted runs of numbers on disk, and their merge: an external merge sort (Knuth, The Art of Computer Programming 3, 5.4). */
import { closeSync, readSync, writeSync } from "node:fs";
import { Heap } from "../../heap.js";
import { openUnnamed } from "../../table/read/cell-file.js";
import { writeTrouble } from "../../table/trouble.js";
import type { Spill } from "../candidates/pair-set.js";

type SpillRuns = Spill["runs"];

/** Numbers of a run that are read at a time. */
const readAtOnce = 16_384;
/** Bytes that are written at a time: Node takes less than 2 GiB. */
const mostWritten = 2 ** 30;
const bytesPerNumber = Float64Array.BYTES_PER_ELEMENT;

interface Run {
  /** Numbers of the file before it, and those up to its end. */
  next: number;
  readonly end: number;
  numbers: Float64Array;
  place: number;
}

/** Runs of ascending numbers in a file without a name, which is gone with the process however that ends. */
export class SpilledRuns implements SpillRuns {
  readonly #folder: string;
  readonly #ends: number[] = [];
  #file: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Numbers of all runs. */
  get length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** @throws TableError where the folder has no room, or cannot be written to */
  add(run: Float64Array): void {
    const start = this.length;
    try {
      this.#file ??= openUnnamed(this.#folder);
      const bytes = new Uint8Array(run.buffer, run.byteOffset, run.byteLength);
      for (let done = 0; done < bytes.length; ) {
        const length = Math.min(bytes.length - done, mostWritten);
        done += writeSync(this.#file, bytes, done, length, start * bytesPerNumber + done);
      }
    } catch (error) {
      this.close();
      throw writeTrouble(error, this.#folder);
    }
    this.#ends.push(start + run.length);
  }

  /** All numbers, ascending, each once. */
  *merged(): Generator<number> {
    const heap = new Heap<Run>((a, b) => a.numbers[a.place] < b.numbers[b.place]);
    for (const [index, end] of this.#ends.entries()) {
      const run = { next: this.#ends[index - 1] ?? 0, end, numbers: new Float64Array(0), place: 0 };
      if (this.#fill(run)) heap.push(run);
    }
    let last = Number.NaN;
    while (heap.items.length > 0) {
      const [run] = heap.items;
      const number = run.numbers[run.place++];
      if (number !== last) yield number;
      last = number;
      if (run.place < run.numbers.length || this.#fill(run)) heap.replaceFirst(run);
      else heap.pop();
    }
  }

  /** Reads the next numbers of a run. @returns whether there are any */
  #fill(run: Run): boolean {
    run.numbers = new Float64Array(Math.min(readAtOnce, run.end - run.next));
    run.place = 0;
    const bytes = new Uint8Array(run.numbers.buffer);
    for (let done = 0; done < bytes.length; )
      done += readSync(this.#file!, bytes, done, bytes.length - done, run.next * bytesPerNumber + done);
    run.next += run.numbers.length;
    return run.numbers.length > 0;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#ends.length = 0;
  }
}
