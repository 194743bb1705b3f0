/** How many partners the rows of two tables have, as far as their scores tell. */

import type { ComparedTables } from "../match/compare-tables.js";
import { acceptedScores, type ScoredPairs } from "../match/estimates/scored-pairs.js";
import { type ComparisonSettings, rowComparison } from "../match/evidence/pair-evidence.js";
import { scorePairs } from "../match/weights/learn.js";
import { pairsByRow } from "../match/weights/pair-table.js";

/** Share of the left, and of the right rows that have two or more candidates as good as accepted pairs usually are. */
export interface RowRelation {
  readonly left: number;
  readonly right: number;
}

const usual = 0.25;

/** The score that three of four accepted pairs reach. */
function usualScore(pairs: ScoredPairs): number {
  const scores = acceptedScores(pairs, pairs.logOdds);
  return scores[Math.floor(usual * scores.length)] ?? Infinity;
}

export function partnersPerRow(pairs: ScoredPairs): RowRelation {
  const { table, logOdds } = pairs;
  const good = usualScore(pairs);
  const share = (rowOf: Int32Array, rows: number): number => {
    const counts = new Uint32Array(rows);
    for (let pair = 0; pair < rowOf.length; pair++)
      if (logOdds[table.classOf[pair]] >= good) counts[rowOf[pair]]++;
    let [several, any] = [0, 0];
    for (const count of counts) {
      if (count > 0) any++;
      if (count > 1) several++;
    }
    return several / Math.max(1, any);
  };
  return { left: share(table.left, table.rows[0]), right: share(table.right, table.rows[1]) };
}

/** Rows with several partners that are looked at. */
const looked = 2000;
const mostlyAlike = 0.8;

/**
 * Whether rows that share a partner are the same among themselves: then the partner has several rows. Else each of them
 * is only similar to it.
 */
export function partnersAlike(
  { comparison, columns }: ComparedTables,
  pairs: ScoredPairs,
  relation: "many-to-one" | "one-to-many",
): boolean {
  const { table, logOdds, weights } = pairs;
  const good = usualScore(pairs);
  const isRight = relation === "many-to-one";
  const [sharing, partners] = isRight ? [table.right, table.left] : [table.left, table.right];
  const { starts, order } = pairsByRow(partners, table.rows[isRight ? 0 : 1]);
  const both: [number, number][] = [];
  for (let row = 0; row + 1 < starts.length && both.length < looked; row++) {
    const likely = order
      .subarray(starts[row], starts[row + 1])
      .filter((pair) => logOdds[table.classOf[pair]] >= good);
    if (likely.length > 1) both.push([sharing[likely[0]], sharing[likely[1]]]);
  }
  const { compare } = rowComparison(ofOneSide(comparison.settings, isRight ? "right" : "left"));
  const levels = columns.map(() => new Int8Array(both.length));
  both.forEach(([a, b], place) => compare(a, b, levels, place));
  const alike = scorePairs(levels, weights, columns).filter((score) => score > 0).length;
  return alike >= mostlyAlike * both.length;
}

/** What rows of one table are compared by among themselves, with the columns of both. */
function ofOneSide(settings: ComparisonSettings, side: "left" | "right"): ComparisonSettings {
  const { rowWords: words } = settings;
  return {
    ...settings,
    fields: settings.fields.map((field) => ({ ...field, left: field[side], right: field[side] })),
    rowWords: { ...words, left: words[side], right: words[side] },
  };
}
