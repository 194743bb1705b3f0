/**
 * The small model that scores pairs: a network with one hidden layer over the views of a pair, and a logistic
 * estimate of how likely the best pair of a row is right. The weights come from scripts/train-join-scorer.mjs,
 * which learns them on public names and titles, never on a benchmark.
 */
import { createRequire } from "node:module";
// Named as a type, so that the compiler takes the file along; it is read when it is first needed.
import type weightsFile from "./scorer-weights.json";
import { viewNames } from "./views.js";

/** The numbers of the model. */
export interface ScorerWeights {
  /** [hidden][views] */
  readonly inputs: readonly (readonly number[])[];
  /** [hidden] */
  readonly hiddenBias: readonly number[];
  /** [hidden] */
  readonly outputs: readonly number[];
}

/** Weights of the estimate, in the order of `evidenceNames`. */
export interface EstimateWeights {
  readonly bias: number;
  readonly weights: readonly number[];
}

/** The file of weights. */
export interface ScorerFile {
  /** What it is, what it was trained on, and how. */
  readonly card: Readonly<Record<string, unknown>>;
  readonly views: readonly string[];
  readonly evidence: readonly string[];
  readonly scorer: ScorerWeights;
  readonly estimate: EstimateWeights;
}

/** What is known of a row's best pair besides its views; scores are those of the network, natural logarithms. */
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

/** A scorer ready for use: the network flat. */
export interface Scorer {
  readonly hidden: number;
  readonly views: number;
  readonly inputs: Float64Array;
  readonly hiddenBias: Float64Array;
  readonly outputs: Float64Array;
}

/** Lays the weights out flat. */
export function createScorer({ inputs, hiddenBias, outputs }: ScorerWeights): Scorer {
  return {
    hidden: outputs.length,
    views: inputs[0].length,
    inputs: Float64Array.from(inputs.flat()),
    hiddenBias: Float64Array.from(hiddenBias),
    outputs: Float64Array.from(outputs),
  };
}

/** The score of a pair: the higher, the likelier is it right; differences are logarithms of odds. */
export function scoreViews(scorer: Scorer, views: ArrayLike<number>, offset = 0): number {
  let score = 0;
  for (let unit = 0; unit < scorer.hidden; unit++) {
    let sum = scorer.hiddenBias[unit];
    const start = unit * scorer.views;
    for (let view = 0; view < scorer.views; view++) sum += scorer.inputs[start + view] * views[offset + view];
    score += scorer.outputs[unit] * Math.tanh(sum);
  }
  return score;
}

/** The likelihood that a pair is right, from its evidence. */
export function estimateFrom(evidence: ArrayLike<number>, { bias, weights }: EstimateWeights): number {
  let sum = bias;
  for (let index = 0; index < weights.length; index++) sum += weights[index] * evidence[index];
  return 1 / (1 + Math.exp(-sum));
}

let loaded: ScorerFile | undefined;

/** The weights that come with pearl. */
export function defaultScorer(): ScorerFile {
  if (loaded === undefined) {
    const read = createRequire(import.meta.url);
    const file: ScorerFile = read("./scorer-weights.json") as typeof weightsFile;
    if (file.views.join() !== viewNames.join() || file.evidence.join() !== evidenceNames.join()) {
      throw new Error("scorer-weights.json belongs to other views: run scripts/train-join-scorer.mjs again");
    }
    loaded = file;
  }
  return loaded;
}
