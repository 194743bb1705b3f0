/** Words of similar spelling, as hard negatives: found by shared deletions (as in SymSpell). */
import { distance } from "fastest-levenshtein";
import { ArgumentError } from "../../errors.js";
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
import { placeIn } from "../../match/weights/chosen-places.js";
import { createRandom } from "../../random.js";

/** Longer words have more deletions than they are worth. */
const LONGEST = 40;
/** Larger groups are skipped: their words share only one to three letters. */
const CROWD = 64;
/** Words that fit into a key beside a hash. */
const MOST_WORDS = 2 ** 21;

/**
 * For each word the numbers of others that become equal to it when each loses at most one character: Levenshtein
 * distance 1 or 2. The nearest come first; letter case is ignored.
 * @param count words listed for each at most @param seed of the order of equally near words
 * @throws ArgumentError for more than two million words
 */
export function nearWords(
  words: readonly string[],
  { count = 8, seed = 0 }: { readonly count?: number; readonly seed?: number } = {},
): Int32Array[] {
  if (words.length > MOST_WORDS)
    throw new ArgumentError(
      `${words.length} words are too many to search for similar spelling: use at most ${MOST_WORDS} (--limit)`,
    );
  const lowered = words.map((word) => word.toLowerCase());
  const keys = deletionKeys(lowered);
  const random = createRandom(seed);
  return lowered.map((word, number) => {
    const others = new Set<number>();
    for (const hash of deletionsOf(word).sort()) addSharers(others, keys, hash);
    others.delete(number);
    // 0 apart: the same word in other letter case, the hardest negative
    const drawn = [...others].map((other) => ({
      other,
      apart: distance(word, lowered[other]),
      lot: random(),
    }));
    drawn.sort((a, b) => a.apart - b.apart || a.lot - b.lot);
    return Int32Array.from(drawn.slice(0, count), ({ other }) => other);
  });
}

/**
 * Sorted keys of all words' deletions: a hash of 32 bits and the word's number of 21 bits, of which a float64 holds 53
 * exactly. Keys take less memory than pairs of words, of which two million words may have a hundred million.
 */
function deletionKeys(words: readonly string[]): Float64Array {
  const keys = new Float64Array(words.reduce((sum, word) => sum + 1 + lengthOf(word), 0));
  let filled = 0;
  words.forEach((word, number) => {
    for (const hash of deletionsOf(word)) keys[filled++] = hash * MOST_WORDS + number;
  });
  keys.sort();
  // "hello" becomes "helo" twice
  return keys.filter((key, i) => key !== keys[i - 1]);
}

/** Adds the numbers of the words with a deletion of this hash, unless they are many. */
function addSharers(others: Set<number>, keys: Float64Array, hash: number): void {
  const least = hash * MOST_WORDS;
  const start = placeIn(0, keys.length - 1, (at) => keys[at] < least);
  let end = start;
  while (keys[end] < least + MOST_WORDS) if (++end - start > CROWD) return;
  for (let at = start; at < end; at++) others.add(keys[at] - least);
}

/** Letters whose deletion is tried. */
const lengthOf = (word: string): number => (word.length > LONGEST ? 0 : word.length);

/** Hashes of a word and of what each deletion of a letter leaves. */
function deletionsOf(word: string): Uint32Array {
  const hashes = new Uint32Array(1 + lengthOf(word));
  for (let i = 0; i < hashes.length; i++) hashes[i] = hashWithout(word, i - 1);
  return hashes;
}

/** FNV-1a over all characters but one (-1: over all), 32 bits. */
function hashWithout(word: string, gap: number): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < word.length; i++) if (i !== gap) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}
