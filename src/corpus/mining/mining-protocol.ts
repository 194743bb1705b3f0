/** The messages between a mining run and its threads. */
import type { CompactVectors } from "../../pearl/hard-negatives/compact-vectors.js";
import type { KnownPairs } from "../../pearl/hard-negatives/known-pairs.js";
import type { PhraseStore } from "../../pearl/hard-negatives/phrase-store.js";
import type { SelectOptions } from "../../pearl/hard-negatives/select.js";

/** What a thread needs; nearly all of it is memory that threads share. */
export interface MiningSetup extends SelectOptions {
  /** Which of the store's workspaces is the thread's, from 0. */
  readonly thread: number;
  readonly store: PhraseStore;
  readonly known: KnownPairs;
  readonly vectors: CompactVectors;
  readonly minimumRatio: number;
  readonly nearest: number;
  /** Slot 0: set to 1 by the caller to stop; slot 1: phrases finished, added to by every thread. */
  readonly state: Int32Array;
}

/** Phrases to mine: those at the places `first` to `last` (exclusive). */
export interface MiningRequest {
  readonly first: number;
  readonly last: number;
}

/** Mined phrases. */
export interface Shard {
  readonly counts: ShardCounts;
  /** Per phrase: its corpus row, its number of negatives, then for each its row, and ratio and cosine as a float's bits. */
  readonly entries: Int32Array;
}

export interface ShardCounts {
  /** Phrases that were searched. */
  readonly phrases: number;
  /** Near phrases that were found. */
  readonly candidates: number;
  /** Phrases with as many near phrases as are kept. */
  readonly full: number;
  readonly negatives: number;
  /** Phrases with a hard negative. */
  readonly withNegatives: number;
}

/** Slots of MiningSetup.state. */
export const STOP = 0;
export const FINISHED = 1;
