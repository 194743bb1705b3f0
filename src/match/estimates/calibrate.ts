/**
 * Calibrates estimates with known pairs: a logistic curve over the estimate's log-odds (Platt scaling). The prior is a
 * number of pseudo-answers (data augmentation; Bedrick, Christensen and Johnson 1996): at evenly spaced ranks of the
 * table's own estimates, each answers as the estimate expects. So n answers move the mean estimate of these ranks by at
 * most n / PSEUDO_ANSWERS, a few answers at doubtful pairs leave the certain ones as they are, and hundreds determine the
 * curve.
 */
import { fitLogistic, logit, sigmoid } from "../weights/logistic.js";

export interface JudgedEstimate {
  readonly estimate: number;
  readonly match: boolean;
  /** The share of an answer that the pair has. Default 1. */
  readonly share?: number;
}

/** log-odds' = shift + slope × log-odds. */
export interface Calibration {
  readonly shift: number;
  readonly slope: number;
}

/** The unlabelled estimate weighs as much as this many answers. */
export const PSEUDO_ANSWERS = 100;
/** Inverse variance of shift and slope - 1; decides only where all estimates are equal. */
const RIDGE = 0.01;

/** The order of the estimates must not change. */
const LEAST_SLOPE = 0.05;

/**
 * Fits the curve. Without labels it returns the identity.
 * @param estimates those of the table, in any order
 * @param worth how many answers the unlabelled estimates are worth
 */
export function fitCalibration(
  judged: readonly JudgedEstimate[],
  estimates: ArrayLike<number>,
  worth = PSEUDO_ANSWERS,
): Calibration {
  if (judged.length === 0) return { shift: 0, slope: 1 };
  const sorted = Float64Array.from(estimates).sort();
  const pseudo = Array.from({ length: sorted.length > 0 ? worth : 0 }, (_, rank) => {
    const estimate = sorted[Math.floor(((rank + 0.5) / worth) * sorted.length)];
    return { x: logit(estimate), answer: estimate };
  });
  const answers = judged.map(({ estimate, match, share: weight }) => {
    return { x: logit(estimate), answer: match ? 1 : 0, weight };
  });
  const points: { x: number; answer: number; weight?: number }[] = [...pseudo, ...answers];
  // The regression finds what the identity lacks.
  const [shift, more] = fitLogistic(
    points.map(({ x, ...point }) => ({ features: [1, x], offset: x, ...point })),
    [RIDGE, RIDGE],
  );
  if (1 + more >= LEAST_SLOPE) return { shift, slope: 1 + more };
  const [alone] = fitLogistic(
    points.map(({ x, ...point }) => ({ features: [1], offset: LEAST_SLOPE * x, ...point })),
    [RIDGE],
  );
  return { shift: alone, slope: LEAST_SLOPE };
}

export function calibrated(estimate: number, { shift, slope }: Calibration): number {
  if (estimate <= 0 || (shift === 0 && slope === 1)) return estimate;
  return sigmoid(shift + slope * logit(estimate));
}
