/** The mining worker: the near phrases of a group of phrases, their cosines, and the hard negatives among them. */

import { type SelectOptions, selectNegatives } from "../../pearl/hard-negatives/edit-ratio.js";
import { nearSearch } from "../../pearl/hard-negatives/near-phrases.js";
import type { PhraseStore } from "../../pearl/hard-negatives/phrase-store.js";
import { serve } from "../../runtime/worker-server.js";
import { type CompactVectors, compactCosine, isKnownPair, type KnownPairs } from "./known-pairs.js";

/** What a worker needs; workers share nearly all of this memory. */
export interface MiningSetup extends SelectOptions {
  readonly store: PhraseStore;
  readonly known: KnownPairs;
  readonly vectors: CompactVectors;
  readonly minimumRatio: number;
  readonly nearest: number;
  readonly mined: MinedNegatives;
}

/** Hard negatives by corpus row, best first; each row has `listed` slots and uses the first `counts` of them. */
export interface MinedNegatives {
  /** [rows] */
  readonly counts: Uint8Array;
  /** [rows, listed] corpus rows of the negatives; the next two arrays have the same shape. */
  readonly negatives: Int32Array;
  readonly ratios: Float32Array;
  readonly cosines: Float32Array;
}

/** Phrases to mine: those at the places `first` to `last` (exclusive). */
export interface MiningRequest {
  readonly first: number;
  readonly last: number;
}

export interface MinedCounts {
  readonly phrases: number;
  /** Near phrases that were found. */
  readonly candidates: number;
  /** Phrases that reached `nearest`, the limit of near phrases. */
  readonly full: number;
  readonly negatives: number;
  readonly withNegatives: number;
}

let setup: MiningSetup;
let search: ReturnType<typeof nearSearch>;

serve({
  async open(opened: MiningSetup) {
    setup = opened;
    const { store, known, minimumRatio, nearest } = setup;
    const isKnown = (place: number, other: number): boolean =>
      isKnownPair(known, store.rows[place], store.rows[other]);
    search = nearSearch(store, { minimumRatio, nearest, isKnown });
    return { result: undefined };
  },
  mine: async (request: MiningRequest) => ({ result: mine(request) }),
});

function mine({ first, last }: MiningRequest): MinedCounts {
  const { store, vectors, mined, listed, nearest } = setup;
  const { rows } = store;
  const counts = { phrases: last - first, candidates: 0, full: 0, negatives: 0, withNegatives: 0 };
  search(first, last).forEach((near, index) => {
    const row = rows[first + index];
    const candidates = near.map(({ place, ratio }) => {
      const other = rows[place];
      return { other, ratio, cosine: compactCosine(vectors, row, other) };
    });
    const selected = selectNegatives(candidates, setup);
    counts.candidates += near.length;
    if (near.length === nearest) counts.full++;
    if (selected.length > 0) counts.withNegatives++;
    counts.negatives += selected.length;
    mined.counts[row] = selected.length;
    selected.forEach(({ other, ratio, cosine }, rank) => {
      const at = row * listed + rank;
      mined.negatives[at] = other;
      mined.ratios[at] = ratio;
      mined.cosines[at] = cosine;
    });
  });
  return counts;
}
