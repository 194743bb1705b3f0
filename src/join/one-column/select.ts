/** Selects the pairs that a join proposes: the best of each row, a one-to-one assignment, or every likely pair. */
import { candidatesOf, type Rankings, type RowPair } from "../../match/estimates/estimate.js";
import type { RowMatch } from "../match-tables.js";
import { assignOneToOne } from "./assignment.js";
import type { RowLabels } from "./labels.js";

/**
 * The one-to-one assignment with the greatest expected number of right pairs. If a row loses its best left row to
 * another, it is judged by its remaining candidates.
 */
export function assignPairs(
  { right }: Rankings,
  open: readonly RowPair[],
  estimates: ArrayLike<number>,
  labels: RowLabels,
): RowPair[] {
  const isConfirmed = ({ left }: RowPair, row: number): boolean =>
    labels.confirmed.get(row)?.has(left) ?? false;
  const confirmed = new Set(open.filter(isConfirmed).map(({ left }) => left));
  const choices = open.map((pair, row) => {
    const { left, score } = pair;
    const isKnown = isConfirmed(pair, row) || (labels.matches.get(row)?.has(left) && !confirmed.has(left));
    // Above 1, so that no estimate outweighs a known match.
    if (isKnown) return [{ left, score, weight: 2 }];
    return candidatesOf(right, row)
      .filter(({ left }) => !pair.taken?.has(left) && !confirmed.has(left))
      .map(({ left, score }, place) => {
        // Of equally likely rows the first, which may be equal as it is written.
        const order = 1 - 1e-9 * place;
        return { left, score, weight: order * estimates[row] * Math.exp(Math.min(0, score - pair.score)) };
      });
  });
  const assigned = assignOneToOne(choices);
  const scoreOfOwner = new Map(assigned.map((choice) => [choice?.left, choice?.score]));
  return open.map(({ taken }, row): RowPair => {
    const choice = assigned[row];
    if (choice === undefined) return { left: -1, score: -Infinity };
    // Rows of which another right row is the better match.
    const lost = candidatesOf(right, row).filter(
      ({ left, score }) => left !== choice.left && (scoreOfOwner.get(left) ?? -Infinity) > score,
    );
    return {
      left: choice.left,
      score: choice.score,
      taken: new Set([...(taken ?? []), ...lost.map(({ left }) => left)]),
    };
  });
}

/** The best pair of a row, and the probability that it is right. */
export interface EstimatedPair {
  readonly best: RowPair;
  readonly estimate: number;
}

/**
 * All likely pairs. The best pair of a row has its estimate; the others have less, in proportion to their odds.
 * Candidates with the text of the best one are as likely as it.
 *
 * @param found the best pair of each row as if no match of it were known, and its estimate: a known match says nothing
 *   about the row's other candidates
 */
export function everyPair(
  { right }: Rankings,
  found: readonly EstimatedPair[],
  { labels, top }: { readonly labels: RowLabels; readonly top: number },
): RowMatch[] {
  return found.flatMap(({ best, estimate }, row): RowMatch[] => {
    const matches = labels.matches.get(row) ?? new Set();
    const rank = ({ left }: { readonly left: number }) =>
      Number(labels.confirmed.get(row)?.has(left) ?? false);
    const candidates = candidatesOf(right, row).filter(({ left }) => !best.taken?.has(left));
    // Known matches count even if they were not among the candidates.
    const unfound = [...matches].filter((left) => !candidates.some((other) => other.left === left));
    return [...candidates, ...unfound.map((left) => ({ left, score: best.score }))]
      .map(({ left, score }) => {
        const odds = Math.exp(Math.min(0, score - best.score));
        return { left, score, probability: matches.has(left) ? 1 : estimate * odds };
      })
      .sort((a, b) => rank(b) - rank(a) || b.probability - a.probability || b.score - a.score)
      .slice(0, top)
      .map(({ left, probability }) => ({ left, right: row, probability }));
  });
}

/** For each right row, the second-best left row with a different text, or -1. */
export function secondBest({ right, leftKeys }: Rankings, pairs: readonly RowPair[]): Int32Array {
  return Int32Array.from(pairs, ({ left }, row) => {
    const other = candidatesOf(right, row).find((candidate) => leftKeys[candidate.left] !== leftKeys[left]);
    return left < 0 ? -1 : (other?.left ?? -1);
  });
}
