/**
 * Moves an estimate of precision towards what people answered: the estimates of the single pairs are shifted until their mean is
 * the estimate in question, then calibrated with the answers. An estimate weighs as much as a hundred answers.
 */
import { logit, sigmoid } from "../weights/logistic.js";
import { calibrated, fitCalibration } from "./calibrate.js";
import type { ScoredPairs } from "./scored-pairs.js";

/** Estimates are shifted within these limits: answers cannot move what is certain. */
const [lowest, highest] = [0.02, 0.99];

/** The estimate after the answers; without answers the estimate itself. */
export function answeredPrecision(
  { probability, accepted, judged = [] }: ScoredPairs,
  estimate: number,
): number {
  if (judged.length === 0) return estimate;
  const own = Array.from(accepted, (pair) => logit(probability.at(pair)!));
  if (own.length === 0) return estimate;
  const mean = (shift: number): number =>
    own.reduce((sum, logOdds) => sum + sigmoid(logOdds + shift), 0) / own.length;
  const target = Math.min(highest, Math.max(lowest, estimate));
  let [low, high] = [-30, 30];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (mean(middle) < target) low = middle;
    else high = middle;
  }
  const shifted = own.map((logOdds) => sigmoid(logOdds + low));
  const answers = judged.map((one) => ({ ...one, estimate: sigmoid(logit(one.estimate) + low) }));
  const curve = fitCalibration(answers, shifted);
  return shifted.reduce((sum, value) => sum + calibrated(value, curve), 0) / shifted.length;
}
