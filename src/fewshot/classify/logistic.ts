/** Logistic regression of several kinds at once, with squared weights as a penalty: as scikit-learn's defines it. */
import { minimise, type Point } from "./lbfgs.js";
import { type Fit, type LabelledRows, probabilitiesOf, rowOf, scoresOf } from "./linear.js";

/** Weight of the data against the penalty ½ ‖W‖²: scikit-learn's C. */
const DATA = 3;

export const fitLogistic: Fit = (rows, chosen) => {
  const { dimension, count } = rows;
  const size = count * dimension;
  const split = (at: Float64Array) => ({ weights: at.subarray(0, size), bias: at.subarray(size) });
  return split(minimise((at) => penalised(rows, chosen, split(at)), new Float64Array(size + count)));
};

function penalised(
  rows: LabelledRows,
  chosen: Int32Array,
  at: { readonly weights: Float64Array; readonly bias: Float64Array },
): Point {
  const { dimension, kinds, count } = rows;
  const size = at.weights.length;
  const gradient = new Float64Array(size + count);
  let value = 0;
  at.weights.forEach((weight, i) => {
    value += (weight * weight) / 2;
    gradient[i] = weight;
  });
  for (const row of chosen) {
    const x = rowOf(rows, row);
    const probabilities = probabilitiesOf(scoresOf(at, x));
    value -= DATA * Math.log(Math.max(probabilities[kinds[row]], 1e-300));
    probabilities.forEach((probability, kind) => {
      const error = DATA * (probability - (kind === kinds[row] ? 1 : 0));
      const start = kind * dimension;
      for (let i = 0; i < dimension; i++) gradient[start + i] += error * x[i];
      gradient[size + kind] += error;
    });
  }
  return { value, gradient };
}
