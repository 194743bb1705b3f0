/** How many partners the rows of two tables have, as far as their scores tell. */

import type { ComparedTables } from "../match/compare-tables.js";
import { acceptedScores, type ScoredPairs } from "../match/estimates/scored-pairs.js";
import { type ComparisonSettings, rowComparison } from "../match/evidence/pair-evidence.js";
import { scorePairs } from "../match/weights/learn.js";
import { competingSides, type PairSide } from "../match/weights/pair-table.js";

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
  const share = ({ rowOf, rows }: PairSide): number => {
    const counts = new Uint32Array(rows);
    for (let pair = 0; pair < table.classOf.length; pair++)
      if (logOdds[table.classOf[pair]] >= good) counts[rowOf(pair)]++;
    let [several, any] = [0, 0];
    for (const count of counts) {
      if (count > 0) any++;
      if (count > 1) several++;
    }
    return several / Math.max(1, any);
  };
  const [left, right] = competingSides(table, "one-to-one");
  return { left: share(left), right: share(right) };
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
  const sides = competingSides(table, "one-to-one");
  const [sharing, partners] = isRight ? [sides[1], sides[0]] : sides;
  const [first, second] = [0, 1].map(() => new Int32Array(partners.rows).fill(-1));
  for (let pair = 0; pair < table.classOf.length; pair++) {
    if (logOdds[table.classOf[pair]] < good) continue;
    const row = partners.rowOf(pair);
    if (first[row] < 0) first[row] = pair;
    else if (second[row] < 0) second[row] = pair;
  }
  const both: [number, number][] = [];
  for (let row = 0; row < partners.rows && both.length < looked; row++)
    if (second[row] >= 0) both.push([sharing.rowOf(first[row]), sharing.rowOf(second[row])]);
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
