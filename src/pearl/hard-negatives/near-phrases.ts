/** The nearest phrases by edit ratio: every phrase of a corpus against the whole corpus, a group of queries at a time. */
import { leastCommon } from "./edit-ratio.js";
import { charactersAt, type LengthRun, type PhraseStore } from "./phrase-store.js";
import { hitsAt, openScan, PIECE, type Scan, SIGNATURE_BYTES, workspaceBytes } from "./scan-kernel.js";

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
/** A search over a store, in one thread. */
export class NearSearch {
  readonly #store: PhraseStore;
  readonly #options: NearOptions;
  readonly #scan: Scan;
  readonly #workspace: number;
  /** For each code, the positions in the phrase that is compared, as bits. */
  readonly #masks: Uint32Array;
  /** Place and common subsequence of each hit. */
  readonly #hits: Int32Array;
  readonly #characters: Uint16Array;

  /** @param thread which of the workspaces is this thread's, from 0 */
  constructor(store: PhraseStore, thread: number, options: NearOptions) {
    this.#store = store;
    this.#options = options;
    const { memory, workspaces, alphabet } = store;
    this.#scan = openScan(memory);
    this.#workspace = workspaces + thread * workspaceBytes(alphabet);
    this.#masks = new Uint32Array(memory.buffer, this.#workspace);
    this.#hits = new Int32Array(memory.buffer, hitsAt(this.#workspace, alphabet));
    this.#characters = new Uint16Array(memory.buffer);
  }

  /** The nearest phrases of those at the places `first` to `last` (exclusive), in order. */
  find(first: number, last: number): NearPhrases[] {
    const { runs } = this.#store;
    const queries: Query[] = [];
    for (let place = first; place < last; place++) {
      const run = runs.find((candidate) => place < candidate.last) as LengthRun;
      queries.push(new Query(place, run, this.#options));
    }
    for (const piece of pieces(runs, queries[0])) for (const query of queries) this.#search(query, piece);
    return queries.map((query) => query.result());
  }

  #search(query: Query, { run, first, last }: Piece): void {
    const both = query.run.length + run.length;
    const least = leastCommon(query.threshold, both);
    if (least > Math.min(query.run.length, run.length)) return;
    const words = Math.ceil(query.run.length / 64);
    this.#eachMask(query, words, (masks, at, bit) => {
      masks[at] |= bit;
    });
    const found = this.#scan(words, {
      signature: query.place * SIGNATURE_BYTES,
      first: first * SIGNATURE_BYTES,
      last: last * SIGNATURE_BYTES,
      characters: run.characters - 2 * run.length * run.first,
      stride: 2 * run.length,
      mostDifferent: both - 2 * least,
      leastCommon: least,
      masks: this.#workspace,
      hits: this.#hits.byteOffset,
    });
    this.#eachMask(query, words, (masks, at) => {
      masks[at] = 0;
    });
    for (let hit = 0; hit < found; hit++) {
      const ratio = (2 * this.#hits[2 * hit + 1]) / both;
      if (ratio > query.threshold) query.offer(this.#hits[2 * hit], ratio);
    }
  }

  /** Visits the bit of each position of the query's phrase. */
  #eachMask(
    { place, run }: Query,
    words: number,
    visit: (masks: Uint32Array, at: number, bit: number) => void,
  ): void {
    const start = charactersAt(run, place);
    for (let index = 0; index < run.length; index++)
      visit(this.#masks, 2 * words * this.#characters[start + index] + (index >>> 5), 1 << (index & 31));
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
