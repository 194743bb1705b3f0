/** The inputs of a training graph for one batch, as plain data. */
import type { Feeds } from "../runtime/tensor.js";

/** Some rows of a batch before the cut, of similar length, so that little padding is computed. */
export interface Chunk {
  /** Inputs of the graph before the cut, by name, for these rows alone. */
  readonly feeds: Feeds;
  /** Places of the rows in the whole batch, from 0. */
  readonly rows: Int32Array;
}

/** The inputs of one step. */
export interface TrainingBatch {
  /** Inputs of the graph by name; with `chunks`, only those after the cut. */
  readonly feeds: Feeds;
  /** The inputs before the cut, in chunks. Default: the batch runs in one pass. */
  readonly chunks?: readonly Chunk[];
  /** Rows of the batch, for the reported rate. */
  readonly phrases: number;
}
