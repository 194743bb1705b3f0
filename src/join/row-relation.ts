/** How many partners the rows of two tables have, as far as their scores tell. */

import type { ScoredPairs } from "../match/estimates/scored-pairs.js";
import { acceptedScores } from "../match/estimates/scored-pairs.js";
import { pairsByRow } from "../match/weights/pair-table.js";

/** Share of the left, and of the right rows that have two or more candidates as good as accepted pairs usually are. */
export interface RowRelation {
  readonly left: number;
  readonly right: number;
}

const usual = 0.25;

export function partnersPerRow({ table, logOdds, accepted }: ScoredPairs): RowRelation {
  const scores = acceptedScores(accepted, logOdds);
  const good = scores[Math.floor(usual * scores.length)] ?? Infinity;
  const share = (rowOf: Int32Array, rows: number): number => {
    const { starts, order } = pairsByRow(rowOf, rows);
    let [several, any] = [0, 0];
    for (let row = 0; row < rows; row++) {
      let count = 0;
      for (let place = starts[row]; place < starts[row + 1]; place++)
        if (logOdds[order[place]] >= good) count++;
      if (count > 0) any++;
      if (count > 1) several++;
    }
    return several / Math.max(1, any);
  };
  return { left: share(table.left, table.rows[0]), right: share(table.right, table.rows[1]) };
}
