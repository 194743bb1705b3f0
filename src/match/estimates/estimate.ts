/** Estimates how likely the best pair of each row is right, from evidence in the rankings of the two tables. */
import type { RankedRows } from "../rank-rows.js";
import { type EstimateWeights, estimateFrom } from "../scorer.js";

export interface Rankings {
  /** Left rows for each right row, from right row 0. */
  readonly right: RankedRows;
  /** Scores of a left row with its nearest other left rows, best first; undefined if not measured. */
  readonly spacing: (left: number) => ArrayLike<number> | undefined;
  /** Left rows with equal text have equal keys and count as one. */
  readonly leftKeys: Int32Array;
  readonly rightKeys: Int32Array;
}

export interface RowPair {
  /** Left row, or -1 if the right row has no candidate. */
  readonly left: number;
  readonly score: number;
  /** Candidates that the row cannot have: known non-matches, and rows assigned to others. */
  readonly taken?: ReadonlySet<number>;
}

/** The left rows ranked for a right row, best first. */
export function candidatesOf({ keep, rows, scores }: RankedRows, row: number): RowPair[] {
  const found: RowPair[] = [];
  for (let place = row * keep; place < (row + 1) * keep && rows[place] >= 0; place++)
    found.push({ left: rows[place], score: scores[place] });
  return found;
}

/** Larger differences of scores carry no further information. */
const farthest = 8;

const clip = (value: number): number => Math.min(farthest, Math.max(-farthest, value));

/**
 * The evidence for the pair of each row, in the order of `evidenceNames`; undefined for rows without a pair.
 */
export function gatherEvidence(rankings: Rankings, pairs: readonly RowPair[]): (number[] | undefined)[] {
  const evidenceOf = evidenceAmong(rankings, pairs);
  return pairs.map((pair, row) => (pair.left < 0 ? undefined : evidenceOf(row, pair)));
}

/** Returns a function that gathers the evidence for any pair of a row, where the other rows have these pairs. */
export function evidenceAmong(rankings: Rankings, pairs: readonly RowPair[]) {
  const rivalOf = rivalScores(rankings, pairs);
  return (row: number, pair: RowPair): number[] => rowEvidence(rankings, pair, row, rivalOf(row, pair.left));
}

function rowEvidence(rankings: Rankings, pair: RowPair, row: number, rival: number): number[] {
  const { right, spacing, leftKeys } = rankings;
  const others: number[] = [];
  let sum = 1;
  const seen = new Set([leftKeys[pair.left]]);
  for (const { left, score } of candidatesOf(right, row)) {
    if (seen.has(leftKeys[left]) || pair.taken?.has(left)) continue;
    seen.add(leftKeys[left]);
    others.push(score);
    sum += Math.exp(Math.min(50, score - pair.score));
  }
  // If the spacing is unknown, assume another left row as near as the right row.
  const near = spacing(pair.left) ?? [pair.score, pair.score, pair.score];
  const above = (score = -Infinity): number => clip(pair.score - score);
  return [
    pair.score,
    above(others[0]),
    above(others[1]),
    1 / sum,
    above(near[0]),
    above(near[2]),
    Math.min(0, above(near[0])),
    rival === -Infinity ? 0 : clip(rival - pair.score),
    rival === -Infinity ? 0 : 1,
  ];
}

/** Returns a function that finds the best score of a right row with a different text for a left row. */
function rivalScores({ leftKeys, rightKeys }: Rankings, pairs: readonly RowPair[]) {
  const best = new Map<number, { key: number; score: number; other: number }>();
  pairs.forEach(({ left, score }, row) => {
    if (left < 0) return;
    const key = rightKeys[row];
    const known = best.get(leftKeys[left]);
    if (known === undefined) best.set(leftKeys[left], { key, score, other: -Infinity });
    else if (known.key === key) known.score = Math.max(known.score, score);
    else if (score > known.score) best.set(leftKeys[left], { key, score, other: known.score });
    else known.other = Math.max(known.other, score);
  });
  return (row: number, left: number): number => {
    const known = best.get(leftKeys[left]);
    if (known === undefined) return -Infinity;
    return known.key === rightKeys[row] ? known.other : known.score;
  };
}

/** The probability that the pair of each row is right; 0 for rows without a pair. */
export function estimatePairs(
  rankings: Rankings,
  pairs: readonly RowPair[],
  weights: EstimateWeights,
): Float64Array {
  return Float64Array.from(gatherEvidence(rankings, pairs), (evidence) =>
    evidence === undefined ? 0 : estimateFrom(evidence, weights),
  );
}
