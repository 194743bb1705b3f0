/**
 * The scorer: a network with one hidden layer over the features of a pair, and a logistic estimate of how likely the best
 * pair of a row is right. scripts/train-join-scorer.mjs trains the weights on public names and titles, never on a
 * benchmark.
 */
import { custom } from "valibot";
import { ModelError } from "../errors.js";
import { dataFile } from "../files/data-file.js";
import { parseJson } from "../files/json.js";
import { sigmoid } from "./weights/logistic.js";

export interface ScorerWeights {
  /** [hidden][features] */
  readonly inputs: readonly (readonly number[])[];
  /** [hidden] */
  readonly hiddenBias: readonly number[];
  /** [hidden] */
  readonly outputs: readonly number[];
}

/** The weights of the estimate, in the order of `evidenceNames`. */
export interface EstimateWeights {
  readonly bias: number;
  readonly weights: readonly number[];
}

export interface ScorerFile {
  /** What the weights are, and how and on what data they were trained. */
  readonly card: Readonly<Record<string, unknown>>;
  readonly views: readonly string[];
  readonly evidence: readonly string[];
  readonly scorer: ScorerWeights;
  readonly estimate: EstimateWeights;
}

/** Evidence about the best pair of a row besides its features. Scores are the network's, as log-odds. */
export const evidenceNames = [
  "score", // of the best pair
  "margin", // score - score of the second best left row
  "widerMargin", // score - score of the third best
  "share", // of the best pair among all candidates, exp(score) / sum of exp(scores)
  "spacing", // score - score of the left row with its nearest other left row: the table's spacing there
  "widerSpacing", // the same with its third nearest
  "insideSpacing", // spacing where it is negative: another left row is nearer than the right row
  "rivalry", // best score of another right row with the same left row - score
  "hasRival", // 1 where there is one
] as const;

/** The score of a pair: higher is likelier; differences are log-odds ratios. */
export function scoreFeatures(
  { inputs, hiddenBias, outputs }: ScorerWeights,
  features: ArrayLike<number>,
): number {
  let score = 0;
  for (let unit = 0; unit < outputs.length; unit++) {
    let sum = hiddenBias[unit];
    const weights = inputs[unit];
    for (let feature = 0; feature < weights.length; feature++) sum += weights[feature] * features[feature];
    score += outputs[unit] * Math.tanh(sum);
  }
  return score;
}

export function estimateFrom(evidence: ArrayLike<number>, { bias, weights }: EstimateWeights): number {
  let sum = bias;
  for (let index = 0; index < weights.length; index++) sum += weights[index] * evidence[index];
  return sigmoid(sum);
}

/** The weights that come with pearl; scripts/train-join-scorer.mjs makes them for today's features and evidence. */
export function defaultScorer(): ScorerFile {
  const { text, place } = dataFile("models/join-scorer/weights.json");
  const trouble = { error: ModelError, cure: "Uninstall pearl and install it again." };
  return parseJson(text, place, custom<ScorerFile>(Boolean), trouble);
}
