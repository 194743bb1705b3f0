/**
 * Calibrates estimates with known pairs: a logistic curve over the estimate's log-odds (Platt scaling). The prior is a
 * number of pseudo-answers (data augmentation; Bedrick, Christensen and Johnson 1996): at evenly spaced ranks of the
 * table's own estimates, each answers as the estimate expects. So n answers move the mean estimate of these ranks by at
 * most n / PSEUDO_ANSWERS, a few answers at doubtful pairs leave the certain ones as they are, and hundreds determine the
 * curve.
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

/** The unlabelled estimate weighs as much as this many answers. */
export const PSEUDO_ANSWERS = 100;
/** Inverse variance of shift and slope - 1; decides only where all estimates are equal. */
const RIDGE = 0.01;

const logOdds = (estimate: number): number => {
  const inside = Math.min(1 - 1e-6, Math.max(1e-6, estimate));
  return Math.log(inside / (1 - inside));
};

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** An answer at a log-odds: 1 for a match, 0 for none, between them for a pseudo-answer. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** The order of the estimates must not change. */
const LEAST_SLOPE = 0.05;

/**
 * Fits the curve. Without labels it returns the identity.
 * @param estimates those of the table, in any order
 */
export function fitCalibration(judged: readonly JudgedEstimate[], estimates: ArrayLike<number>): Calibration {
  const identity = { shift: 0, slope: 1 };
  if (judged.length === 0) return identity;
  const sorted = Float64Array.from(estimates).sort();
  const pseudo = Array.from({ length: sorted.length > 0 ? PSEUDO_ANSWERS : 0 }, (_, rank): Point => {
    const estimate = sorted[Math.floor(((rank + 0.5) / PSEUDO_ANSWERS) * sorted.length)];
    return { x: logOdds(estimate), y: estimate };
  });
  const answers = judged.map(({ estimate, match }): Point => ({ x: logOdds(estimate), y: match ? 1 : 0 }));
  const points = [...pseudo, ...answers];
  const free = likeliestCurve(points, identity, "free");
  if (free.slope >= LEAST_SLOPE) return free;
  return likeliestCurve(points, { shift: 0, slope: LEAST_SLOPE }, "fixed");
}

/** Newton's method on the negative log posterior, which is convex; a step that overshoots is halved. */
function likeliestCurve(
  points: readonly Point[],
  start: Calibration,
  slopeIs: "free" | "fixed",
): Calibration {
  let at = start;
  for (let step = 0; step < 50; step++) {
    const { shift, slope } = at;
    let [g0, g1] = [RIDGE * shift, RIDGE * (slope - 1)];
    let [h00, h01, h11] = [RIDGE, 0, RIDGE];
    for (const { x, y } of points) {
      const p = sigmoid(shift + slope * x);
      const curvature = p * (1 - p);
      g0 += p - y;
      g1 += (p - y) * x;
      h00 += curvature;
      h01 += curvature * x;
      h11 += curvature * x * x;
    }
    if (slopeIs === "fixed") [g1, h01, h11] = [0, 0, 1];
    const determinant = h00 * h11 - h01 * h01;
    const [d0, d1] = [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
    if (Math.abs(d0) + Math.abs(d1) < 1e-10) break;
    const before = lossOf(points, at);
    const after = (scale: number): Calibration => ({ shift: shift - scale * d0, slope: slope - scale * d1 });
    let scale = 1;
    while (scale > 1e-9 && lossOf(points, after(scale)) > before) scale /= 2;
    at = after(scale);
  }
  return at;
}

/** The negative log posterior: of an answer log(1 + exp(z)) - y z at the curve's log-odds z. */
function lossOf(points: readonly Point[], { shift, slope }: Calibration): number {
  return points.reduce(
    (sum, { x, y }) => {
      const z = shift + slope * x;
      return sum + Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - y * z;
    },
    (RIDGE / 2) * (shift ** 2 + (slope - 1) ** 2),
  );
}

export function calibrated(estimate: number, { shift, slope }: Calibration): number {
  if (estimate <= 0 || (shift === 0 && slope === 1)) return estimate;
  return sigmoid(shift + slope * logOdds(estimate));
}
