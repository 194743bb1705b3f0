/**
 * At most one partner (Sadinle 2017, in a form that is one softmax per row): the candidates of a row and "none" share
 * one unit of probability; where rows of both sides have one partner, the smaller of a pair's two shares counts.
 */
import type { Relation } from "./learn.js";
import { competingSides, type PairSide, type PairTable } from "./pair-table.js";

/** Odds of all pairs of a row have a sum below the largest number. */
const mostLogOdds = 600;
/**
 * Pairs below these odds are taken for impossible: most pairs of large tables, whose rows then need not be looked up. A billion
 * of them would be a thousandth of a match.
 */
const leastOdds = 1e-12;

/**
 * Returns a function that fills the probability of each pair from the log-odds of its class and the expected number of
 * matches, and says how much that changes them. Beside them it keeps numbers for rows only: pairs are many.
 */
export function competition(table: PairTable, relation: Relation) {
  const { classOf } = table;
  const sides = competingSides(table, relation).map(({ rowOf, rows }) => {
    return { rowOf, sums: new Float64Array(rows) };
  });
  const smallest = Math.min(...sides.map(({ sums }) => sums.length));
  return (logOdds: Float64Array, matches: number, probability: Float64Array): Change => {
    // Odds against "none": most rows have a partner where most are expected to.
    const shift = -Math.log(Math.max(0.02, 1 - matches / smallest));
    const odds = logOdds.map((value) => {
      const own = Math.exp(Math.min(mostLogOdds, value + shift));
      return own < leastOdds ? 0 : own;
    });
    for (const { rowOf, sums } of sides) {
      sums.fill(1);
      for (let pair = 0; pair < classOf.length; pair++) {
        const own = odds[classOf[pair]];
        if (own > 0) sums[rowOf(pair)] += own;
      }
    }
    const change = { moved: 0, sum: 0 };
    for (let pair = 0; pair < probability.length; pair++) {
      const own = odds[classOf[pair]];
      let most = 1;
      if (own > 0) for (const { rowOf, sums } of sides) most = Math.max(most, sums[rowOf(pair)]);
      const least = own / most;
      change.moved += Math.abs(least - probability[pair]);
      change.sum += least;
      probability[pair] = least;
    }
    return change;
  };
}

/** How much probabilities have changed, and their sum. */
export interface Change {
  readonly moved: number;
  readonly sum: number;
}

/** Rounds of messages: they settle within a few. */
const rounds = 12;

/**
 * The probability of each pair where every row has one partner at most, by belief propagation (Huang and Jebara 2009): a
 * rival counts less if its other row has a better partner.
 * @param logOdds of each class
 */
export function matchingBeliefs(table: PairTable, logOdds: Float64Array, matches: number): Float64Array {
  const { rows, classOf } = table;
  const [left, right] = competingSides(table, "one-to-one");
  const shift = -Math.log(Math.max(0.02, 1 - matches / Math.min(rows[0], rows[1])));
  const odds = logOdds.map((value) => Math.exp(Math.min(40, value + shift)));
  const sums = new Float64Array(Math.max(rows[0], rows[1]));
  // How free a pair's right row is for it, and in turns its left row.
  const free = new Float64Array(classOf.length).fill(1);
  /** Of each row 1 + the odds of its pairs, each as far as its other row is free. */
  const sumRows = ({ rowOf }: PairSide): void => {
    sums.fill(1);
    for (let pair = 0; pair < free.length; pair++) sums[rowOf(pair)] += odds[classOf[pair]] * free[pair];
  };
  /** 1 / (1 + odds of the row's other pairs). */
  const freedom = ({ rowOf }: PairSide, pair: number): number =>
    1 / Math.max(1, sums[rowOf(pair)] - odds[classOf[pair]] * free[pair]);
  for (let round = 1; round <= rounds; round++) {
    sumRows(left);
    for (let pair = 0; pair < free.length; pair++) free[pair] = freedom(left, pair);
    sumRows(right);
    if (round === rounds) break;
    for (let pair = 0; pair < free.length; pair++) free[pair] = freedom(right, pair);
  }
  for (let pair = 0; pair < free.length; pair++) {
    const both = odds[classOf[pair]] * free[pair] * freedom(right, pair);
    free[pair] = both / (1 + both);
  }
  return free;
}
