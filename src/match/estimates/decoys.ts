/**
 * Precision from decoys: each matched right row is judged once more as if its partner were missing from the left table.
 * What it would match then is false, and rows that have no partner match falsely as often (the idea of target-decoy error
 * rates, Elias and Gygi 2007).
 */
import { candidatesOf, type Rankings, type RowPair } from "./estimate.js";

/** The pair that a right row would have without its partner. */
export interface Decoy {
  readonly right: number;
  /** Undefined if no other left row is a candidate: then nothing would match. */
  readonly pair?: RowPair;
}

/** More matched rows than this are sampled evenly. */
const sampled = 2000;

/** @param partners the matched left rows of each matched right row */
export function decoyPairs(
  { right, leftKeys }: Rankings,
  partners: ReadonlyMap<number, readonly number[]>,
): Decoy[] {
  const step = Math.max(1, Math.floor(partners.size / sampled));
  return [...partners.keys()]
    .filter((_, place) => place % step === 0)
    .map((row) => {
      const own = new Set(partners.get(row)!.map((left) => leftKeys[left]));
      const [missing, others] = [new Set<number>(), candidatesOf(right, row)];
      for (const { left } of others) if (own.has(leftKeys[left])) missing.add(left);
      const best = others.find(({ left }) => !missing.has(left));
      return { right: row, pair: best && { ...best, taken: missing } };
    });
}

/**
 * @param isMatched whether a decoy would be matched
 * @param counts right rows with, and without a match
 */
export function decoyPrecision(
  decoys: readonly Decoy[],
  isMatched: (right: number, pair: RowPair) => boolean,
  counts: { readonly matched: number; readonly unmatched: number },
): number {
  const matched = decoys.filter(({ right, pair }) => pair !== undefined && isMatched(right, pair)).length;
  // Half a decoy is added: none of 30 does not mean never.
  const chance = (matched + 0.5) / (decoys.length + 1);
  // Of the rows without a partner the unmatched ones are those that escaped the chance.
  const matchedFalsely = (counts.unmatched * chance) / Math.max(0.2, 1 - chance);
  return Math.max(0, 1 - matchedFalsely / Math.max(1, counts.matched));
}
