/** Linear classifiers: a score for each kind, and their softmax as probabilities. */
import { pauses } from "../../match/run/pause.js";
import { dot } from "../../match/weights/logistic.js";
import { softmax } from "../../statistics.js";
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

/** Learns from the rows of these numbers. An aborted call rejects with the signal's reason. */
export type Fit = (rows: LabelledRows, chosen: Int32Array, signal?: AbortSignal) => Promise<LinearClassifier>;

export const rowOf = ({ data, dimension }: KindFeatures, row: number): Float32Array =>
  data.subarray(row * dimension, (row + 1) * dimension);

export function scoresOf({ weights, bias }: LinearClassifier, row: ArrayLike<number>): Float64Array {
  const scores = bias.slice();
  for (let kind = 0, at = 0; kind < scores.length; kind++)
    for (let i = 0; i < row.length; i++) scores[kind] += weights[at++] * row[i];
  return scores;
}

/** Place of the largest number; the first of equal ones. */
export const largest = (values: Float64Array): number => values.indexOf(Math.max(...values));

/**
 * The mean classifier: a phrase is of the kind to whose mean it is nearest. Arora, Khandeparkar, Khodak, Plevrakis and
 * Saunshi (2019), "A Theoretical Analysis of Contrastive Unsupervised Representation Learning" (CURL), section 2: the
 * weights of each kind are the mean of its vectors, W^μ. Here means have length 1, so that scores are cosines.
 */
export const fitMeans = (rows: LabelledRows, chosen: Int32Array): LinearClassifier => ({
  weights: unitSums(rows, sumsOf(rows, chosen)),
  bias: new Float64Array(rows.count),
});

/** Scores of each row by the means of all others; undefined for the only row of its kind. */
export function leaveOneOut(rows: LabelledRows): (Float64Array | undefined)[] {
  const { dimension, kinds, count } = rows;
  const sums = sumsOf(rows, kinds.keys());
  const means = fitMeans(rows, Int32Array.from(kinds.keys()));
  const sizes = new Int32Array(count);
  for (const kind of kinds) sizes[kind]++;
  return Array.from(kinds, (kind, row) => {
    if (sizes[kind] === 1) return undefined;
    const own = rowOf(rows, row);
    const scores = scoresOf(means, own);
    const others = sums.slice(kind * dimension, (kind + 1) * dimension).map((value, i) => value - own[i]);
    scores[kind] = dot(others, own) / lengthOf(others);
    return scores;
  });
}

function sumsOf(rows: LabelledRows, chosen: Iterable<number>): Float64Array {
  const { dimension, kinds, count } = rows;
  const sums = new Float64Array(count * dimension);
  for (const row of chosen) {
    const own = rowOf(rows, row);
    for (let i = 0; i < dimension; i++) sums[kinds[row] * dimension + i] += own[i];
  }
  return sums;
}

function unitSums({ dimension }: LabelledRows, sums: Float64Array): Float64Array {
  const lengths = Array.from({ length: sums.length / dimension }, (_, kind) =>
    lengthOf(sums.subarray(kind * dimension, (kind + 1) * dimension)),
  );
  return sums.map((value, i) => value / lengths[Math.floor(i / dimension)]);
}

const lengthOf = (vector: Float64Array): number => Math.sqrt(dot(vector, vector)) || 1;

/** Weight of the data against the penalty ½ ‖W‖²: scikit-learn's C. */
const DATA = 3;

/** Logistic regression of several kinds at once, with squared weights as a penalty: as scikit-learn's defines it. */
export const fitLogistic: Fit = async (rows, chosen, signal) => {
  const size = rows.count * rows.dimension;
  const split = (at: Float64Array) => ({ weights: at.subarray(0, size), bias: at.subarray(size) });
  const start = new Float64Array(size + rows.count);
  const pause = pauses(signal, Math.ceil(productsBetweenPauses / start.length));
  return split(await minimise((at) => penalised(rows, chosen, split(at), pause), start));
};

/** About 50 ms of work. */
export const productsBetweenPauses = 2e7;

async function penalised(
  rows: LabelledRows,
  chosen: Int32Array,
  at: LinearClassifier,
  pause: ReturnType<typeof pauses>,
): Promise<Point> {
  const { dimension, kinds } = rows;
  const gradient = new Float64Array(at.weights.length + at.bias.length);
  gradient.set(at.weights);
  let value = dot(at.weights, at.weights) / 2;
  for (const row of chosen) {
    const pausing = pause();
    if (pausing) await pausing;
    const x = rowOf(rows, row);
    const probabilities = softmax(scoresOf(at, x));
    value -= DATA * Math.log(Math.max(probabilities[kinds[row]], 1e-300));
    probabilities.forEach((probability, kind) => {
      const error = DATA * (probability - (kind === kinds[row] ? 1 : 0));
      for (let i = 0; i < dimension; i++) gradient[kind * dimension + i] += error * x[i];
      gradient[at.weights.length + kind] += error;
    });
  }
  return { value, gradient };
}

interface Point {
  readonly value: number;
  readonly gradient: Float64Array;
}

/**
 * The minimum of a convex function of many variables, by gradients alone: the length of a step from the last change
 * (Barzilai and Borwein, 1988), halved until the value is below the largest of the last ten (Raydan, 1997).
 * @param tolerance largest absolute gradient at the end
 */
export async function minimise(
  evaluate: (at: Float64Array) => Point | Promise<Point>,
  start: Float64Array,
  tolerance = 1e-4,
): Promise<Float64Array> {
  let [at, point] = [start, await evaluate(start)];
  let size = 1 / lengthOf(point.gradient);
  const values = [point.value];
  for (let step = 0; step < 1000; step++) {
    const { gradient } = point;
    if (gradient.every((own) => Math.abs(own) <= tolerance)) break;
    const moved = () => at.map((own, i) => own - size * gradient[i]);
    const enough = (next: Point) =>
      next.value <= Math.max(...values.slice(-10)) - 1e-4 * size * dot(gradient, gradient);
    let next = await evaluate(moved());
    for (; !enough(next) && size > 1e-12; next = await evaluate(moved())) size /= 2;
    if (size <= 1e-12) break;
    [at, point] = [moved(), next];
    values.push(next.value);
    const bent = dot(gradient, gradient) - dot(gradient, next.gradient);
    size = bent > 0 ? (size * dot(gradient, gradient)) / bent : 1;
  }
  return at;
}
