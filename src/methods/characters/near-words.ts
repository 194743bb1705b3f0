/** Words that look alike: hard negatives for learning spelling, found by shared deletions (as in SymSpell). */

import { distance } from "fastest-levenshtein";
import { ArgumentError } from "../../errors.js";
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
import { createRandom } from "../../random.js";

export interface NearWordsOptions {
  /** Words listed for each at most; default 8. */
  readonly count?: number;
  /** Of the choice where there are more; default 0. */
  readonly seed?: number;
}

/** Longest words looked at: longer ones have more deletions than they are worth. */
const LONGEST = 40;
/** Words of one deletion that are compared with one another at most; more share only one to three letters. */
const CROWD = 64;

/**
 * For each word the numbers of others that become equal to it when each loses at most one character: at
 * Levenshtein distance 1 or 2. The nearer come first; capitals count as small letters.
 * @throws ArgumentError for more than two million words
 */
export function nearWords(
  words: readonly string[],
  { count = 8, seed = 0 }: NearWordsOptions = {},
): Int32Array[] {
  if (words.length > NUMBERS)
    throw new ArgumentError(
      `${words.length} words are more than the ${NUMBERS} that are looked through for similar spelling: limit them`,
    );
  const lowered = words.map((word) => word.toLowerCase());
  const near: Map<number, number>[] = words.map(() => new Map());
  for (const crowd of sharedDeletions(lowered)) {
    for (let i = 0; i < crowd.length; i++)
      for (let j = i + 1; j < crowd.length; j++) {
        const [a, b] = [crowd[i], crowd[j]];
        if (near[a].has(b)) continue;
        const apart = distance(lowered[a], lowered[b]);
        // the same word in other letter case is told apart by its capital alone: the hardest there is
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

/** Groups of words that share a deletion, by sorting its hashes: a few bytes for each instead of a string. */
function* sharedDeletions(words: readonly string[]): Generator<number[]> {
  const total = words.reduce((sum, word) => sum + 1 + Math.min(word.length, LONGEST), 0);
  // a hash of 32 bits and behind it the word's number of 21: as many as a float64 holds exactly
  const keys = new Float64Array(total);
  let filled = 0;
  words.forEach((word, number) => {
    const most = word.length > LONGEST ? 0 : word.length;
    for (let gap = -1; gap < most; gap++) keys[filled++] = hashWithout(word, gap) * NUMBERS + number;
  });
  const sorted = keys.subarray(0, filled).sort();
  for (let start = 0; start < filled; ) {
    const hash = Math.floor(sorted[start] / NUMBERS);
    const crowd = new Set<number>();
    let end = start;
    for (; end < filled && Math.floor(sorted[end] / NUMBERS) === hash; end++)
      crowd.add(sorted[end] % NUMBERS);
    if (crowd.size > 1 && crowd.size <= CROWD) yield [...crowd];
    start = end;
  }
}

/** Words there may be. */
const NUMBERS = 2 ** 21;

/** FNV-1a over all characters but one (-1: over all), 32 bits. */
function hashWithout(word: string, gap: number): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < word.length; i++) if (i !== gap) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}
