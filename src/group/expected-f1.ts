/** The groups that are likely where no precision can be promised: those of the greatest expected F1. */
import type { AcceptedLevel } from "../match/estimates/promise.js";

/**
 * The level of the greatest expected F1. Where little is certain it is a wide one: accepting pairs that are half of them
 * right costs less than missing them (Lipton, Elkan and Naryanaswamy 2014).
 */
export function greatestF1<Level extends AcceptedLevel>(levels: Iterable<Level>): Level {
  let best: { readonly level: Level; readonly score: number } | undefined;
  for (const level of levels) {
    const score = expectedF1(level);
    if (best === undefined || score > best.score) best = { level, score };
  }
  return best!.level;
}

/** 2 right / (accepted + true), both expected from the pairs' probabilities. */
function expectedF1({ accepted, probability, count }: AcceptedLevel): number {
  let [right, all] = [0, 0];
  accepted.forEach((flag, pair) => {
    const own = probability.at(pair)!;
    all += own;
    if (flag === 1) right += own;
  });
  return (2 * right) / Math.max(1e-9, count + all);
}
