/** Logistic regression of few features with a Gaussian prior around 0, by Newton's method. */

/** An answer with its features: 1 for yes, 0 for no, between them for a pseudo-answer. */
export interface LogisticPoint {
  readonly features: ArrayLike<number>;
  /** The coefficients that the features belong to; all others have none. Default: the first ones. */
  readonly places?: ArrayLike<number>;
  /** Log-odds before the regression. */
  readonly offset: number;
  readonly answer: number;
  /** How many answers it stands for. Default 1. */
  readonly weight?: number;
}

/** Two coefficients that are believed to be near each other: the inverse variance of their difference. */
export interface NearCoefficients {
  readonly places: readonly [number, number];
  readonly precision: number;
}

/** @param precision inverse variance of the prior of each coefficient @param near what is believed beside it */
export function fitLogistic(
  points: readonly LogisticPoint[],
  precision: readonly number[],
  near: readonly NearCoefficients[] = [],
): Float64Array {
  const size = precision.length;
  let at = new Float64Array(size);
  for (let step = 0; step < 50; step++) {
    const gradient = at.map((value, i) => precision[i] * value);
    const hessian = new Float64Array(size * size);
    precision.forEach((value, i) => {
      hessian[i * size + i] = value;
    });
    for (const { places, precision: own } of near) {
      const pull = own * (at[places[0]] - at[places[1]]);
      gradient[places[0]] += pull;
      gradient[places[1]] -= pull;
      addOuter(hessian, [1, -1], own, places);
    }
    for (const { features, places, offset, answer, weight = 1 } of points) {
      const p = sigmoid(offset + dot(features, at, places));
      addOuter(hessian, features, weight * p * (1 - p), places);
      for (let i = 0; i < features.length; i++)
        gradient[places?.[i] ?? i] += weight * (p - answer) * features[i];
    }
    const move = solve(hessian, gradient);
    if (Math.max(...move.map(Math.abs)) < 1e-8) break;
    const loss = (at: Float64Array): number => negativeLogPosterior(points, precision, near, at);
    const before = loss(at);
    const moved = (scale: number): Float64Array<ArrayBuffer> => at.map((value, i) => value - scale * move[i]);
    let scale = 1;
    while (scale > 1e-9 && loss(moved(scale)) > before) scale /= 2;
    at = moved(scale);
  }
  return at;
}

export const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** The log-odds of a probability, which is kept this far from 0 and 1. */
export function logit(probability: number, edge = 1e-6): number {
  const inside = Math.min(1 - edge, Math.max(edge, probability));
  return Math.log(inside / (1 - inside));
}

/** @param places where in `b` its partners are; default at the same places */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>, places?: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[places?.[i] ?? i];
  return sum;
}

/** Adds weight × features featuresᵀ to a square matrix. @param places of the features in the matrix; default all */
export function addOuter(
  matrix: Float64Array,
  features: ArrayLike<number>,
  weight: number,
  places?: ArrayLike<number>,
): void {
  const size = places === undefined ? features.length : Math.sqrt(matrix.length);
  for (let i = 0; i < features.length; i++) {
    const row = (places?.[i] ?? i) * size;
    for (let j = 0; j < features.length; j++)
      matrix[row + (places?.[j] ?? j)] += weight * features[i] * features[j];
  }
}

/** What an answer costs at these log-odds: the negative logarithm of its probability. */
export const logisticLoss = (logOdds: number, answer: number): number =>
  Math.max(logOdds, 0) + Math.log1p(Math.exp(-Math.abs(logOdds))) - answer * logOdds;

function negativeLogPosterior(
  points: readonly LogisticPoint[],
  precision: readonly number[],
  near: readonly NearCoefficients[],
  at: Float64Array,
): number {
  let sum = 0;
  precision.forEach((value, i) => {
    sum += (value / 2) * at[i] ** 2;
  });
  for (const { places, precision: own } of near) sum += (own / 2) * (at[places[0]] - at[places[1]]) ** 2;
  for (const { features, places, offset, answer, weight = 1 } of points) {
    const z = offset + dot(features, at, places);
    sum += weight * logisticLoss(z, answer);
  }
  return sum;
}

/** Solves a symmetric positive definite system by Cholesky's decomposition. */
export function solve(matrix: Float64Array, right: ArrayLike<number>): Float64Array {
  const size = right.length;
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j];
      for (let k = 0; k < j; k++) sum -= lower[i * size + k] * lower[j * size + k];
      lower[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / lower[j * size + j];
    }
  }
  const found = Float64Array.from(right);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) found[i] -= lower[i * size + k] * found[k];
    found[i] /= lower[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) found[i] -= lower[k * size + i] * found[k];
    found[i] /= lower[i * size + i];
  }
  return found;
}

/** The inverse of a symmetric positive definite matrix. */
export function inverseOf(matrix: Float64Array): Float64Array {
  const size = Math.sqrt(matrix.length);
  const inverse = new Float64Array(matrix.length);
  for (let i = 0; i < size; i++)
    inverse.set(solve(matrix, new Float64Array(size).fill(1, i, i + 1)), i * size);
  return inverse;
}
