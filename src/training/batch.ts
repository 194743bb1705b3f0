/** What one run of a training graph is fed with, as plain data. */
import type { Feeds } from "../runtime/tensor.js";

/** Part of a batch before the cut: similar lengths together, so that little padding is computed. */
export interface Chunk {
  /** Inputs of the graph before the cut, for these rows alone. */
  readonly feeds: Feeds;
  /** Places of the rows in the whole batch. */
  readonly rows: Int32Array;
}

export interface TrainingBatch {
  /** Inputs of the program; where there are chunks, only those behind the cut. */
  readonly feeds: Feeds;
  /** The inputs before the cut, in chunks. Default: the batch runs in one pass. */
  readonly chunks?: readonly Chunk[];
  /** Phrases in the batch, for the rate. */
  readonly phrases: number;
}
