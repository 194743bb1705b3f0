/** Where learning starts: the pairs that agree on what pairs rarely agree on. */
import { missing } from "../evidence/pair-evidence.js";
import type { Relation } from "./learn.js";
import { competingSides, levelTotals, type PairsByRow, type PairTable, pairsByRow } from "./pair-table.js";

export interface Start {
  /** Probability of being a match. */
  readonly match: Float64Array;
  /** Probability of being related without being a match; empty where rows have one partner. */
  readonly related: Float64Array;
}

const seeded = 0.9;
const unseeded = 0.001;

export function startingPosteriors(table: PairTable, relation: Relation): Start {
  const scores = surprises(table);
  const match = new Float64Array(scores.length).fill(unseeded);
  const isMany = relation === "many-to-many";
  for (const pair of isMany ? bestPairs(table, scores) : mutualBest(table, scores, relation))
    match[pair] = seeded;
  const related = new Float64Array(isMany ? scores.length : 0);
  const median = isMany ? quantile(scores, 0.5) : 0;
  for (let pair = 0; pair < related.length; pair++)
    related[pair] = (1 - match[pair]) * (match[pair] < seeded && scores[pair] > median ? 0.7 : 0.2);
  return { match, related };
}

/** Sum over columns of -ln(share of all pairs that agree at least as well), less its mean over the candidates. */
function surprises(table: PairTable): Float64Array {
  const scores = new Float64Array(table.left.length);
  const totals = levelTotals(table);
  table.columns.forEach(({ share }, column) => {
    const surprise = new Float64Array(totals[column].length);
    let above = 0;
    for (let level = surprise.length - 1; level >= 0; level--) {
      above += totals[column][level];
      surprise[level] = -Math.log(Math.max(above, 0.5));
    }
    const levels = table.levels[column];
    let [sum, filled] = [0, 0];
    for (const level of levels) {
      if (level === missing) continue;
      sum += surprise[level];
      filled++;
    }
    const mean = sum / Math.max(1, filled);
    for (let pair = 0; pair < scores.length; pair++)
      if (levels[pair] !== missing) scores[pair] += share * (surprise[levels[pair]] - mean);
  });
  return scores;
}

/** As many pairs as a quarter of the rows. */
function bestPairs({ rows }: PairTable, scores: Float64Array): Uint32Array {
  const order = Uint32Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
  return order.subarray(0, Math.ceil(Math.min(...rows) / 4));
}

/** Pairs that are the best of their rows, of each side that has one partner; the half that stands out most against rivals. */
function mutualBest(table: PairTable, scores: Float64Array, relation: Relation): number[] {
  const sides = competingSides(table, relation).map(({ rowOf, rows }) => {
    return { rowOf, ...bestTwo(pairsByRow(rowOf, rows), scores) };
  });
  const mutual: { pair: number; score: number }[] = [];
  for (const pair of sides[0].best) {
    if (pair < 0 || sides.some(({ rowOf, best }) => best[rowOf[pair]] !== pair)) continue;
    const rival = Math.max(0, ...sides.map(({ rowOf, second }) => second[rowOf[pair]]));
    mutual.push({ pair, score: 2 * scores[pair] - rival });
  }
  mutual.sort((a, b) => b.score - a.score || a.pair - b.pair);
  return mutual.slice(0, Math.ceil(mutual.length / 2)).map(({ pair }) => pair);
}

/** The best pair of each row, -1 without one, and the score of the second best. */
export function bestTwo({ starts, order }: PairsByRow, scores: ArrayLike<number>) {
  const rows = starts.length - 1;
  const best = new Int32Array(rows).fill(-1);
  const second = new Float64Array(rows).fill(-Infinity);
  for (let row = 0; row < rows; row++) {
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      const pair = order[place];
      if (best[row] < 0 || scores[pair] > scores[best[row]]) {
        if (best[row] >= 0) second[row] = scores[best[row]];
        best[row] = pair;
      } else second[row] = Math.max(second[row], scores[pair]);
    }
  }
  return { best, second };
}

/** The value below which a share of the numbers lies. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
