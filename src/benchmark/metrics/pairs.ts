/** Precision, recall and F1 of pairs of rows. */

export interface PairScores {
  readonly pairs: number;
  /** Undefined without a pair: nothing was claimed. */
  readonly precision: number | undefined;
  readonly recall: number;
  /** 0 without a right pair. */
  readonly f1: number;
}

/** Pairs of rows as numbers: left row × width + right row. */
export function pairScores(found: readonly number[], gold: ReadonlySet<number>): PairScores {
  const right = found.filter((pair) => gold.has(pair)).length;
  return {
    pairs: found.length,
    precision: found.length === 0 ? undefined : right / found.length,
    recall: right / gold.size,
    f1: (2 * right) / (found.length + gold.size),
  };
}
