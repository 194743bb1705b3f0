/**
 * Precision from margins: a row's best accepted partner, against the best rows outside its group. If the partner is only
 * one of several look-alikes, its lead over the first outsider is like the outsider's lead over the next one.
 */
import { pairsByRow } from "../weights/pair-table.js";
import type { ScoredPairs } from "./scored-pairs.js";

export interface Margins {
  /** Rows with an accepted partner. */
  readonly rows: number;
  /** Share of them whose lead over the first outsider is no larger than outsiders' usual lead. */
  readonly narrow: number;
  readonly usual: number;
}

export function rowMargins({ table, logOdds, accepted }: ScoredPairs): Margins {
  const leads: number[] = [];
  const spacings: number[] = [];
  const sides = table.isOneTable
    ? [bothSides(table)]
    : [pairsByRow(table.left, table.rows[0]), pairsByRow(table.right, table.rows[1])];
  for (const { starts, order } of sides) {
    for (let row = 0; row + 1 < starts.length; row++) {
      let [partner, first, second] = [-Infinity, -Infinity, -Infinity];
      for (let place = starts[row]; place < starts[row + 1]; place++) {
        const pair = order[place];
        const score = logOdds[pair];
        if (accepted[pair] === 1) partner = Math.max(partner, score);
        else if (score > first) [first, second] = [score, first];
        else second = Math.max(second, score);
      }
      if (partner === -Infinity) continue;
      leads.push(partner - first);
      if (second > -Infinity) spacings.push(first - second);
    }
  }
  spacings.sort((a, b) => a - b);
  const usual = spacings[spacings.length >> 1] ?? 0;
  return {
    rows: leads.length,
    usual,
    narrow: leads.filter((lead) => lead <= usual).length / Math.max(1, leads.length),
  };
}

function bothSides({ left, right, rows }: ScoredPairs["table"]) {
  const count = left.length;
  const both = new Int32Array(2 * count);
  both.set(left);
  both.set(right, count);
  const { starts, order } = pairsByRow(both, rows[0]);
  return { starts, order: order.map((place) => place % count) };
}
