/** Area under the ROC curve: how often a positive scores above a negative, ties counting one half. */
import { ArgumentError } from "../../errors.js";
import { averageRanks } from "./correlation.js";

/** The area by ranks (Mann-Whitney). @throws ArgumentError without any positive or negative, or for NaN */
export function rocAuc(scores: ArrayLike<number>, positives: ArrayLike<boolean>): number {
  let positiveCount = 0;
  for (let index = 0; index < scores.length; index++) {
    if (Number.isNaN(scores[index])) throw new ArgumentError(`score ${index} is NaN`);
    if (positives[index]) positiveCount++;
  }
  const negativeCount = scores.length - positiveCount;
  if (positiveCount === 0 || negativeCount === 0) {
    throw new ArgumentError("the area under the curve needs positives and negatives");
  }
  const ranks = averageRanks(scores);
  let rankSum = 0;
  for (let index = 0; index < scores.length; index++) if (positives[index]) rankSum += ranks[index];
  return (rankSum - (positiveCount * (positiveCount + 1)) / 2) / (positiveCount * negativeCount);
}
