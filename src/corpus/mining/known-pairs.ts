/** Pairs of phrases that are never hard negatives: equal after normalisation, known synonyms, or synonyms of the same phrase. */
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
import { createRandom } from "../../random.js";
import { mean } from "../../statistics.js";
import { normalizedWords } from "../../text/hashed-ngrams.js";

/**
 * Workers share its memory. Phrases are 53-bit hashes of their normal form: two of a million collide with a
 * probability of 6 in 100,000, and then only cost a negative.
 */
export interface KnownPairs {
  readonly keys: Float64Array;
  /** The synonyms of row r are at starts[r] to starts[r + 1]. */
  readonly starts: Int32Array;
  readonly synonyms: Float64Array;
}

/** Indexes the known pairs by corpus row. Pairs count both ways; circles and repetitions do no harm. */
export function indexKnownPairs(
  phrases: readonly string[],
  pairs: readonly { readonly phrase: string; readonly synonym: string }[],
): KnownPairs {
  const known = new Map<number, Set<number>>();
  const add = (from: number, to: number): void => {
    known.set(from, (known.get(from) ?? new Set()).add(to));
  };
  for (const { phrase, synonym } of pairs) {
    const [left, right] = [normalKey(phrase), normalKey(synonym)];
    add(left, right);
    add(right, left);
  }
  const keys = new Float64Array(new SharedArrayBuffer(8 * phrases.length));
  const starts = new Int32Array(new SharedArrayBuffer(4 * (phrases.length + 1)));
  phrases.forEach((phrase, row) => {
    keys[row] = normalKey(phrase);
    starts[row + 1] = starts[row] + (known.get(keys[row])?.size ?? 0);
  });
  const synonyms = new Float64Array(new SharedArrayBuffer(8 * starts[phrases.length]));
  keys.forEach((key, row) => {
    synonyms.set([...(known.get(key) ?? [])], starts[row]);
  });
  return { keys, starts, synonyms };
}

/** True where two corpus rows are the same phrase in another spelling, synonyms, or share a synonym. */
export function isKnownPair({ keys, starts, synonyms }: KnownPairs, a: number, b: number): boolean {
  if (keys[a] === keys[b]) return true;
  if (starts[a] === starts[a + 1] || starts[b] === starts[b + 1]) return false;
  const ofA = synonyms.subarray(starts[a], starts[a + 1]);
  const ofB = synonyms.subarray(starts[b], starts[b + 1]);
  return ofA.includes(keys[b]) || ofA.some((synonym) => ofB.includes(synonym));
}

/**
 * A hash of a phrase without case, accents, spaces and punctuation: "U.S.A." and "usa", "e-mail" and "Email" have
 * the same. A phrase of punctuation alone keeps it.
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

/** Embeddings of a whole corpus at one byte per dimension, in shared memory. */
export interface CompactVectors {
  readonly dimension: number;
  /** [rows, dimension]: each vector scaled so that its largest number is 127. */
  readonly values: Int8Array;
}

export function shareVectors(rows: number, dimension: number): CompactVectors {
  return { dimension, values: new Int8Array(new SharedArrayBuffer(rows * dimension)) };
}

/** Rounds vectors, [rows, dimension], into rows from `first` on. */
export function storeVectors({ dimension, values }: CompactVectors, first: number, data: Float32Array): void {
  for (let start = 0; start < data.length; start += dimension) {
    const row = data.subarray(start, start + dimension);
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = largest > 0 ? 127 / largest : 0;
    values.set(
      row.map((value) => Math.round(value * scale)),
      first * dimension + start,
    );
  }
}

/** Cosine of two rows, within 0.01 of the exact one; 0 where one of them is zero. */
export function compactCosine({ dimension, values }: CompactVectors, a: number, b: number): number {
  const startA = a * dimension;
  const startB = b * dimension;
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let index = 0; index < dimension; index++) {
    const left = values[startA + index];
    const right = values[startB + index];
    both += left * right;
    squaresA += left * left;
    squaresB += right * right;
  }
  return both === 0 ? 0 : both / Math.sqrt(squaresA * squaresB);
}

/** The mean cosine of ten thousand random pairs of rows; 0 for fewer than two rows. */
export function meanCosine(vectors: CompactVectors): number {
  const rows = vectors.values.length / vectors.dimension;
  if (rows < 2) return 0;
  const random = createRandom(0);
  const cosines = Array.from({ length: 10_000 }, () => {
    const a = Math.floor(random() * rows);
    return compactCosine(vectors, a, (a + 1 + Math.floor(random() * (rows - 1))) % rows);
  });
  return mean(cosines);
}
