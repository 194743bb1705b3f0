/** Estimates how likely the best pair of each row is right, from evidence in the rankings of the two tables. */
import type { RankedRows } from "../rank-rows.js";
import { type EstimateWeights, estimateFrom, evidenceNames } from "../scorer.js";

/** The rankings that evidence is drawn from. */
export interface Rankings {
  /** Left rows for each right row, from right row 0. */
  readonly right: RankedRows;
  /** Scores of a left row with its nearest other left rows, best first; undefined if not measured. */
  readonly spacing: (left: number) => ArrayLike<number> | undefined;
  /** Left rows with equal text have equal keys and count as one. */
  readonly leftKeys: Int32Array;
  /** The same for right rows. */
  readonly rightKeys: Int32Array;
}

/** The proposed pair of a right row. */
export interface RowPair {
  /** Left row, or -1 if the right row has no candidate. */
  readonly left: number;
  readonly score: number;
  /** Candidates that the row cannot have: known non-matches, and rows assigned to others. */
  readonly taken?: ReadonlySet<number>;
}

/** Larger differences of scores carry no further information. */
const farthest = 8;

const clip = (value: number): number => Math.min(farthest, Math.max(-farthest, value));

/** Every row's best candidate. */
export function bestPairs({ right }: Rankings): RowPair[] {
  return Array.from({ length: right.rows.length / right.keep }, (_, row) => ({
    left: right.rows[row * right.keep],
    score: right.scores[row * right.keep],
  }));
}

/** The evidence for the pair of each row: [rows, evidenceNames.length], zeros for rows without a pair. */
export function gatherEvidence(rankings: Rankings, pairs: readonly RowPair[]): Float64Array {
  const width = evidenceNames.length;
  const evidence = new Float64Array(pairs.length * width);
  const rivals = rivalScores(rankings, pairs);
  pairs.forEach((pair, row) => {
    if (pair.left >= 0) evidence.set(rowEvidence(rankings, pair, row, rivals[row]), row * width);
  });
  return evidence;
}

function rowEvidence(rankings: Rankings, pair: RowPair, row: number, rival: number): number[] {
  const { right, spacing, leftKeys } = rankings;
  const others: number[] = [];
  let sum = 1;
  const seen = new Set([leftKeys[pair.left]]);
  for (let place = row * right.keep; place < (row + 1) * right.keep; place++) {
    const left = right.rows[place];
    if (left < 0 || seen.has(leftKeys[left]) || pair.taken?.has(left)) continue;
    seen.add(leftKeys[left]);
    others.push(right.scores[place]);
    sum += Math.exp(Math.min(50, right.scores[place] - pair.score));
  }
  // If the spacing is unknown, assume another left row as near as the right row.
  const near = spacing(pair.left) ?? [pair.score, pair.score, pair.score];
  const margin = clip(pair.score - (others[0] ?? -Infinity));
  const nearest = clip(pair.score - (near[0] ?? -Infinity));
  return [
    pair.score,
    margin,
    clip(pair.score - (others[1] ?? -Infinity)),
    1 / sum,
    nearest,
    clip(pair.score - (near[2] ?? -Infinity)),
    Math.min(0, nearest),
    rival === -Infinity ? 0 : clip(rival - pair.score),
    rival === -Infinity ? 0 : 1,
  ];
}

/** For each row, the best score of a right row with a different text for the same left row. */
function rivalScores({ leftKeys, rightKeys }: Rankings, pairs: readonly RowPair[]): Float64Array {
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
  return Float64Array.from(pairs, ({ left }, row) => {
    if (left < 0) return -Infinity;
    const known = best.get(leftKeys[left])!;
    return known.key === rightKeys[row] ? known.other : known.score;
  });
}

/** The probability that the pair of each row is right; 0 for rows without a pair. */
export function estimatePairs(
  rankings: Rankings,
  pairs: readonly RowPair[],
  weights: EstimateWeights,
): Float64Array {
  const width = evidenceNames.length;
  const evidence = gatherEvidence(rankings, pairs);
  return Float64Array.from(pairs, ({ left }, row) =>
    left < 0 ? 0 : estimateFrom(evidence.subarray(row * width, (row + 1) * width), weights),
  );
}
