/**
 * Calibrates estimates with known pairs: a logistic curve over the estimate's log-odds (Platt scaling). A prior keeps it
 * near the uncalibrated curve, so that a few labels move it a little and hundreds determine it.
 */

export interface JudgedEstimate {
  readonly estimate: number;
  readonly match: boolean;
}

/** log-odds' = shift + slope × log-odds. */
export interface Calibration {
  readonly shift: number;
  readonly slope: number;
}

/** Strength of the prior: the inverse variances of shift and slope. */
const prior = { shift: 0.5, slope: 4 };

const logOdds = (estimate: number): number => {
  const inside = Math.min(1 - 1e-6, Math.max(1e-6, estimate));
  return Math.log(inside / (1 - inside));
};

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** Fits the curve by Newton's method. Without labels it returns the identity. */
export function fitCalibration(judged: readonly JudgedEstimate[]): Calibration {
  let [shift, slope] = [0, 1];
  const points = judged.map(({ estimate, match }) => ({ x: logOdds(estimate), y: match ? 1 : 0 }));
  for (let step = 0; step < 50; step++) {
    // Gradient and Hessian of the negative log posterior.
    let [g0, g1] = [prior.shift * shift, prior.slope * (slope - 1)];
    let [h00, h01, h11] = [prior.shift, 0, prior.slope];
    for (const { x, y } of points) {
      const p = sigmoid(shift + slope * x);
      const curvature = p * (1 - p);
      g0 += p - y;
      g1 += (p - y) * x;
      h00 += curvature;
      h01 += curvature * x;
      h11 += curvature * x * x;
    }
    const determinant = h00 * h11 - h01 * h01;
    const [d0, d1] = [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
    // Limited steps: far from the solution Newton's method may overshoot.
    const scale = Math.min(1, 2 / Math.max(Math.abs(d0), Math.abs(d1), 1e-12));
    shift -= scale * d0;
    slope -= scale * d1;
    if (Math.abs(d0) + Math.abs(d1) < 1e-10) break;
  }
  // The order of the estimates must not change.
  return { shift, slope: Math.max(slope, 0.05) };
}

export function calibrated(estimate: number, { shift, slope }: Calibration): number {
  if (estimate <= 0 || (shift === 0 && slope === 1)) return estimate;
  return sigmoid(shift + slope * logOdds(estimate));
}
