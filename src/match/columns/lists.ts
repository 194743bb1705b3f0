/** Lists of numbers: those that grow, the words of rows and values, and how rare each word is. */
import { shared, sharedCopy } from "../../runtime/shared-array.js";

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** Numbers that are added one after another: a plain array takes up to eight times as much memory. */
export class Growing<Kind extends Numbers> {
  /** Those added, and room for others. */
  numbers: Kind;
  length = 0;

  constructor(kind: new (length: number) => Kind) {
    this.numbers = new kind(1024);
  }

  push(number: number): void {
    if (this.length === this.numbers.length) this.numbers = enlarged(this.numbers, 2 * this.length);
    this.numbers[this.length++] = number;
  }

  added(): Kind {
    return this.numbers.subarray(0, this.length) as Kind;
  }
}

/** The same numbers with room for others. */
export function enlarged<Kind extends Numbers>(numbers: Kind, length: number): Kind {
  const larger = new (numbers.constructor as new (length: number) => Kind)(length);
  larger.set(numbers);
  return larger;
}

/** Lists of numbers, one for each item: item i has those from starts[i] to starts[i + 1]. */
export interface Lists<Items = Uint32Array> {
  readonly starts: Uint32Array;
  readonly items: Items;
}

/** Collects lists one after another. */
export class ListsBuilder {
  readonly #ends = new Growing(Uint32Array);
  #items = new Uint32Array(1024);
  #used = 0;

  push(items: ArrayLike<number>): void {
    const needed = this.#used + items.length;
    if (needed > this.#items.length) this.#items = enlarged(this.#items, 2 * needed);
    this.#items.set(items, this.#used);
    this.#used = needed;
    this.#ends.push(needed);
  }

  finish(): Lists {
    const starts = shared(Uint32Array, this.#ends.length + 1);
    starts.set(this.#ends.added(), 1);
    return { starts, items: sharedCopy(Uint32Array, this.#items.subarray(0, this.#used)) };
  }
}

/** In how many rows each word occurs; `times` is how many rows have the same list. */
export function countWords({ starts, items }: Lists, words: number, times?: ArrayLike<number>): Uint32Array {
  const counts = new Uint32Array(words);
  const lastSeen = new Int32Array(words).fill(-1);
  for (let list = 0; list + 1 < starts.length; list++) {
    for (let place = starts[list]; place < starts[list + 1]; place++) {
      if (lastSeen[items[place]] === list) continue;
      lastSeen[items[place]] = list;
      counts[items[place]] += times === undefined ? 1 : times[list];
    }
  }
  return counts;
}

/** For each number below `size` the lists that hold it, ascending. */
export function invertLists({ starts, items }: Lists, size: number): Lists {
  const ends = new Uint32Array(size + 1);
  for (const item of items) ends[item + 1]++;
  for (let item = 0; item < size; item++) ends[item + 1] += ends[item];
  const lists = new Uint32Array(items.length);
  for (let list = 0; list + 1 < starts.length; list++)
    for (let place = starts[list]; place < starts[list + 1]; place++) lists[ends[items[place]]++] = list;
  // Each start has moved to its end, which is the next one's start.
  return { starts: ends.copyWithin(1, 0).fill(0, 0, 1), items: lists };
}

/**
 * Rarity of each word, ln((N + 1) / (rows + .5)) / ln(N + 1), at least 0.02. Of N = 1,000 rows it is 0.94 for a word in one
 * row and 0.02 for one in every row; of 3 rows 0.71 and 0.10.
 */
export function rarities(counts: Uint32Array, rows: number): Float32Array {
  const whole = Math.log(rows + 1);
  const weights = shared(Float32Array, counts.length);
  counts.forEach((count, word) => {
    weights[word] = Math.min(1, Math.max(0.02, Math.log((rows + 1) / (count + 0.5)) / whole));
  });
  return weights;
}
