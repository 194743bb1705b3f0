/** The mining thread: the near phrases of a shard, their cosines, and the hard negatives among them. */

import { compactCosine } from "../../pearl/hard-negatives/compact-vectors.js";
import { isKnownPair } from "../../pearl/hard-negatives/known-pairs.js";
import { GROUP, NearSearch } from "../../pearl/hard-negatives/near-phrases.js";
import { selectNegatives } from "../../pearl/hard-negatives/select.js";
import { serve } from "../../runtime/worker-server.js";
import { FINISHED, type MiningRequest, type MiningSetup, type Shard, STOP } from "./mining-protocol.js";

let open: { readonly setup: MiningSetup; readonly search: NearSearch } | undefined;

serve({
  async open(setup: MiningSetup) {
    const { store, known, minimumRatio, nearest } = setup;
    const { rows } = store;
    const isKnown = (place: number, other: number): boolean => isKnownPair(known, rows[place], rows[other]);
    open = { setup, search: new NearSearch(store, setup.thread, { minimumRatio, nearest, isKnown }) };
    return { result: undefined };
  },
  async mine(request: MiningRequest) {
    if (open === undefined) throw new Error("mine before open");
    const shard = mine(open.setup, open.search, request);
    return { result: shard, transfer: shard && [shard.entries.buffer as ArrayBuffer] };
  },
  async close() {
    open = undefined;
    return { result: undefined };
  },
});

const bits = new DataView(new ArrayBuffer(4));

/** The bits of a number as a 32-bit float. */
function floatBits(value: number): number {
  bits.setFloat32(0, value, true);
  return bits.getInt32(0, true);
}

/** Mines a shard; undefined where it was stopped before its end. */
function mine(setup: MiningSetup, search: NearSearch, { first, last }: MiningRequest): Shard | undefined {
  const { rows } = setup.store;
  const entries: number[] = [];
  const counts = { phrases: last - first, candidates: 0, full: 0, negatives: 0, withNegatives: 0 };
  for (let start = first; start < last; start += GROUP) {
    if (Atomics.load(setup.state, STOP) === 1) return undefined;
    const end = Math.min(start + GROUP, last);
    search.find(start, end).forEach(({ places, ratios }, index) => {
      const row = rows[start + index];
      const cosines = Float64Array.from(places, (place) => compactCosine(setup.vectors, row, rows[place]));
      const selected = selectNegatives(ratios, cosines, setup);
      counts.candidates += places.length;
      if (places.length === setup.nearest) counts.full++;
      if (selected.length === 0) return;
      counts.negatives += selected.length;
      counts.withNegatives++;
      entries.push(row, selected.length);
      for (const { index: near, ratio, cosine } of selected)
        entries.push(rows[places[near]], floatBits(ratio), floatBits(cosine));
    });
    Atomics.add(setup.state, FINISHED, end - start);
  }
  return { counts, entries: Int32Array.from(entries) };
}
