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
