/**
 * Precision from margins: a row's best accepted partner, against the best rows outside its group. If the partner is only
 * one of several look-alikes, its lead over the first outsider is like the outsider's lead over the next one.
 */
import type { ScoredPairs } from "./scored-pairs.js";

/** Of the rows with an accepted partner, the share whose lead over the first outsider is no larger than outsiders' usual lead. */
export function narrowMargins({ table, logOdds, accepted }: ScoredPairs): number {
  const leads: number[] = [];
  const spacings: number[] = [];
  const { left, right, rows, classOf, isOneTable } = table;
  const ofLeft = bestScores(rows[0]);
  const sides = isOneTable ? [ofLeft] : [ofLeft, bestScores(rows[1])];
  const ofRight = sides.at(-1)!;
  let next = 0;
  for (let pair = 0; pair < classOf.length; pair++) {
    const [score, isPartner] = [logOdds[classOf[pair]], accepted[next] === pair];
    if (isPartner) next++;
    ofLeft.add(left.at(pair)!, score, isPartner);
    ofRight.add(right[pair], score, isPartner);
  }
  for (const { partner, first, second } of sides) {
    for (let row = 0; row < partner.length; row++) {
      if (partner[row] === -Infinity) continue;
      leads.push(partner[row] - first[row]);
      if (second[row] > -Infinity) spacings.push(first[row] - second[row]);
    }
  }
  spacings.sort((a, b) => a - b);
  const usual = spacings[spacings.length >> 1] ?? 0;
  return leads.filter((lead) => lead <= usual).length / Math.max(1, leads.length);
}

/** Of each row the best score of its partners, and the two best of other rows. */
function bestScores(rows: number) {
  const [partner, first, second] = [0, 1, 2].map(() => new Float64Array(rows).fill(-Infinity));
  const add = (row: number, score: number, isPartner: boolean): void => {
    if (isPartner) partner[row] = Math.max(partner[row], score);
    else if (score > first[row]) [first[row], second[row]] = [score, first[row]];
    else second[row] = Math.max(second[row], score);
  };
  return { partner, first, second, add };
}
