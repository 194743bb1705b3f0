/**
 * The nearest phrases by edit ratio: a group of phrases at a time against the whole corpus. Letter counts rule most of them out (a
 * bound, so nothing is missed); the rest is measured bit-parallel.
 */
import { Heap } from "../../heap.js";
import { leastCommon } from "./edit-ratio.js";
import { charactersAt, type LengthRun, LONGEST, type PhraseStore, SIGNATURE_WORDS } from "./phrase-store.js";

export interface NearOptions {
  readonly minimumRatio: number;
  readonly nearest: number;
  /** True for two places that must not count: a phrase and itself, or its synonym. */
  isKnown(place: number, other: number): boolean;
}

interface NearPhrase {
  readonly place: number;
  readonly ratio: number;
}

/** Phrases that are compared with the corpus together, which fetches each of its pieces from memory once for all. */
export const GROUP = 512;

/** Phrases of a run that are scanned at a time. */
const PIECE = 2048;
/** 32-bit words of a character's positions in the longest phrase. */
const MASK_WORDS = LONGEST / 32;

export function nearSearch(store: PhraseStore, options: NearOptions) {
  const { signatures, characters, alphabet, runs } = store;
  // [alphabet, words]: for each code, the positions in the phrase that is compared, as bits
  const masks = new Int32Array(alphabet * MASK_WORDS);
  const mark = ({ place, run }: Query, words: number, how: "set" | "clear"): void => {
    const start = charactersAt(run, place);
    for (let index = 0; index < run.length; index++) {
      const at = words * characters[start + index] + (index >>> 5);
      masks[at] = how === "set" ? masks[at] | (1 << (index & 31)) : 0;
    }
  };
  /** How many letters are in one of two phrases and not in the other; counting ends above `most`. */
  const differing = (place: number, other: number, most: number): number => {
    let [count, at] = [0, 0];
    while (at < SIGNATURE_WORDS && count <= most) {
      count += ones(signatures[SIGNATURE_WORDS * place + at] ^ signatures[SIGNATURE_WORDS * other + at]);
      at++;
    }
    return count;
  };
  const common = subsequences(characters, masks);
  const search = (query: Query, { run, first, last }: Piece): void => {
    const both = query.run.length + run.length;
    const least = leastCommon(query.threshold, both);
    if (least > Math.min(query.run.length, run.length)) return;
    const words = Math.ceil(query.run.length / 32);
    const most = both - 2 * least;
    mark(query, words, "set");
    const own = signatures[SIGNATURE_WORDS * query.place];
    for (let place = first; place < last; place++) {
      // the first word holds the letters that rule out most phrases
      if (ones(own ^ signatures[SIGNATURE_WORDS * place]) > most) continue;
      if (differing(query.place, place, most) > most) continue;
      const ratio = (2 * common(words, charactersAt(run, place), run.length)) / both;
      if (ratio > query.threshold) query.offer(place, ratio);
    }
    mark(query, words, "clear");
  };
  /** For each place from `first` to `last` (exclusive) its nearest phrases, best first. */
  return (first: number, last: number): NearPhrase[][] => {
    const queries: Query[] = [];
    for (let place = first; place < last; place++)
      queries.push(queryOf(place, runs.find((run) => place < run.last) as LengthRun, options));
    for (const piece of pieces(runs, queries[0])) for (const query of queries) search(query, piece);
    return queries.map((query) => query.result());
  };
}

/**
 * The longest common subsequence with the phrase behind the masks, by Hyyrö's bit-parallel rule (2004): for each
 * character, U = V & M and V = (V + U) | (V − U), V being all ones at first; zeros of V count the subsequence.
 */
function subsequences(characters: Uint16Array, masks: Int32Array) {
  const rows = new Int32Array(MASK_WORDS);
  return (words: number, start: number, length: number): number => {
    if (words === 1) {
      let row = -1;
      for (let index = start; index < start + length; index++) {
        const matched = row & masks[characters[index]];
        row = (row + matched) | (row & ~matched);
      }
      return 32 - ones(row);
    }
    rows.fill(-1, 0, words);
    for (let index = start; index < start + length; index++) {
      const mask = words * characters[index];
      let carry = 0;
      for (let word = 0; word < words; word++) {
        const matched = rows[word] & masks[mask + word];
        const sum = (rows[word] >>> 0) + (matched >>> 0) + carry;
        carry = sum > 0xffffffff ? 1 : 0;
        rows[word] = sum | (rows[word] & ~matched);
      }
    }
    let zeros = 32 * words;
    for (let word = 0; word < words; word++) zeros -= ones(rows[word]);
    return zeros;
  };
}

/** Bits that are set in a 32-bit number. */
function ones(number: number): number {
  let bits = number - ((number >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

type Query = ReturnType<typeof queryOf>;

/** A phrase that is compared with others, and the nearest of them so far. */
function queryOf(place: number, run: LengthRun, { minimumRatio, nearest, isKnown }: NearOptions) {
  // the farthest first
  const heap = new Heap<NearPhrase>((a, b) => a.ratio < b.ratio);
  return {
    ...{ place, run },
    /** Only ratios above this change the result. */
    threshold: minimumRatio,
    offer(other: number, ratio: number): void {
      if (other === place || isKnown(place, other)) return;
      if (heap.items.length < nearest) heap.push({ place: other, ratio });
      else heap.replaceFirst({ place: other, ratio });
      if (heap.items.length === nearest) this.threshold = heap.items[0].ratio;
    },
    result: () => [...heap.items].sort((a, b) => b.ratio - a.ratio || a.place - b.place),
  };
}

/** Phrases of one run, at the places `first` to `last` (exclusive). */
interface Piece {
  readonly run: LengthRun;
  readonly first: number;
  readonly last: number;
}

/**
 * The corpus in pieces, nearest lengths first and in the query's own run the pieces around it first: the nearest
 * phrases are met early, and rule out the rest by their ratio.
 */
function* pieces(runs: readonly LengthRun[], { run: own, place }: Query): Generator<Piece> {
  const away = ({ length }: LengthRun): number => Math.abs(length - own.length);
  const ownFirst = place - ((place - own.first) % PIECE);
  for (const run of [...runs].sort((a, b) => away(a) - away(b) || a.length - b.length)) {
    const starts: number[] = [];
    for (let first = run.first; first < run.last; first += PIECE) starts.push(first);
    if (run === own) starts.sort((a, b) => Math.abs(a - ownFirst) - Math.abs(b - ownFirst));
    for (const first of starts) yield { run, first, last: Math.min(first + PIECE, run.last) };
  }
}
