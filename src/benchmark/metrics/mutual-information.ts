/** Normalised mutual information of two labellings, with the arithmetic mean of their entropies. */
import { ArgumentError } from "../../errors.js";

/**
 * From 0 to 1; 1 where both labellings are one class. Equal to scikit-learn's
 * `normalized_mutual_info_score(average_method="arithmetic")`.
 */
export function normalizedMutualInformation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const n = a.length;
  if (n !== b.length) throw new ArgumentError(`labellings of ${n} and ${b.length} items`);
  const countsA = new Map<number, number>();
  const countsB = new Map<number, number>();
  const joint = new Map<number, Map<number, number>>();
  for (let index = 0; index < n; index++) {
    increment(countsA, a[index]);
    increment(countsB, b[index]);
    const row = joint.get(a[index]) ?? new Map<number, number>();
    joint.set(a[index], row);
    increment(row, b[index]);
  }
  if (countsA.size <= 1 && countsB.size <= 1) return 1;
  let information = 0;
  for (const [labelA, row] of joint) {
    for (const [labelB, count] of row) {
      const expected = (countsA.get(labelA)! * countsB.get(labelB)!) / n;
      information += (count / n) * Math.log(count / expected);
    }
  }
  const normaliser = (entropy(countsA, n) + entropy(countsB, n)) / 2;
  return Math.min(1, Math.max(0, information / normaliser));
}

function increment(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function entropy(counts: ReadonlyMap<number, number>, n: number): number {
  let sum = 0;
  for (const count of counts.values()) sum -= (count / n) * Math.log(count / n);
  return sum;
}
