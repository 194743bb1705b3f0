/** Recall of a fuzzy join at a promised precision: the best threshold on the similarity, found with the labels. */

/** The best pair of one right row: its similarity, and how right it is (1, 0, or a share where titles tie). */
export interface JoinedRow {
  readonly score: number;
  readonly credit: number;
}

/** What the best threshold gives. */
export interface JoinAtPrecision {
  readonly targetPrecision: number;
  /** False where no threshold reaches the target; recall is 0 then. */
  readonly reached: boolean;
  /** Joined rows that are right / joined rows; 0 where the target is not reached. */
  readonly precision: number;
  /** Joined rows that are right / right rows that have a match. */
  readonly recall: number;
  /** Rows of at least this similarity are joined; null where the target is not reached. */
  readonly threshold: number | null;
  readonly joined: number;
}

/**
 * Sweeps the threshold over all similarities. Every right row takes part: one without a match can only lower
 * the precision. Among the thresholds whose precision meets the target the one of highest recall is taken. It
 * is chosen with the labels, so it bounds from above what any method can reach that has to guess it.
 *
 * @param rows every right row with its best left row
 * @param options.matches right rows that have a match, the recall's denominator
 */
export function joinAtPrecision(
  rows: readonly JoinedRow[],
  { matches, targetPrecision }: { readonly matches: number; readonly targetPrecision: number },
): JoinAtPrecision {
  const sorted = [...rows].sort((a, b) => b.score - a.score);
  let best: JoinAtPrecision = {
    targetPrecision,
    reached: false,
    precision: 0,
    recall: 0,
    threshold: null,
    joined: 0,
  };
  let right = 0;
  sorted.forEach((row, index) => {
    right += row.credit;
    const joined = index + 1;
    // Rows of equal similarity are joined together or not at all.
    if (joined < sorted.length && sorted[joined].score === row.score) return;
    const precision = right / joined;
    const recall = right / matches;
    if (precision + 1e-12 < targetPrecision || (best.reached && recall <= best.recall)) return;
    best = { targetPrecision, reached: true, precision, recall, threshold: row.score, joined };
  });
  return best;
}
