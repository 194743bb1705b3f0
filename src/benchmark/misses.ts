/** Selects the worst misses of each set, those with the largest lead of the wrong answer. */
import type { RankedAnswer } from "./rank.js";
import type { Miss } from "./task.js";

/** A query with its right answer and the chosen one; a credit below 0.5 is a miss. */
export type Judged = Pick<
  RankedAnswer,
  "query" | "expected" | "chosen" | "chosenScore" | "expectedScore" | "credit"
>;

const missesPerSet = 5;

/** The misses with the largest lead of the wrong answer; those without a right candidate come last. */
export function worstMisses(rows: readonly Judged[]): Omit<Miss, "dataset">[] {
  return rows
    .filter(({ credit, chosen, expected }) => credit < 0.5 && chosen !== expected)
    .map(({ query, expected = "", chosen, expectedScore: score, chosenScore }) => {
      return { query, expected, chosen, expectedScore: Number.isNaN(score) ? null : score, chosenScore };
    })
    .sort((left, right) => leadOf(right) - leadOf(left))
    .slice(0, missesPerSet);
}

export const leadOf = ({ expectedScore, chosenScore }: Omit<Miss, "dataset">): number =>
  expectedScore === null ? Number.NEGATIVE_INFINITY : chosenScore - expectedScore;
