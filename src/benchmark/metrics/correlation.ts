/** Pearson's and Spearman's correlation, as SciPy computes them. */
import { ArgumentError } from "../../errors.js";
import { mean } from "../task.js";

/** Pearson's r. @throws ArgumentError for fewer than two pairs, different lengths, or a side without variation */
export function pearson(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const n = x.length;
  if (n !== y.length) throw new ArgumentError(`correlation of ${n} with ${y.length} numbers`);
  if (n < 2) throw new ArgumentError("a correlation needs at least two pairs");
  const meanX = mean(Array.from(x));
  const meanY = mean(Array.from(y));
  let [products, squaresX, squaresY] = [0, 0, 0];
  for (let index = 0; index < n; index++) {
    const dx = x[index] - meanX;
    const dy = y[index] - meanY;
    products += dx * dy;
    squaresX += dx * dx;
    squaresY += dy * dy;
  }
  if (!(squaresX > 0 && squaresY > 0)) {
    throw new ArgumentError(
      "the correlation is not defined: all numbers of one side are equal, or one is NaN",
    );
  }
  return Math.max(-1, Math.min(1, products / Math.sqrt(squaresX) / Math.sqrt(squaresY)));
}

/** Spearman's rho: Pearson's r of the ranks. */
export const spearman = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
  pearson(averageRanks(x), averageRanks(y));

/** Ranks from 1; equal values share the mean of their ranks. */
export function averageRanks(values: ArrayLike<number>): Float64Array {
  const order = Array.from(values, (_, index) => index).sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(values.length);
  let start = 0;
  while (start < order.length) {
    let end = start + 1;
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    const rank = (start + 1 + end) / 2;
    for (let place = start; place < end; place++) ranks[order[place]] = rank;
    start = end;
  }
  return ranks;
}
