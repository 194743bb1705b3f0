/** Candidate pairs with learned scores, and which of them are accepted: what every estimate of precision is made from. */

import { missing } from "../evidence/levels.js";
import type { Weights } from "../weights/learn.js";
import type { Known, PairTable, Relation } from "../weights/pair-table.js";
import type { JudgedEstimate } from "./calibrate.js";

/** The probability of each pair: an array, or what computes it where most pairs have that of their class. */
export interface PairProbabilities {
  at(pair: number): number | undefined;
}

export interface ScoredPairs {
  readonly table: PairTable;
  /** How many partners a row may have. */
  readonly relation: Relation;
  readonly weights: Weights;
  /** Log-odds of each class of pairs before rows compete. */
  readonly logOdds: Float64Array;
  readonly probability: PairProbabilities;
  /** The accepted pairs, ascending. */
  readonly accepted: Int32Array;
  /** Pairs that are accepted by rules: taken as right, and left out of estimates. */
  readonly ruled?: Int32Array;
  /** Where pairs are accepted by their own probability: less likely ones are not. */
  readonly leastProbability?: number;
  /** Pairs that people judged, with the estimate that they would have without their own answer. */
  readonly judged?: readonly JudgedEstimate[];
  /** Whether the pairs that people judged taught the weights, and have the estimates of weights that others taught. */
  readonly isTaught?: boolean;
}

/** The mean probability of the accepted pairs: right as far as the columns are independent. */
export function posteriorPrecision({ probability, accepted }: ScoredPairs): number {
  let sum = 0;
  for (const pair of accepted) sum += probability.at(pair)!;
  return sum / Math.max(1, accepted.length);
}

/** What a column adds to the log-odds of the pairs of a class. */
export function contribution({ table, weights }: ScoredPairs, column: number, place: number): number {
  const level = table.levels[column][place];
  return level === missing ? 0 : weights.match[column][level];
}

/** Scores of the accepted pairs, ascending. @param scores of each class */
export function acceptedScores(
  { table: { classOf }, accepted }: Pick<ScoredPairs, "table" | "accepted">,
  scores: Float64Array,
): Float64Array {
  return Float64Array.from(accepted, (pair) => scores[classOf[pair]]).sort();
}

/** The pairs among these that rules decided, and the others. */
export function dividedByRules(pairs: Int32Array, known: Known): Pick<ScoredPairs, "accepted" | "ruled"> {
  if (known.judged === undefined) return { accepted: pairs };
  const isRuled = (pair: number): boolean => known.has(pair) && known.judged?.has(pair) === false;
  return { ruled: pairs.filter(isRuled), accepted: pairs.filter((pair) => !isRuled(pair)) };
}

/** The judged pairs with their estimates. @param undecided probabilities as if nobody had judged a pair */
export const judgedEstimates = (known: Known, undecided: PairProbabilities): JudgedEstimate[] =>
  Array.from(known.judged ?? known, ([pair, match]) => {
    return { estimate: undecided.at(pair)!, match: match === 1, share: known.shares?.get(pair) };
  });
