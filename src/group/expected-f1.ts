/** The groups that are likely where no precision can be promised: those of the greatest expected F1. */
import type { ScoredPairs } from "../match/estimates/scored-pairs.js";
import { highest } from "../statistics.js";

/**
 * The level of the greatest expected F1. Where little is certain it is a wide one: accepting pairs that are half of them
 * right costs less than missing them (Lipton, Elkan and Naryanaswamy 2014).
 */
export const greatestF1 = <Level extends ScoredPairs>(levels: Iterable<Level>): Level =>
  highest(levels, expectedF1);

/** 2 right / (accepted + true), both expected from the pairs' probabilities. */
function expectedF1({ table, accepted, probability }: ScoredPairs): number {
  let [right, all] = [0, 0];
  for (let pair = 0; pair < table.classOf.length; pair++) all += probability.at(pair)!;
  for (const pair of accepted) right += probability.at(pair)!;
  return (2 * right) / Math.max(1e-9, accepted.length + all);
}
