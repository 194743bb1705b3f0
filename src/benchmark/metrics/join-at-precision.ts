/** Recall of a fuzzy join at a target precision: the best threshold on the similarity, found with the labels. */

export interface JoinAtPrecision {
  readonly targetPrecision: number;
  /** False if no threshold reaches the target; precision and recall are 0 then. */
  readonly reached: boolean;
  /** Joined rows that are right / joined rows. */
  readonly precision: number;
  /** Joined rows that are right / right rows that have a match. */
  readonly recall: number;
  /** Rows of at least this similarity are joined; null if the target is not reached. */
  readonly threshold: number | null;
  readonly joined: number;
}

/**
 * Tries every similarity as the threshold and takes the one of highest recall among those that meet the target.
 * It is chosen with the labels, so it bounds from above what a method without them can reach.
 *
 * @param rows every right row with its best left row: their similarity, and the credit for it (1, 0, or a fraction
 *   where titles tie); a row without a match can only lower the precision
 * @param options.matches right rows that have a match, the recall's denominator
 */
export function joinAtPrecision(
  rows: readonly { readonly score: number; readonly credit: number }[],
  { matches, targetPrecision }: { readonly matches: number; readonly targetPrecision: number },
): JoinAtPrecision {
  const sorted = [...rows].sort((a, b) => b.score - a.score);
  const none = { precision: 0, recall: 0, threshold: null, joined: 0 };
  let best: JoinAtPrecision = { targetPrecision, reached: false, ...none };
  let right = 0;
  sorted.forEach(({ score, credit }, index) => {
    right += credit;
    const joined = index + 1;
    // Rows of equal similarity are joined together or not at all.
    if (sorted[joined]?.score === score) return;
    const precision = right / joined;
    const recall = right / matches;
    if (precision + 1e-12 < targetPrecision || (best.reached && recall <= best.recall)) return;
    best = { targetPrecision, reached: true, precision, recall, threshold: score, joined };
  });
  return best;
}
