/** Which pairs of phrases a person should judge first, where phrases are grouped by one column. */
import type { DoubtfulPair } from "../match/review/doubtful.js";
import type { Links } from "./linkage.js";
import type { EstimatedGroups } from "./promised-threshold.js";

/**
 * The links nearest to the threshold, each phrase at most once.
 *
 * @param rowOf the first row of a phrase
 */
export function doubtfulLinks(
  { left, right, scores }: Links,
  { threshold, groups, probability }: EstimatedGroups,
  { count, rowOf }: { readonly count: number; readonly rowOf: (phrase: number) => number },
): DoubtfulPair[] {
  const doubt = (link: number): number => Math.abs(scores[link] - threshold);
  const order = [...scores.keys()].sort((a, b) => doubt(a) - doubt(b) || a - b);
  const seen = new Set<number>();
  const chosen: DoubtfulPair[] = [];
  for (const link of order) {
    if (chosen.length === count) break;
    const [a, b] = [left[link], right[link]];
    if (seen.has(a) || seen.has(b)) continue;
    seen.add(a).add(b);
    const accepted = groups[a] === groups[b];
    // Groups that stayed apart are less likely the same than not: at most even odds at the threshold.
    const likely = accepted ? probability[a] * probability[b] : Math.min(1, scores[link] / threshold) / 2;
    chosen.push({ left: rowOf(a), right: rowOf(b), probability: likely, accepted });
  }
  return chosen;
}
