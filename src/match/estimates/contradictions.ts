/**
 * Precision of groups from contradictions: in pairs of rows of the same thing names seldom carry different codes, and a
 * column that distinguishes things seldom disagrees. Where that is common, families of siblings were taken for things.
 */

import { opposition } from "../evidence/opposed-names.js";
import { missing, opposedColumn } from "../evidence/pair-evidence.js";
import { levelTotals } from "../weights/pair-table.js";
import type { ScoredPairs } from "./scored-pairs.js";

/** Shares of the accepted pairs; undefined without a naming column. */
export function nameContradictions({
  table,
  accepted,
}: ScoredPairs): { codes: number; words: number } | undefined {
  const column = table.columns.findIndex(({ name }) => name === opposedColumn);
  if (column < 0) return undefined;
  const pairs = accepted.length;
  let [codes, words] = [0, 0];
  for (const pair of accepted) {
    const level = table.levels[column][table.classOf[pair]];
    if (level === missing) continue;
    if (level <= opposition.codes) codes++;
    if (level !== opposition.none) words++;
  }
  return { codes: codes / Math.max(1, pairs), words: words / Math.max(1, pairs) };
}

/** A column distinguishes things if two random rows agree no more often, and it is filled in this share of the pairs. */
const rareAgreement = 0.1;
const leastFilled = 0.4;

/** The distinguishing column that agrees in the smallest share of the accepted pairs where it is filled. */
export function weakestColumn({ table, weights, accepted }: ScoredPairs): {
  name: string;
  agreement: number;
} {
  const totals = levelTotals(table);
  let weakest = { name: "", agreement: 1 };
  table.columns.forEach(({ name, field }, column) => {
    if (field < 0) return;
    const agrees = (level: number): number => (weights.match[column][level] > 0 ? 1 : 0);
    let [all, agreeing] = [0, 0];
    totals[column].forEach((sum, level) => {
      all += sum;
      agreeing += agrees(level) * sum;
    });
    if (agreeing > rareAgreement * all) return;
    let [filled, same] = [0, 0];
    for (const pair of accepted) {
      const level = table.levels[column][table.classOf[pair]];
      if (level === missing) continue;
      filled++;
      same += agrees(level);
    }
    if (filled >= leastFilled * accepted.length && same < weakest.agreement * filled)
      weakest = { name, agreement: same / filled };
  });
  return weakest;
}
