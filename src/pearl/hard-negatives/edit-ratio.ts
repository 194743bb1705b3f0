/** The edit ratio of two phrases as PEARL's code computes it: Levenshtein.ratio, 2 × longest common subsequence ÷ both lengths. */

/**
 * The form in which phrases are compared: lower case and composed (NFC), with accents and punctuation. A phrase in
 * other capitals is the same phrase, not a near one.
 */
export function comparableForm(phrase: string): string {
  return phrase.normalize("NFC").toLowerCase();
}

/**
 * The edit ratio of two phrases in their comparable form, 0 to 1; 0 where both are empty.
 *
 * PEARL's negatives were made with `Levenshtein.ratio` (python-Levenshtein, since 0.13 rapidfuzz's
 * `Indel.normalized_similarity`): 1 − d ÷ (|a| + |b|), where d counts insertions and deletions and a substitution
 * is one of each. As d = |a| + |b| − 2 · LCS, it equals 2 · LCS ÷ (|a| + |b|), with lengths in code points. It is
 * never below the other ratio in use, 1 − Levenshtein distance ÷ the longer length.
 */
export function editRatio(a: string, b: string): number {
  const left = [...comparableForm(a)];
  const right = [...comparableForm(b)];
  const both = left.length + right.length;
  return both === 0 ? 0 : (2 * commonSubsequence(left, right)) / both;
}

/** Length of the longest common subsequence, by the textbook's table, a row at a time. */
function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let above = new Int32Array(b.length + 1);
  let row = new Int32Array(b.length + 1);
  for (const character of a) {
    for (let column = 1; column <= b.length; column++) {
      row[column] =
        character === b[column - 1] ? above[column - 1] + 1 : Math.max(above[column], row[column - 1]);
    }
    [above, row] = [row, above];
  }
  return above[b.length];
}

/** The shortest common subsequence with a ratio above `ratio`, for lengths that sum to `both`. */
export function leastCommon(ratio: number, both: number): number {
  let common = Math.max(0, Math.floor((ratio * both) / 2));
  while ((2 * common) / both <= ratio) common++;
  return common;
}

/** Which near phrases are hard negatives: those far in meaning, by the encoder's cosine against the edit ratio. */
interface Candidate {
  readonly ratio: number;
  /** Cosine with the phrase, -1 to 1. */
  readonly cosine: number;
}

export interface SelectOptions {
  /** A negative's edit ratio less its scaled cosine must be above this. */
  readonly margin: number;
  readonly listed: number;
  readonly floor: number;
}

/** From this many candidates on, the lower end of the scale is their lowest cosine alone. */
const ENOUGH = 5;

/**
 * Selects hard negatives by ratio − cosine, the largest first.
 *
 * Encoders differ in the range of their cosines (E5: 0.7 to 1), so the published code scales them to 0–1 among the
 * candidates of a phrase: the phrase itself is 1, its farthest candidate 0. With one or two candidates that makes any
 * near-synonym a negative; with fewer than five, the scale includes the encoder's cosine of unrelated phrases.
 * @returns the selected candidates with their scaled cosines
 */
export function selectNegatives<Item extends Candidate>(
  candidates: readonly Item[],
  { margin, listed, floor }: SelectOptions,
): Item[] {
  const lowest = Math.min(candidates.length < ENOUGH ? floor : 1, ...candidates.map(({ cosine }) => cosine));
  const width = 1 - lowest;
  if (!(width > 1e-6)) return [];
  return candidates
    .map((candidate) => ({ ...candidate, cosine: Math.min(1, (candidate.cosine - lowest) / width) }))
    .filter(({ ratio, cosine }) => ratio - cosine > margin)
    .sort((a, b) => b.ratio - b.cosine - (a.ratio - a.cosine))
    .slice(0, listed);
}
