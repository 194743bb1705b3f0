/** Which near phrases are hard negatives: those far in meaning, by the encoder's cosine against the edit ratio. */

/** A hard negative among the near phrases of one. */
export interface Selected {
  /** Its index among the near phrases. */
  readonly index: number;
  readonly ratio: number;
  /** Cosine scaled to 0–1. */
  readonly cosine: number;
}

/** Settings of the selection. */
export interface SelectOptions {
  /** A negative's edit ratio less its scaled cosine must be above this. */
  readonly margin: number;
  /** At most so many, best first. */
  readonly listed: number;
  /** The mean cosine of random pairs of phrases. */
  readonly floor: number;
}

/** From so many candidates on, their lowest cosine is a scale's lower end by itself. */
const ENOUGH = 5;

/**
 * Selects hard negatives by ratio − cosine, the largest first.
 *
 * Encoders differ in where their cosines lie (E5: 0.7 to 1), so the published code scales them to 0–1 among the
 * candidates of a phrase: the phrase itself is 1, its farthest candidate 0. With one or two candidates that makes any
 * near-synonym a negative; of fewer than five, the encoder's cosine of unrelated phrases takes part in the scale.
 *
 * @param ratios edit ratios of the candidates
 * @param cosines their cosines with the phrase, -1 to 1
 */
export function selectNegatives(
  ratios: Float64Array,
  cosines: Float64Array,
  { margin, listed, floor }: SelectOptions,
): Selected[] {
  let lowest = ratios.length < ENOUGH ? floor : Infinity;
  for (const cosine of cosines) lowest = Math.min(lowest, cosine);
  const width = 1 - lowest;
  if (!(width > 1e-6)) return [];
  const selected: Selected[] = [];
  ratios.forEach((ratio, index) => {
    const cosine = Math.min(1, (cosines[index] - lowest) / width);
    if (ratio - cosine > margin) selected.push({ index, ratio, cosine });
  });
  selected.sort((a, b) => b.ratio - b.cosine - (a.ratio - a.cosine) || a.index - b.index);
  return selected.slice(0, listed);
}
