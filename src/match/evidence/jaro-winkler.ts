/** Jaro-Winkler similarity (Winkler 1990): matching characters near each other, less for transpositions, more for a common prefix. */

// Scratch marks, grown as needed: this runs tens of millions of times. A position is matched where its mark is
// the number of the current call, so that nothing has to be cleared.
let matchedA = new Int32Array(128);
let matchedB = new Int32Array(128);
let call = 0;

/**
 * Jaro similarity: (m/|a| + m/|b| + (m − t)/m) / 3 with m matches no farther apart than half the longer string
 * less one, and t half the number of matches out of order.
 */
export function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const longest = Math.max(a.length, b.length);
  call++;
  if (longest > matchedA.length || call > 0x7fffffff) {
    matchedA = new Int32Array(2 * longest);
    matchedB = new Int32Array(2 * longest);
    call = 1;
  }
  const matches = markMatches(a, b, Math.max(0, (longest >> 1) - 1));
  if (matches === 0) return 0;
  let outOfOrder = 0;
  let indexB = 0;
  for (let indexA = 0; indexA < a.length; indexA++) {
    if (matchedA[indexA] !== call) continue;
    while (matchedB[indexB] !== call) indexB++;
    if (a.charCodeAt(indexA) !== b.charCodeAt(indexB)) outOfOrder++;
    indexB++;
  }
  return (matches / a.length + matches / b.length + (matches - outOfOrder / 2) / matches) / 3;
}

/** Marks and counts equal characters no farther apart than `reach`. */
function markMatches(a: string, b: string, reach: number): number {
  let matches = 0;
  for (let indexA = 0; indexA < a.length; indexA++) {
    const unit = a.charCodeAt(indexA);
    const end = Math.min(b.length, indexA + reach + 1);
    for (let indexB = Math.max(0, indexA - reach); indexB < end; indexB++) {
      if (b.charCodeAt(indexB) !== unit || matchedB[indexB] === call) continue;
      matchedA[indexA] = call;
      matchedB[indexB] = call;
      matches++;
      break;
    }
  }
  return matches;
}

/** Jaro similarity raised by 0.1 of what is missing for each of up to 4 equal first characters. */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  const limit = Math.min(4, a.length, b.length);
  let prefix = 0;
  while (prefix < limit && a.charCodeAt(prefix) === b.charCodeAt(prefix)) prefix++;
  return jaro + prefix * 0.1 * (1 - jaro);
}
