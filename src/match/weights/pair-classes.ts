/**
 * Classes of pairs: pairs of the same levels in all columns. What follows from levels is computed once for each class, and a
 * pair takes four bytes in place of a level for each column and a number for each result.
 */

export interface PairClasses {
  /** The class of each pair. */
  readonly classOf: Int32Array;
  /** Per column the level of each class, -1 where a side is empty. */
  readonly levels: readonly Int8Array[];
}

/** Finds the classes of pairs. @param levels per column the level of each pair */
export function pairClasses(levels: readonly Int8Array[]): PairClasses {
  const pairs = levels[0]?.length ?? 0;
  const classOf = new Int32Array(pairs);
  /** A pair of each class. */
  let first = new Int32Array(1024);
  let count = 0;
  // Open addressing; -1 is free.
  let slots = new Int32Array(4096).fill(-1);
  const hashOf = (pair: number): number => {
    let hash = 0;
    for (const ofColumn of levels) hash = Math.imul(hash, 31) + ofColumn[pair];
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  };
  const isEqual = (a: number, b: number): boolean => levels.every((ofColumn) => ofColumn[a] === ofColumn[b]);
  const slotOf = (pair: number): number => {
    let slot = hashOf(pair) & (slots.length - 1);
    while (slots[slot] >= 0 && !isEqual(first[slots[slot]], pair)) slot = (slot + 1) & (slots.length - 1);
    return slot;
  };
  for (let pair = 0; pair < pairs; pair++) {
    const slot = slotOf(pair);
    if (slots[slot] < 0) {
      slots[slot] = count;
      if (count === first.length) first = resized(first, 2 * count);
      first[count++] = pair;
    }
    classOf[pair] = slots[slot];
    if (2 * count < slots.length) continue;
    slots = new Int32Array(2 * slots.length).fill(-1);
    for (let known = 0; known < count; known++) slots[slotOf(first[known])] = known;
  }
  const pairOf = first.subarray(0, count);
  return { classOf, levels: levels.map((ofColumn) => Int8Array.from(pairOf, (pair) => ofColumn[pair])) };
}

/** Pairs, followed by others. */
export function joinedClasses(a: PairClasses, b: PairClasses): PairClasses {
  const classes = classCount(a);
  const classOf = resized(a.classOf, a.classOf.length + b.classOf.length);
  for (let pair = 0; pair < b.classOf.length; pair++)
    classOf[a.classOf.length + pair] = classes + b.classOf[pair];
  return { classOf, levels: a.levels.map((known, column) => joined(known, b.levels[column])) };
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

/** The number of pairs of each class. */
export function classSizes({ classOf, levels }: PairClasses): Uint32Array {
  const sizes = new Uint32Array(classCount({ classOf, levels }));
  for (const place of classOf) sizes[place]++;
  return sizes;
}

/** For each pair the number of its class. */
export const ofPairs = ({ classOf }: PairClasses, values: Float64Array): Float64Array =>
  Float64Array.from(classOf, (place) => values[place]);

function resized(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(numbers);
  return larger;
}

export function joined<Numbers extends Int8Array | Int32Array>(a: Numbers, b: Numbers): Numbers {
  const both = new (a.constructor as new (length: number) => Numbers)(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
