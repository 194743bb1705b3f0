/** A linear classifier: a score for each kind, and their softmax as probabilities. */
import type { KindFeatures } from "./features.js";

/** Scores of a row x: `weights[kind]` · x + `bias[kind]`. */
export interface LinearClassifier {
  /** [kinds, dimension], row-major. */
  readonly weights: Float64Array;
  readonly bias: Float64Array;
}

/** Rows with the number of each one's kind. */
export interface LabelledRows extends KindFeatures {
  readonly kinds: Int32Array;
  /** How many kinds there are. */
  readonly count: number;
}

/** Learns from the rows of these numbers. */
export type Fit = (rows: LabelledRows, chosen: Int32Array) => LinearClassifier;

export const rowOf = ({ data, dimension }: KindFeatures, row: number): Float32Array =>
  data.subarray(row * dimension, (row + 1) * dimension);

export function scoresOf({ weights, bias }: LinearClassifier, row: Float32Array): Float64Array {
  const scores = bias.slice();
  for (let kind = 0, at = 0; kind < scores.length; kind++)
    for (let i = 0; i < row.length; i++) scores[kind] += weights[at++] * row[i];
  return scores;
}

/** Scores times `factor` as probabilities. */
export function probabilitiesOf(scores: Float64Array, factor = 1): Float64Array {
  const most = factor * scores[largest(scores)];
  const powers = scores.map((score) => Math.exp(factor * score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Place of the largest number; the first of equal ones. */
export function largest(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
