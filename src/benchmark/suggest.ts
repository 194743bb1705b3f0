/** Did-you-mean: the known name nearest to a mistyped one. */
import { distance } from "fastest-levenshtein";

/** The nearest name by edit distance, or undefined where none is near (more than two edits and more than 40 % of the letters). */
export function closestName(typed: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const name of names) {
    const edits = distance(typed.toLowerCase(), name.toLowerCase());
    if (edits < bestDistance) [best, bestDistance] = [name, edits];
  }
  return best !== undefined && bestDistance <= Math.max(2, 0.4 * Math.max(typed.length, best.length))
    ? best
    : undefined;
}
