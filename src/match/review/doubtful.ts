/** Which pairs a person should judge first. */
import type { ScoredPairs } from "../estimates/scored-pairs.js";

/** A pair that is worth judging. */
export interface DoubtfulPair {
  readonly left: number;
  readonly right: number;
  readonly probability: number;
  /** Whether the pair is among the matches, or in one group. */
  readonly accepted: boolean;
}

/** Less likely pairs are not asked about. */
const least = 0.02;

/**
 * The pairs nearest to even odds, each row at most once.
 * @param known pairs that are judged already, by place in the pair table
 */
export function doubtfulPairs(
  { table, probability, accepted }: ScoredPairs,
  known: ReadonlyMap<number, number>,
  count: number,
): DoubtfulPair[] {
  const doubt = (pair: number): number => Math.abs(probability[pair] - 0.5);
  const open = [...probability.keys()]
    .filter((pair) => probability[pair] >= least && !known.has(pair))
    .sort((a, b) => doubt(a) - doubt(b) || a - b);
  const [seenLeft, seenRight] = table.isOneTable
    ? (({ rows }) => [rows, rows])({ rows: new Set<number>() })
    : [new Set<number>(), new Set<number>()];
  const chosen: DoubtfulPair[] = [];
  for (const pair of open) {
    const [left, right] = [table.left[pair], table.right[pair]];
    if (chosen.length === count) break;
    if (seenLeft.has(left) || seenRight.has(right)) continue;
    seenLeft.add(left);
    seenRight.add(right);
    chosen.push({ left, right, probability: probability[pair], accepted: accepted[pair] === 1 });
  }
  return chosen;
}
