/** What the mining run and its threads tell each other. */
import type { CompactVectors } from "./compact-vectors.js";
import type { KnownPairs } from "./known-pairs.js";
import type { PhraseStore } from "./phrase-store.js";
import type { SelectOptions } from "./select.js";

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

/** Phrases at the places `first` to `last` (exclusive), whose negatives go to `path`. */
export interface MiningRequest {
  readonly first: number;
  readonly last: number;
  readonly path: string;
}

/** Slots of MiningSetup.state. */
export const STOP = 0;
export const FINISHED = 1;
