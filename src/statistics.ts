/** Mean, standard deviation, the highest of some, the interval of a share, and softmax. */

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The first item with the highest score; NaN is the lowest. @throws RangeError without an item */
export function highest<Item>(items: Iterable<Item>, scoreOf: (item: Item) => number): Item {
  let best: { readonly item: Item; readonly score: number } | undefined;
  for (const item of items) {
    const given = scoreOf(item);
    const score = Number.isNaN(given) ? Number.NEGATIVE_INFINITY : given;
    if (best === undefined || score > best.score) best = { item, score };
  }
  if (best === undefined) throw new RangeError("there is no highest of no items");
  return best.item;
}

/** Standard deviation of a sample (divided by n - 1); 0 of a single value. */
export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1));
}

/** The 95 % interval of a share (Wilson, 1927): of few trials it is wide, also where all or none succeeded. */
export function wilsonInterval(successes: number, trials: number): { low: number; high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const squared = 1.96 ** 2;
  const share = successes / trials;
  const middle = (share + squared / (2 * trials)) / (1 + squared / trials);
  const half =
    (1.96 * Math.sqrt((share * (1 - share)) / trials + squared / (4 * trials ** 2))) / (1 + squared / trials);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Scores times `factor` as probabilities. */
export function softmax(scores: Float32Array | Float64Array, factor = 1): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) most = Math.max(most, factor * score);
  const powers = Float64Array.from(scores, (score) => Math.exp(factor * score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
