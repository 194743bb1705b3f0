/** Pairs of phrases that are never hard negatives: equal after normalisation, known synonyms, or synonyms of the same phrase. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
import { normalizedWords } from "../../text/hashed-ngrams.js";

/**
 * What may not be a negative of what; posted to threads as it is. Phrases are 53-bit hashes of their normal form:
 * two of a million collide with a probability of 6 in 100,000, and then only cost a negative.
 */
export interface KnownPairs {
  /** The key of each corpus row. */
  readonly keys: Float64Array;
  /** For each corpus row its place in `starts`, or -1 for a phrase without synonyms. */
  readonly slots: Int32Array;
  /** The synonyms' keys of slot s, ascending, are at starts[s] to starts[s + 1]. */
  readonly starts: Int32Array;
  readonly synonyms: Float64Array;
}

/** A synonym pair as files have it. */
export interface WordPair {
  readonly phrase: string;
  readonly synonym: string;
}

/** Puts the known pairs into typed arrays. Pairs count both ways; circles and repetitions do no harm. */
export function indexKnownPairs(phrases: readonly string[], pairs: readonly WordPair[]): KnownPairs {
  const keys = sharedFloat64(phrases.length);
  phrases.forEach((phrase, row) => {
    keys[row] = normalKey(phrase);
  });
  const from = new Float64Array(2 * pairs.length);
  const to = new Float64Array(2 * pairs.length);
  pairs.forEach(({ phrase, synonym }, index) => {
    from[2 * index] = to[2 * index + 1] = normalKey(phrase);
    to[2 * index] = from[2 * index + 1] = normalKey(synonym);
  });
  const order = Int32Array.from(from, (_, index) => index);
  order.sort((a, b) => from[a] - from[b] || to[a] - to[b]);
  const owners = new Float64Array(order.length);
  const starts = new Int32Array(new SharedArrayBuffer(4 * (order.length + 1)));
  const synonyms = sharedFloat64(order.length);
  let count = 0;
  order.forEach((entry, index) => {
    if (index === 0 || from[entry] !== owners[count - 1]) {
      owners[count] = from[entry];
      starts[count++] = index;
    }
    synonyms[index] = to[entry];
  });
  starts[count] = order.length;
  const slots = new Int32Array(new SharedArrayBuffer(4 * phrases.length));
  keys.forEach((key, row) => {
    slots[row] = find(owners, 0, count, key);
  });
  return { keys, slots, starts, synonyms };
}

/** True where two corpus rows are the same phrase in another spelling, synonyms, or share a synonym. */
export function isKnownPair({ keys, slots, starts, synonyms }: KnownPairs, a: number, b: number): boolean {
  if (keys[a] === keys[b]) return true;
  const [slotA, slotB] = [slots[a], slots[b]];
  if (slotA < 0 || slotB < 0) return false;
  // Pairs count both ways, so one side's list is enough.
  if (find(synonyms, starts[slotA], starts[slotA + 1], keys[b]) >= 0) return true;
  let left = starts[slotA];
  let right = starts[slotB];
  while (left < starts[slotA + 1] && right < starts[slotB + 1]) {
    if (synonyms[left] === synonyms[right]) return true;
    if (synonyms[left] < synonyms[right]) left++;
    else right++;
  }
  return false;
}

/** The place of a value in an ascending stretch, or -1. */
function find(values: Float64Array, first: number, last: number, value: number): number {
  let low = first;
  let high = last;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low < last && values[low] === value ? low : -1;
}

/**
 * A phrase without case, accents, spaces and punctuation as a number: "U.S.A." and "usa", "e-mail" and "Email" have
 * the same. Of a phrase of nothing but punctuation all of it counts.
 */
export function normalKey(phrase: string): number {
  const words = normalizedWords(phrase);
  const spoken = words.filter((word) => /[\p{L}\p{N}]/u.test(word));
  const form = (spoken.length > 0 ? spoken : words).join("");
  // Two 32-bit FNV-1a hashes (Fowler, Noll, Vo) from different bases, the second cut to 21 bits.
  let low = FNV_BASIS;
  let high = 0x9747b28c;
  for (let index = 0; index < form.length; index++) {
    const unit = form.charCodeAt(index);
    low = Math.imul(low ^ unit, FNV_PRIME);
    high = Math.imul(high ^ (unit + 0x9e37), FNV_PRIME);
  }
  return ((high ^ (high >>> 15)) & 0x1fffff) * 4294967296 + (low >>> 0);
}

function sharedFloat64(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * length));
}
