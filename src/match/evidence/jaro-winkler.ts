/** Jaro-Winkler similarity (Winkler 1990): matching characters near each other, less for transpositions, more for a common prefix. */

const prefixWeight = 0.1;
const longestPrefix = 4;

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
  if (a.length === 0 || b.length === 0) return 0;
  startCall(a.length, b.length);
  const matches = markMatches(a, b);
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

function startCall(lengthA: number, lengthB: number): void {
  call = call === 0x7fffffff ? 1 : call + 1;
  if (lengthA > matchedA.length || call === 1)
    matchedA = new Int32Array(Math.max(matchedA.length, lengthA * 2));
  if (lengthB > matchedB.length || call === 1)
    matchedB = new Int32Array(Math.max(matchedB.length, lengthB * 2));
}

function markMatches(a: string, b: string): number {
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  const lengthB = b.length;
  let matches = 0;
  for (let indexA = 0; indexA < a.length; indexA++) {
    const unit = a.charCodeAt(indexA);
    const end = Math.min(lengthB, indexA + reach + 1);
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
  const limit = Math.min(longestPrefix, a.length, b.length);
  let prefix = 0;
  while (prefix < limit && a.charCodeAt(prefix) === b.charCodeAt(prefix)) prefix++;
  return jaro + prefix * prefixWeight * (1 - jaro);
}
