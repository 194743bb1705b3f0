/** The nearest phrases by edit ratio: a group of phrases at a time against the whole corpus. */
import { Heap } from "../../heap.js";
import { leastCommon } from "./edit-ratio.js";
import { charactersAt, type LengthRun, type PhraseStore } from "./phrase-store.js";
import { hitsAt, openScan, PIECE, SIGNATURE_BYTES, workspaceBytes } from "./scan-kernel.js";

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

/** @param thread which of the workspaces is this thread's, from 0 */
export function nearSearch(store: PhraseStore, thread: number, options: NearOptions) {
  const { memory, workspaces, alphabet, runs } = store;
  const scan = openScan(memory);
  const workspace = workspaces + thread * workspaceBytes(alphabet);
  // for each code, the positions in the phrase that is compared, as bits
  const masks = new Uint32Array(memory.buffer, workspace);
  // place and common subsequence of each hit
  const hits = new Int32Array(memory.buffer, hitsAt(workspace, alphabet));
  const characters = new Uint16Array(memory.buffer);
  const mark = ({ place, run }: Query, words: number, how: "set" | "clear"): void => {
    const start = charactersAt(run, place);
    for (let index = 0; index < run.length; index++) {
      const at = 2 * words * characters[start + index] + (index >>> 5);
      masks[at] = how === "set" ? masks[at] | (1 << (index & 31)) : 0;
    }
  };
  const search = (query: Query, { run, first, last }: Piece): void => {
    const both = query.run.length + run.length;
    const least = leastCommon(query.threshold, both);
    if (least > Math.min(query.run.length, run.length)) return;
    const words = Math.ceil(query.run.length / 64);
    mark(query, words, "set");
    const found = scan(words, {
      signature: query.place * SIGNATURE_BYTES,
      ...{ first: first * SIGNATURE_BYTES, last: last * SIGNATURE_BYTES },
      characters: run.characters - 2 * run.length * run.first,
      stride: 2 * run.length,
      ...{ mostDifferent: both - 2 * least, leastCommon: least, masks: workspace, hits: hits.byteOffset },
    });
    mark(query, words, "clear");
    for (let hit = 0; hit < found; hit++) {
      const ratio = (2 * hits[2 * hit + 1]) / both;
      if (ratio > query.threshold) query.offer(hits[2 * hit], ratio);
    }
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
