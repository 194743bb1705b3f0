/** The nearest phrases by edit ratio: a group of phrases at a time against the whole corpus. */
import { Heap } from "../../heap.js";
import { leastCommon } from "./edit-ratio.js";
import { charactersAt, type LengthRun, type PhraseStore } from "./phrase-store.js";
import { hitsAt, openScan, PIECE, type Scan, SIGNATURE_BYTES, workspaceBytes } from "./scan-kernel.js";

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

  /** For each place from `first` to `last` (exclusive) its nearest phrases, best first. */
  find(first: number, last: number): NearPhrase[][] {
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
    this.#mark(query, words, "set");
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
    this.#mark(query, words, "clear");
    for (let hit = 0; hit < found; hit++) {
      const ratio = (2 * this.#hits[2 * hit + 1]) / both;
      if (ratio > query.threshold) query.offer(this.#hits[2 * hit], ratio);
    }
  }

  #mark({ place, run }: Query, words: number, how: "set" | "clear"): void {
    const start = charactersAt(run, place);
    for (let index = 0; index < run.length; index++) {
      const at = 2 * words * this.#characters[start + index] + (index >>> 5);
      this.#masks[at] = how === "set" ? this.#masks[at] | (1 << (index & 31)) : 0;
    }
  }
}

/** A phrase that is compared with others, and the nearest of them so far. */
class Query {
  readonly place: number;
  readonly run: LengthRun;
  readonly #options: NearOptions;
  /** The farthest first. */
  readonly #heap = new Heap<NearPhrase>((a, b) => a.ratio < b.ratio);
  /** Only ratios above this change the result. */
  threshold: number;

  constructor(place: number, run: LengthRun, options: NearOptions) {
    this.place = place;
    this.run = run;
    this.#options = options;
    this.threshold = options.minimumRatio;
  }

  offer(place: number, ratio: number): void {
    const { nearest } = this.#options;
    if (place === this.place || this.#options.isKnown(this.place, place)) return;
    const heap = this.#heap;
    if (heap.items.length < nearest) heap.push({ place, ratio });
    else heap.replaceFirst({ place, ratio });
    if (heap.items.length === nearest) this.threshold = heap.items[0].ratio;
  }

  result(): NearPhrase[] {
    return [...this.#heap.items].sort((a, b) => b.ratio - a.ratio || a.place - b.place);
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
