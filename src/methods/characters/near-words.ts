/** Words of similar spelling, as hard negatives: found by shared deletions (as in SymSpell). */
import { distance } from "fastest-levenshtein";
import { ArgumentError } from "../../errors.js";
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
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
  const near: Map<number, number>[] = words.map(() => new Map());
  for (const crowd of sharedDeletions(lowered)) {
    for (let i = 0; i < crowd.length; i++)
      for (let j = i + 1; j < crowd.length; j++) {
        const [a, b] = [crowd[i], crowd[j]];
        if (near[a].has(b)) continue;
        const apart = distance(lowered[a], lowered[b]);
        // 0: the same word in other letter case, the hardest negative
        near[a].set(b, apart);
        near[b].set(a, apart);
      }
  }
  const random = createRandom(seed);
  return near.map((found) => {
    const drawn = [...found].map(([word, apart]) => ({ word, apart, lot: random() }));
    drawn.sort((a, b) => a.apart - b.apart || a.lot - b.lot);
    return Int32Array.from(drawn.slice(0, count), ({ word }) => word);
  });
}

/** Groups of words that share a deletion, by sorting hashes: a few bytes for each instead of a string. */
function* sharedDeletions(words: readonly string[]): Generator<number[]> {
  const total = words.reduce((sum, word) => sum + 1 + Math.min(word.length, LONGEST), 0);
  // a hash of 32 bits and the word's number of 21 bits: a float64 holds 53 bits exactly
  const keys = new Float64Array(total);
  let filled = 0;
  words.forEach((word, number) => {
    const most = word.length > LONGEST ? 0 : word.length;
    for (let gap = -1; gap < most; gap++) keys[filled++] = hashWithout(word, gap) * MOST_WORDS + number;
  });
  const sorted = keys.subarray(0, filled).sort();
  for (let start = 0; start < filled; ) {
    const hash = Math.floor(sorted[start] / MOST_WORDS);
    const crowd = new Set<number>();
    let end = start;
    for (; end < filled && Math.floor(sorted[end] / MOST_WORDS) === hash; end++)
      crowd.add(sorted[end] % MOST_WORDS);
    if (crowd.size > 1 && crowd.size <= CROWD) yield [...crowd];
    start = end;
  }
}

/** FNV-1a over all characters but one (-1: over all), 32 bits. */
function hashWithout(word: string, gap: number): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < word.length; i++) if (i !== gap) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}
