/** Logistic regression of few features with a Gaussian prior around 0, by Newton's method. */

/** An answer with its features: 1 for yes, 0 for no, between them for a pseudo-answer. */
export interface LogisticPoint {
  readonly features: ArrayLike<number>;
  /** Log-odds before the regression. */
  readonly offset: number;
  readonly answer: number;
  /** How many answers it stands for. Default 1. */
  readonly weight?: number;
}

/** @param precision inverse variance of the prior of each coefficient */
export function fitLogistic(points: readonly LogisticPoint[], precision: readonly number[]): Float64Array {
  const size = precision.length;
  let at = new Float64Array(size);
  for (let step = 0; step < 50; step++) {
    const gradient = at.map((value, i) => precision[i] * value);
    const hessian = new Float64Array(size * size);
    precision.forEach((value, i) => {
      hessian[i * size + i] = value;
    });
    for (const { features, offset, answer, weight = 1 } of points) {
      const p = sigmoid(offset + dot(at, features));
      addOuter(hessian, features, weight * p * (1 - p));
      for (let i = 0; i < size; i++) gradient[i] += weight * (p - answer) * features[i];
    }
    const move = solve(hessian, gradient);
    if (Math.max(...move.map(Math.abs)) < 1e-8) break;
    const before = loss(points, precision, at);
    const moved = (scale: number): Float64Array<ArrayBuffer> => at.map((value, i) => value - scale * move[i]);
    let scale = 1;
    while (scale > 1e-9 && loss(points, precision, moved(scale)) > before) scale /= 2;
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

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Adds weight × features featuresᵀ to a square matrix. */
export function addOuter(matrix: Float64Array, features: ArrayLike<number>, weight: number): void {
  const size = features.length;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) matrix[i * size + j] += weight * features[i] * features[j];
}

/** The negative log posterior. */
function loss(points: readonly LogisticPoint[], precision: readonly number[], at: Float64Array): number {
  let sum = 0;
  precision.forEach((value, i) => {
    sum += (value / 2) * at[i] ** 2;
  });
  for (const { features, offset, answer, weight = 1 } of points) {
    const z = offset + dot(at, features);
    sum += weight * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - answer * z);
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
