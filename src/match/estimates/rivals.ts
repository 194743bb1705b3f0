/**
 * Precision of a join from free rivals: an accepted row's best candidate among rows that nobody took is false for certain.
 * How often it scores as well as accepted pairs do is the chance of a false partner for a row that has no true one (the
 * idea of target-decoy error rates, Elias and Gygi 2007).
 */
import { acceptedScores, type ScoredPairs } from "./scored-pairs.js";

/** Accepted scores below this quantile are the edge. */
const edgeQuantile = 0.02;

/** The better of the two sides' estimates; tables differ in how many rows have no partner. */
export function rivalPrecision({ table, relation, logOdds, accepted }: ScoredPairs): number {
  const scores = acceptedScores({ table, accepted }, logOdds);
  if (scores.length === 0) return 0;
  const edge = scores[Math.floor(edgeQuantile * scores.length)];
  const ofLeft = (pair: number): number => table.left.at(pair)!;
  const ofRight = (pair: number): number => table.right[pair];
  const sides = [
    { own: ofLeft, other: ofRight, rows: table.rows[0], others: table.rows[1] },
    { own: ofRight, other: ofLeft, rows: table.rows[1], others: table.rows[0] },
  ];
  // A further partner is false only for a row that has one at most.
  const competing = sides.filter((_, side) => relation !== (side === 0 ? "many-to-one" : "one-to-many"));
  return Math.max(
    ...competing.map(({ own, other, rows, others }) => {
      const [isTaken, isOtherTaken] = [new Uint8Array(rows), new Uint8Array(others)];
      for (const pair of accepted) {
        isTaken[own(pair)] = 1;
        isOtherTaken[other(pair)] = 1;
      }
      const hasRival = new Uint8Array(rows);
      table.classOf.forEach((place, pair) => {
        if (logOdds[place] >= edge && isTaken[own(pair)] === 1 && isOtherTaken[other(pair)] === 0)
          hasRival[own(pair)] = 1;
      });
      const sum = (flags: Uint8Array): number => flags.reduce((total, flag) => total + flag, 0);
      const taken = sum(isTaken);
      const tail = (sum(hasRival) + 0.5) / (taken + 1);
      return 1 - ((rows - taken) * tail) / Math.max(0.2, 1 - tail) / scores.length;
    }),
  );
}
