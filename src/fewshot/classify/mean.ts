/**
 * The mean classifier: a phrase is of the kind to whose mean it is nearest. Arora, Khandeparkar, Khodak, Plevrakis and
 * Saunshi (2019), "A Theoretical Analysis of Contrastive Unsupervised Representation Learning" (CURL), section 2: the
 * weights of each kind are the mean of its vectors, W^μ. Here means have length 1, so that scores are cosines.
 */
import { type Fit, type LabelledRows, rowOf, scoresOf } from "./linear.js";

export const fitMeans: Fit = (rows, chosen) => ({
  weights: unitSums(rows, sumsOf(rows, chosen)),
  bias: new Float64Array(rows.count),
});

/** Scores of each row by the means of all others; undefined for the only row of its kind. */
export function leaveOneOut(rows: LabelledRows): (Float64Array | undefined)[] {
  const { dimension, kinds, count } = rows;
  const all = sumsOf(rows, kinds.keys());
  const bias = new Float64Array(count);
  const sizes = bias.map((_, kind) => kinds.filter((own) => own === kind).length);
  const whole = unitSums(rows, all);
  return Array.from(kinds, (kind, row) => {
    if (sizes[kind] < 2) return undefined;
    const own = rowOf(rows, row);
    const scores = scoresOf({ weights: whole, bias }, own);
    const sum = all.slice(kind * dimension, (kind + 1) * dimension).map((value, i) => value - own[i]);
    scores[kind] = scoresOf({ weights: unit(sum), bias: new Float64Array(1) }, own)[0];
    return scores;
  });
}

function sumsOf(rows: LabelledRows, chosen: Iterable<number>): Float64Array {
  const { dimension, kinds, count } = rows;
  const sums = new Float64Array(count * dimension);
  for (const row of chosen) {
    const start = kinds[row] * dimension;
    rowOf(rows, row).forEach((value, i) => {
      sums[start + i] += value;
    });
  }
  return sums;
}

function unitSums({ dimension, count }: LabelledRows, sums: Float64Array): Float64Array {
  const units = new Float64Array(sums.length);
  for (let start = 0; start < count * dimension; start += dimension)
    units.set(unit(sums.subarray(start, start + dimension)), start);
  return units;
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
