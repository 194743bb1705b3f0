/** Metrics: correlation, area under the ROC curve, mutual information, pairs, and recall at a precision. */
import { countBy } from "../by-key.js";
import { ArgumentError } from "../errors.js";
import { mean } from "../statistics.js";

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
  if (!(squaresX > 0 && squaresY > 0))
    throw new ArgumentError(
      "the correlation is not defined: all numbers of one side are equal, or one is NaN",
    );
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

/** The area by ranks (Mann-Whitney). @throws ArgumentError without any positive or negative, or for NaN */
export function rocAuc(scores: ArrayLike<number>, positives: ArrayLike<boolean>): number {
  let positiveCount = 0;
  for (let index = 0; index < scores.length; index++) {
    if (Number.isNaN(scores[index])) throw new ArgumentError(`score ${index} is NaN`);
    if (positives[index]) positiveCount++;
  }
  const negativeCount = scores.length - positiveCount;
  if (positiveCount === 0 || negativeCount === 0)
    throw new ArgumentError("the area under the curve needs positives and negatives");
  const ranks = averageRanks(scores);
  let rankSum = 0;
  for (let index = 0; index < scores.length; index++) if (positives[index]) rankSum += ranks[index];
  return (rankSum - (positiveCount * (positiveCount + 1)) / 2) / (positiveCount * negativeCount);
}

/**
 * From 0 to 1; 1 where both labellings are one class. Equal to scikit-learn's
 * `normalized_mutual_info_score(average_method="arithmetic")`.
 */
export function normalizedMutualInformation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const n = a.length;
  if (n !== b.length) throw new ArgumentError(`labellings of ${n} and ${b.length} items`);
  const count = <Key>(keyOf: (index: number) => Key) => countBy(Array(n).keys(), keyOf);
  const [countsA, countsB] = [count((i) => a[i]), count((i) => b[i])];
  if (countsA.size <= 1 && countsB.size <= 1) return 1;
  const joint = count((i) => `${a[i]} ${b[i]}`);
  // I(A; B) = H(A) + H(B) - H(A, B)
  const both = entropy(countsA, n) + entropy(countsB, n);
  const [information, normaliser] = [both - entropy(joint, n), both / 2];
  return Math.min(1, Math.max(0, information / normaliser));
}

const entropy = (counts: ReadonlyMap<unknown, number>, n: number): number =>
  [...counts.values()].reduce((sum, count) => sum - (count / n) * Math.log(count / n), 0);

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

/** Recall of a fuzzy join at a target precision: the best threshold on the similarity, found with the labels. */
export interface JoinAtPrecision {
  readonly targetPrecision: number;
  /** False if no threshold reaches the target; precision and recall are 0 then. */
  readonly reached: boolean;
  /** Joined rows that are right / joined rows. */
  readonly precision: number;
  /** Joined rows that are right / right rows that have a match. */
  readonly recall: number;
  /** Rows of at least this similarity are joined; null if the target is not reached. */
  readonly threshold: number | null;
  readonly joined: number;
}

/**
 * Tries every similarity as the threshold and takes the one of highest recall among those that meet the target.
 * It is chosen with the labels, so it bounds from above what a method without them can reach.
 *
 * @param rows every right row with its best left row: their similarity, and the credit for it (1, 0, or a fraction
 *   where titles tie); a row without a match can only lower the precision
 * @param options.matches right rows that have a match, the recall's denominator
 */
export function joinAtPrecision(
  rows: readonly { readonly score: number; readonly credit: number }[],
  { matches, targetPrecision }: { readonly matches: number; readonly targetPrecision: number },
): JoinAtPrecision {
  const sorted = [...rows].sort((a, b) => b.score - a.score);
  const none = { precision: 0, recall: 0, threshold: null, joined: 0 };
  let best: JoinAtPrecision = { targetPrecision, reached: false, ...none };
  let right = 0;
  sorted.forEach(({ score, credit }, index) => {
    right += credit;
    const joined = index + 1;
    // Rows of equal similarity are joined together or not at all.
    if (sorted[joined]?.score === score) return;
    const precision = right / joined;
    const recall = right / matches;
    if (precision + 1e-12 < targetPrecision || (best.reached && recall <= best.recall)) return;
    best = { targetPrecision, reached: true, precision, recall, threshold: score, joined };
  });
  return best;
}
