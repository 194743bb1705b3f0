/** The nearest phrases by edit ratio: every phrase of a corpus against the whole corpus, a group of queries at a time. */
import { leastCommon } from "./edit-ratio.js";
import { BLOCK, charactersAt, type LengthRun, type PhraseStore } from "./phrase-store.js";
import { openScan, type Scan, SIGNATURE_BYTES } from "./scan-kernel.js";

/** What is near. */
export interface NearOptions {
  /** Ratios must be above this. */
  readonly minimumRatio: number;
  /** At most so many are kept for a phrase, the nearest; of equal ratios those found first. */
  readonly nearest: number;
  /** True for two places that must not count: a phrase and itself, or its synonym. */
  isKnown(place: number, other: number): boolean;
}

/** The nearest phrases of one, best first. */
export interface NearPhrases {
  readonly places: Int32Array;
  readonly ratios: Float64Array;
}

/** Queries that go through the corpus together: each piece of it is fetched from memory once for all of them. */
export const GROUP = 512;
/** Blocks of a piece, whose signatures take 32 KB. */
const PIECE = 128;
const PIECE_PHRASES = PIECE * BLOCK;
const HIT_BYTES = 8;
const LARGEST_MASKS = 32;

/** Shared memory that one thread's search takes, in bytes. */
export function workspaceBytes(alphabet: number): number {
  return alphabet * LARGEST_MASKS + PIECE_PHRASES * HIT_BYTES;
}

/** A search over a store, in one thread. */
export class NearSearch {
  readonly #store: PhraseStore;
  readonly #options: NearOptions;
  readonly #scan: Scan;
  readonly #masksAt: number;
  readonly #masks: Uint32Array;
  readonly #hitsAt: number;
  readonly #hits: Int32Array;
  readonly #characters: Uint16Array;

  /** @param thread which of the workspaces is this thread's, from 0 */
  constructor(store: PhraseStore, thread: number, options: NearOptions) {
    this.#store = store;
    this.#options = options;
    this.#scan = openScan(store.memory, store.layout);
    const { buffer } = store.memory;
    this.#masksAt = store.free + thread * workspaceBytes(store.alphabet);
    this.#hitsAt = this.#masksAt + store.alphabet * LARGEST_MASKS;
    this.#masks = new Uint32Array(buffer, this.#masksAt, (store.alphabet * LARGEST_MASKS) / 4);
    this.#hits = new Int32Array(buffer, this.#hitsAt, PIECE_PHRASES * 2);
    this.#characters = new Uint16Array(buffer);
  }

  /** The nearest phrases of those at the places `first` to `last` (exclusive), in order. */
  find(first: number, last: number): NearPhrases[] {
    const queries: Query[] = [];
    for (let place = first; place < last; place++) {
      const run = runOf(this.#store.runs, place);
      queries.push(new Query(place, run, this.#options));
    }
    for (const { run, firstBlock, lastBlock } of pieces(this.#store.runs, queries[0])) {
      for (const query of queries) this.#search(query, run, firstBlock, lastBlock);
    }
    return queries.map((query) => query.result());
  }

  #search(query: Query, run: LengthRun, firstBlock: number, lastBlock: number): void {
    const both = query.run.length + run.length;
    const least = leastCommon(query.threshold, both);
    if (least > Math.min(query.run.length, run.length)) return;
    const words = Math.ceil(query.run.length / 64);
    this.#setMasks(query, words);
    const found = this.#scan(words, {
      signature: this.#store.layout.signatures + query.place * SIGNATURE_BYTES,
      firstBlock,
      lastBlock,
      characters: run.characters - 2 * run.length * run.first,
      stride: 2 * run.length,
      mostDifferent: both - 2 * least,
      leastCommon: least,
      masks: this.#masksAt,
      hits: this.#hitsAt,
    });
    this.#clearMasks(query, words);
    for (let hit = 0; hit < found; hit++) {
      const place = this.#hits[2 * hit];
      const ratio = (2 * this.#hits[2 * hit + 1]) / both;
      if (ratio > query.threshold) query.offer(place, ratio);
    }
  }

  #setMasks({ place, run }: Query, words: number): void {
    const start = charactersAt(run, place) / 2;
    for (let index = 0; index < run.length; index++) {
      const code = this.#characters[start + index];
      this.#masks[2 * words * code + (index >>> 5)] |= 1 << (index & 31);
    }
  }

  #clearMasks({ place, run }: Query, words: number): void {
    const start = charactersAt(run, place) / 2;
    for (let index = 0; index < run.length; index++) {
      const code = this.#characters[start + index];
      this.#masks[2 * words * code + (index >>> 5)] = 0;
    }
  }
}

/** A phrase that looks for others, and the nearest it has met: a heap whose root is the farthest of them. */
class Query {
  readonly place: number;
  readonly run: LengthRun;
  readonly #options: NearOptions;
  readonly #places: Int32Array;
  readonly #ratios: Float64Array;
  #size = 0;
  /** Only ratios above this change anything. */
  threshold: number;

  constructor(place: number, run: LengthRun, options: NearOptions) {
    this.place = place;
    this.run = run;
    this.#options = options;
    this.#places = new Int32Array(options.nearest);
    this.#ratios = new Float64Array(options.nearest);
    this.threshold = options.minimumRatio;
  }

  offer(place: number, ratio: number): void {
    if (place === this.place || this.#options.isKnown(this.place, place)) return;
    const ratios = this.#ratios;
    if (this.#size < ratios.length) {
      this.#rise(this.#size++, place, ratio);
      if (this.#size === ratios.length) this.threshold = ratios[0];
      return;
    }
    this.#sink(place, ratio);
    this.threshold = ratios[0];
  }

  result(): NearPhrases {
    const order = Array.from({ length: this.#size }, (_, index) => index);
    order.sort((a, b) => this.#ratios[b] - this.#ratios[a] || this.#places[a] - this.#places[b]);
    return {
      places: Int32Array.from(order, (index) => this.#places[index]),
      ratios: Float64Array.from(order, (index) => this.#ratios[index]),
    };
  }

  #rise(from: number, place: number, ratio: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#ratios[parent] <= ratio) break;
      this.#put(at, this.#places[parent], this.#ratios[parent]);
      at = parent;
    }
    this.#put(at, place, ratio);
  }

  /** Puts a phrase in the root's place. */
  #sink(place: number, ratio: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#ratios[child + 1] < this.#ratios[child]) child++;
      if (this.#ratios[child] >= ratio) break;
      this.#put(at, this.#places[child], this.#ratios[child]);
      at = child;
    }
    this.#put(at, place, ratio);
  }

  #put(at: number, place: number, ratio: number): void {
    this.#places[at] = place;
    this.#ratios[at] = ratio;
  }
}

/** Blocks of one run. */
interface Piece {
  readonly run: LengthRun;
  readonly firstBlock: number;
  readonly lastBlock: number;
}

/**
 * The corpus in pieces, nearest lengths first and in the query's own run the pieces around it first: the nearest
 * phrases are met early, and rule out the rest by their ratio.
 */
function* pieces(runs: readonly LengthRun[], query: Query): Generator<Piece> {
  const own = query.run;
  const ownPiece = Math.floor((query.place - own.first) / PIECE_PHRASES);
  const ordered = [...runs].sort(
    (a, b) => Math.abs(a.length - own.length) - Math.abs(b.length - own.length) || a.length - b.length,
  );
  for (const run of ordered) {
    const count = Math.ceil((run.lastBlock - run.firstBlock) / PIECE);
    const order = Array.from({ length: count }, (_, index) => index);
    if (run === own) order.sort((a, b) => Math.abs(a - ownPiece) - Math.abs(b - ownPiece));
    for (const index of order) {
      const firstBlock = run.firstBlock + index * PIECE;
      yield { run, firstBlock, lastBlock: Math.min(firstBlock + PIECE, run.lastBlock) };
    }
  }
}

function runOf(runs: readonly LengthRun[], place: number): LengthRun {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (place < runs[middle].last) high = middle;
    else low = middle + 1;
  }
  return runs[low];
}
