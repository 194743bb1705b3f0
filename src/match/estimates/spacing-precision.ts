/**
 * Estimates without labels how likely a match is right, from the spacing of a table with almost no duplicates
 * (Li et al., "Auto-FuzzyJoin: Auto-Program Fuzzy Similarity Joins Without Labeled Examples", SIGMOD 2021).
 *
 * A row that matches at distance t may as well mean any other row of the table within 2t of the matched row, by the
 * triangle inequality.
 */

/**
 * Estimated precision of one match: 1 / (1 + rows of the reference table within twice its distance of the matched row).
 * @param neighbours distances from the matched row to other rows of its table; those farther away may be omitted
 */
export function spacingPrecision(distance: number, neighbours: readonly number[]): number {
  return 1 / (1 + neighbours.filter((neighbour) => neighbour <= 2 * distance).length);
}

/**
 * Keeps as many matches as possible while their mean estimated precision meets the promise, so that certain matches
 * make up for doubtful ones. Equal estimates are kept together or not at all.
 * @param estimates precision of each match, from 0 to 1
 * @param target the promised mean
 * @param floor matches at or below it are dropped even if the mean would still meet the promise
 * @returns positions of the kept matches among the estimates, most certain first
 */
export function keepPromise(
  estimates: readonly number[],
  { target, floor = 0 }: { readonly target: number; readonly floor?: number },
): number[] {
  const order = [...estimates.keys()]
    .filter((index) => estimates[index] > floor)
    .sort((a, b) => estimates[b] - estimates[a] || a - b);
  let [sum, kept] = [0, 0];
  order.forEach((index, position) => {
    sum += estimates[index];
    const count = position + 1;
    if (count < order.length && estimates[order[count]] === estimates[index]) return;
    // The running mean of sorted estimates never rises, so the kept matches are a prefix.
    if (sum / count + 1e-12 >= target) kept = count;
  });
  return order.slice(0, kept);
}
