/**
 * Jaro-Winkler similarity (Winkler 1990): matching characters near each other, less for transpositions, more for a common
 * prefix.
 */

/**
 * Jaro similarity: (m/|a| + m/|b| + (m − t)/m) / 3 with m matches no farther apart than half the longer string
 * less one, and t half the number of matches out of order.
 */
function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  const isTaken = new Uint8Array(b.length);
  const matched: number[] = []; // in the order of a
  for (let indexA = 0; indexA < a.length; indexA++) {
    const unit = a.charCodeAt(indexA);
    const end = Math.min(b.length, indexA + reach + 1);
    for (let indexB = Math.max(0, indexA - reach); indexB < end; indexB++) {
      if (b.charCodeAt(indexB) !== unit || isTaken[indexB] === 1) continue;
      isTaken[indexB] = 1;
      matched.push(unit);
      break;
    }
  }
  const matches = matched.length;
  if (matches === 0) return 0;
  let [place, outOfOrder] = [0, 0];
  for (let indexB = 0; indexB < b.length; indexB++)
    if (isTaken[indexB] === 1 && b.charCodeAt(indexB) !== matched[place++]) outOfOrder++;
  return (matches / a.length + matches / b.length + (matches - outOfOrder / 2) / matches) / 3;
}

/** How many first characters are equal. */
export function commonPrefix(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return same;
}

/** Jaro similarity raised by 0.1 of what is missing for each of up to 4 equal first characters. */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  return jaro + Math.min(4, commonPrefix(a, b)) * 0.1 * (1 - jaro);
}
