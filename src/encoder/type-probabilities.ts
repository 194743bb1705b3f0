/** From the scores of the type head to probabilities. */

/** A phrase type with its probability. */
export interface TypeProbability {
  /** As the model was trained with, such as "NP-ORG". */
  readonly type: string;
  readonly probability: number;
}

/** Softmax of one row of scores. */
export function softmax(scores: Float32Array): number[] {
  const most = scores.reduce((largest, score) => Math.max(largest, score), Number.NEGATIVE_INFINITY);
  const powers = Array.from(scores, (score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** The probabilities of one row of scores, the largest first; equal ones in the labels' order. */
export function ranked(scores: Float32Array, labels: readonly string[], top: number): TypeProbability[] {
  const probabilities = softmax(scores);
  return labels
    .map((type, index) => ({ type, probability: probabilities[index] }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, top);
}
