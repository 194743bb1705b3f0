/**
 * Classes of pairs: pairs of the same levels in all columns. What follows from levels is computed once for each class, and a
 * pair takes four bytes in place of a level for each column and a number for each result.
 */

import { ArgumentError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";

export interface PairClasses {
  /** The class of each pair. */
  readonly classOf: Int32Array;
  /** Per column the level of each class, -1 where a side is empty. */
  readonly levels: readonly Int8Array[];
}

/** Finds the classes of pairs. @param levels per column the level of each pair */
export function pairClasses(levels: readonly Int8Array[]): PairClasses {
  const classes = new ClassesBuilder(levels.length, levels[0]?.length ?? 0);
  classes.add(levels, (pair) => pair);
  return classes.finish();
}

/** Finds the classes of pairs whose levels come in parts, in any order: only those of the classes are kept. */
export class ClassesBuilder {
  readonly #classOf: Int32Array;
  /** [columns] levels of each class. */
  readonly #levels: Int8Array[];
  #count = 0;
  /** Open addressing; -1 is free. */
  #slots = new Int32Array(4096).fill(-1);

  constructor(columns: number, pairs: number) {
    this.#classOf = withRoom(roomFor(pairs), pairs);
    this.#levels = Array.from({ length: columns }, () => new Int8Array(1024));
  }

  /** @param levels per column the level of each pair of a part @param placeOf the place of such a pair among all */
  add(levels: readonly Int8Array[], placeOf: (pair: number) => number): void {
    const pairs = levels[0]?.length ?? 0;
    for (let pair = 0; pair < pairs; pair++) this.#classOf[placeOf(pair)] = this.#classWith(levels, pair);
  }

  /** The same for pairs whose classes among themselves are known. @param places of the pairs among all */
  addClasses({ classOf, levels }: PairClasses, places: Uint32Array): void {
    const numbers = Int32Array.from({ length: classCount({ classOf, levels }) }, (_, own) =>
      this.#classWith(levels, own),
    );
    for (let pair = 0; pair < places.length; pair++) this.#classOf[places[pair]] = numbers[classOf[pair]];
  }

  #classWith(levels: readonly Int8Array[], pair: number): number {
    const slot = this.#slotOf(levels, pair);
    const known = this.#slots[slot];
    if (known >= 0) return known;
    this.#slots[slot] = this.#count;
    this.#keep(levels, pair);
    if (2 * this.#count >= this.#slots.length) this.#growSlots();
    return this.#count - 1;
  }

  #keep(levels: readonly Int8Array[], pair: number): void {
    if (this.#count === this.#levels[0].length)
      this.#levels.forEach((known, column) => {
        this.#levels[column] = joined(known, new Int8Array(known.length));
      });
    for (let column = 0; column < levels.length; column++)
      this.#levels[column][this.#count] = levels[column][pair];
    this.#count++;
  }

  #growSlots(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(-1);
    for (let known = 0; known < this.#count; known++) this.#slots[this.#slotOf(this.#levels, known)] = known;
  }

  #slotOf(levels: readonly Int8Array[], pair: number): number {
    let hash = 0;
    for (let column = 0; column < levels.length; column++) hash = Math.imul(hash, 31) + levels[column][pair];
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    const last = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 13)) & last;
    while (this.#slots[slot] >= 0 && !this.#isClass(this.#slots[slot], levels, pair))
      slot = (slot + 1) & last;
    return slot;
  }

  #isClass(known: number, levels: readonly Int8Array[], pair: number): boolean {
    for (let column = 0; column < levels.length; column++)
      if (this.#levels[column][known] !== levels[column][pair]) return false;
    return true;
  }

  /** Numbers the classes by their first pair. */
  finish(): PairClasses {
    const numbers = new Int32Array(this.#count).fill(-1);
    const order = new Int32Array(this.#count);
    let count = 0;
    this.#classOf.forEach((found, pair) => {
      if (numbers[found] < 0) {
        order[count] = found;
        numbers[found] = count++;
      }
      this.#classOf[pair] = numbers[found];
    });
    const levels = this.#levels.map((known) => Int8Array.from(order, (found) => known[found]));
    return { classOf: this.#classOf, levels };
  }
}

/** Pairs, followed by others. */
export function joinedClasses(a: PairClasses, b: PairClasses): PairClasses {
  const classes = classCount(a);
  const later = b.classOf.map((place) => classes + place);
  return {
    classOf: joined(a.classOf, later),
    levels: a.levels.map((known, column) => joined(known, b.levels[column])),
  };
}

/** Pairs, some of which become classes of their own, the last ones in this order. */
export function separated({ classOf, levels }: PairClasses, pairs: readonly number[]): PairClasses {
  const classes = classCount({ classOf, levels });
  const own = classOf.slice();
  pairs.forEach((pair, place) => {
    own[pair] = classes + place;
  });
  const ofPairs = levels.map((known) =>
    joined(
      known,
      Int8Array.from(pairs, (pair) => known[classOf[pair]]),
    ),
  );
  return { classOf: own, levels: ofPairs };
}

/** Every pair is a class of its own. */
export const everyPair = (pairs: number): Int32Array => Int32Array.from({ length: pairs }, (_, pair) => pair);

export const classCount = ({ levels }: PairClasses): number => levels[0]?.length ?? 0;

/** Sizes that were counted, by the classes of all pairs. */
const countedSizes = new WeakMap<Int32Array, Uint32Array>();

/** The number of pairs of each class, counted once. */
export function classSizes({ classOf, levels }: PairClasses): Uint32Array {
  const sizes = countedSizes.get(classOf) ?? sizesOf(classOf, classCount({ classOf, levels }));
  countedSizes.set(classOf, sizes);
  return sizes;
}

/** How many of some pairs are of each class. @param places their classes */
export function sizesOf(places: Iterable<number>, classes: number): Uint32Array {
  const sizes = new Uint32Array(classes);
  for (const place of places) sizes[place]++;
  return sizes;
}

/** Up to where the memory of numbers with room behind them is used, in bytes. */
const usedOf = new WeakMap<ArrayBufferLike, number>();

/** For so many pairs a number each, and room for others. */
export const roomFor = (pairs: number): Int32Array => new Int32Array(Math.floor(1.25 * pairs));

/** Pairs have numbers in Int32Array. */
const mostPairs = 2 ** 31 - 1;

/**
 * The first of some numbers; the rest is room for others to be joined, which takes no memory until it is used.
 * @throws ArgumentError for more pairs than have numbers
 */
export function withRoom(numbers: Int32Array, count: number): Int32Array {
  if (count > mostPairs)
    throw new ArgumentError(
      `these tables have ${formatCount(count)} candidate pairs, and pearl numbers ${formatCount(mostPairs)}. ` +
        "Compare parts of them, such as the rows of each country",
    );
  const first = numbers.subarray(0, count);
  usedOf.set(first.buffer, first.byteLength);
  return first;
}

/** The numbers of both; in the place of the first if there is room behind it. */
export function joined<Numbers extends Int8Array | Int32Array>(a: Numbers, b: Numbers): Numbers {
  const kind = a.constructor as new (
    from: ArrayBufferLike | number,
    start?: number,
    length?: number,
  ) => Numbers;
  const { buffer, byteOffset, byteLength } = a;
  const end = byteOffset + byteLength;
  const isRoom = usedOf.get(buffer) === end && end + b.byteLength <= buffer.byteLength;
  const both = isRoom ? new kind(buffer, byteOffset, a.length + b.length) : new kind(a.length + b.length);
  if (isRoom) usedOf.set(buffer, end + b.byteLength);
  else both.set(a);
  both.set(b, a.length);
  return both;
}
