/** A feature of many phrases as flat lists of numbers, and what fills batches from them. */
import type { Feeds } from "../runtime/tensor.js";

/** The ids of one feature of some phrases: row i is `ids[starts[i]]` to `ids[starts[i + 1] - 1]`. */
export interface FeatureRows {
  readonly ids: Int32Array;
  readonly starts: Int32Array;
}

/** One feature, ready to read phrases and to fill batches. */
export interface Featurizer {
  /** Reads phrases; counts those that were longer than the model reads. */
  read(phrases: readonly string[]): { rows: FeatureRows; truncated: number };
  /** Places that each row takes in a batch, where that is not its number of ids. */
  lengths?(rows: FeatureRows): Int32Array;
  /** Fills the graph's inputs for some of the rows, padded to `length`; adds them to `feeds`. */
  fill(rows: FeatureRows, batch: Int32Array, length: number, feeds: Feeds): void;
}

/** One list of ids per phrase, as one array. */
export function concatenate(rows: readonly Int32Array[]): FeatureRows {
  const starts = new Int32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) starts[i + 1] = starts[i] + rows[i].length;
  const ids = new Int32Array(starts[rows.length]);
  for (let i = 0; i < rows.length; i++) ids.set(rows[i], starts[i]);
  return { ids, starts };
}
