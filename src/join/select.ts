/** Selects the pairs that a join proposes: the best of each row, a one-to-one assignment, or every likely pair. */

import type { Rankings, RowPair } from "../match/estimates/estimate.js";
import { assignOneToOne, type WeightedPair } from "./assignment.js";
import type { RowLabels } from "./labels.js";
import type { JoinMatch } from "./options.js";

/** The best left row of each right row that is not a known non-match; a known match comes first. */
export function openPairs({ right }: Rankings, labels: RowLabels): RowPair[] {
  return Array.from({ length: right.rows.length / right.keep }, (_, row): RowPair => {
    const taken = labels.others.get(row);
    const matches = labels.matches.get(row);
    let best: RowPair = { left: -1, score: -Infinity, taken };
    for (let place = row * right.keep; place < (row + 1) * right.keep; place++) {
      const left = right.rows[place];
      if (left < 0 || taken?.has(left)) continue;
      const pair = { left, score: right.scores[place], taken };
      if (matches?.has(left)) return pair;
      if (best.left < 0) best = pair;
    }
    // A known match counts even if it was not among the candidates.
    const [known] = matches ?? [];
    return known === undefined ? best : { left: known, score: best.score, taken };
  });
}

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
  const weighted: WeightedPair[] = [];
  const scores = new Map<string, number>();
  open.forEach((pair, row) => {
    const known = labels.matches.get(row);
    if (pair.left >= 0 && known?.has(pair.left)) {
      // Above 1, so that no estimate outweighs a known match.
      weighted.push({ left: pair.left, right: row, weight: 2 });
      scores.set(`${row} ${pair.left}`, pair.score);
      return;
    }
    for (let place = row * right.keep; place < (row + 1) * right.keep; place++) {
      const left = right.rows[place];
      if (left < 0 || pair.taken?.has(left)) continue;
      const weight = estimates[row] * Math.exp(Math.min(0, right.scores[place] - pair.score));
      weighted.push({ left, right: row, weight });
      scores.set(`${row} ${left}`, right.scores[place]);
    }
  });
  const lefts = weighted.reduce((most, { left }) => Math.max(most, left + 1), 0);
  const leftOf = assignOneToOne(weighted, { lefts, rights: open.length });
  const holder = new Map<number, number>();
  leftOf.forEach((left, row) => {
    if (left >= 0) holder.set(left, row);
  });
  return open.map(({ taken }, row): RowPair => {
    const left = leftOf[row];
    if (left < 0) return { left: -1, score: -Infinity };
    const others = new Set(taken);
    for (let place = row * right.keep; place < (row + 1) * right.keep; place++) {
      const other = right.rows[place];
      const owner = other < 0 || other === left ? undefined : holder.get(other);
      // The owner matches it better.
      if (owner !== undefined && scores.get(`${owner} ${other}`)! > right.scores[place]) others.add(other);
    }
    return { left, score: scores.get(`${row} ${left}`)!, taken: others };
  });
}

/**
 * All likely pairs. The best pair of a row has its estimate; the others have less, in proportion to their odds.
 * Candidates with the text of the best one are as likely as it.
 */
export function everyPair(
  { right }: Rankings,
  open: readonly RowPair[],
  estimates: ArrayLike<number>,
  { labels, top }: { readonly labels: RowLabels; readonly top: number },
): JoinMatch[] {
  return open.flatMap((best, row): JoinMatch[] => {
    if (best.left < 0) return [];
    const known = labels.matches.get(row);
    const found: JoinMatch[] = [
      { left: best.left, right: row, score: best.score, estimatedPrecision: estimates[row] },
    ];
    for (let place = row * right.keep; place < (row + 1) * right.keep; place++) {
      const left = right.rows[place];
      if (left < 0 || left === best.left || best.taken?.has(left)) continue;
      const score = right.scores[place];
      const odds = Math.exp(Math.min(0, score - best.score));
      found.push({
        left,
        right: row,
        score,
        estimatedPrecision: known?.has(left) ? 1 : estimates[row] * odds,
      });
    }
    return found
      .sort((a, b) => b.estimatedPrecision - a.estimatedPrecision || b.score - a.score)
      .slice(0, top);
  });
}
