/**
 * Which pairs a person should judge first: those whose answers reduce the uncertainty about all pairs most (V-optimal design
 * for the regression that takes the answers in; Atkinson, Donev and Tobias 2007). An answer counts for every pair with
 * similar evidence, so neither a lone pair at even odds nor the tenth of one kind comes first.
 */
import type { ValuedColumn } from "../columns/value-set.js";
import type { RowMatch } from "../compare-tables.js";
import type { ScoredPairs } from "../estimates/scored-pairs.js";
import { featurePrecision, pairFeatures, rankedPairs } from "../weights/answers.js";
import { finder } from "../weights/chosen-places.js";
import { addOuter, dot, inverseOf, logit, sigmoid } from "../weights/logistic.js";
import type { Known } from "../weights/pair-table.js";

/** A pair that is worth judging. */
export interface DoubtfulPair extends RowMatch {
  /** Whether the rows are joined, or in one group, as long as nobody judges them. */
  readonly accepted: boolean;
}

export interface DoubtfulOptions {
  readonly known: Known;
  readonly count: number;
  /** Pairs of the table that are candidates; later ones are not asked about. */
  readonly candidates: number;
  /** Rows that are asked about together: of each pair of groups, and of each row, one pair is chosen. */
  readonly groups?: Int32Array;
  /** The accepted pairs of the table, ascending; of grouped rows those within a group are. */
  readonly accepted: Int32Array;
  /** Columns of the table: pairs with the same values in all of them are asked about once. */
  readonly fields: readonly ValuedColumn[];
}

/** Less likely pairs are not asked about. */
const least = 0.02;
/** Pairs that are weighed against each other, evenly spaced by probability. */
const mostWeighed = 3000;
/** The uncertainty after each answer is computed for so many pairs; the others follow in the order reached then. */
const mostPlanned = 100;

interface Candidate {
  readonly pair: number;
  readonly features: Float64Array;
  readonly logOdds: number;
}

/** @param scored what the estimates are after the answers, whatever is accepted */
export function doubtfulPairs(scored: ScoredPairs, options: DoubtfulOptions): DoubtfulPair[] {
  const { table, probability } = scored;
  const { groups, accepted: pairs } = options;
  const { candidates, share } = openPairs(scored, options);
  let covariance = inverseOf(information(scored, options.known.judged ?? options.known));
  const spread = new Float64Array(covariance.length);
  for (const { features, logOdds } of candidates) {
    const own = dot(features, multiply(covariance, features));
    addOuter(spread, features, answerVariance(logOdds, own) ** 2 / share);
  }
  const isFree = freePairs(scored, options);
  const placeOf = finder(pairs);
  const chosen: DoubtfulPair[] = [];
  let open = candidates;
  for (let step = 0; chosen.length < options.count && open.length > 0; step++) {
    const gains = open.map((candidate) => gainOf(candidate, covariance, spread));
    const order = [...open.keys()].sort(
      (a, b) => gains[b].gain - gains[a].gain || open[a].pair - open[b].pair,
    );
    const taken = order.slice(0, step < mostPlanned ? 1 : undefined);
    for (const place of taken) {
      const { pair } = open[place];
      if (chosen.length === options.count || !isFree(pair)) continue;
      const [left, right] = [table.left.at(pair)!, table.right[pair]];
      const accepted = groups === undefined ? placeOf(pair) >= 0 : groups[left] === groups[right];
      chosen.push({ left, right, probability: probability.at(pair)!, accepted });
      covariance = updated(covariance, gains[place]);
    }
    open = step < mostPlanned ? open.toSpliced(order[0], 1) : [];
  }
  return chosen;
}

/** Pairs that nobody has judged, thinned out evenly by probability to a share. */
function openPairs(
  { table, weights, probability }: ScoredPairs,
  { known, candidates: all }: DoubtfulOptions,
) {
  const open: number[] = [];
  for (let pair = 0; pair < all; pair++)
    if (probability.at(pair)! >= least && !known.has(pair)) open.push(pair);
  open.sort((a, b) => probability.at(a)! - probability.at(b)! || a - b);
  const count = Math.min(mostWeighed, open.length);
  const candidates = Array.from({ length: count }, (_, rank): Candidate => {
    const pair = open[Math.floor(((rank + 0.5) / count) * open.length)];
    return {
      pair,
      features: pairFeatures(table, weights, pair),
      logOdds: logit(probability.at(pair)!, 1e-9),
    };
  });
  return { candidates, share: count / Math.max(1, open.length) };
}

/** What the estimates without answers and the answers tell about the coefficients of the regression. */
function information({ table, weights, logOdds, judged = [] }: ScoredPairs, known: Known): Float64Array {
  const precision = featurePrecision(table.columns.length);
  const size = precision.length;
  const matrix = new Float64Array(size * size);
  precision.forEach((value, i) => {
    matrix[i * size + i] = value;
  });
  const add = (pair: number, p: number, share = 1): void =>
    addOuter(matrix, pairFeatures(table, weights, pair), share * p * (1 - p));
  for (const pair of rankedPairs(table, logOdds)) add(pair, sigmoid(logOdds[table.classOf[pair]]));
  [...known.keys()].forEach((pair, place) => {
    const { estimate, share } = judged[place];
    add(pair, estimate, share);
  });
  return matrix;
}

interface Gain {
  readonly gain: number;
  /** Covariance × features. */
  readonly direction: Float64Array;
  readonly reduction: number;
}

/** By how much the answer reduces the summed variance: that of all estimates, and of the pair itself. */
function gainOf({ features, logOdds }: Candidate, covariance: Float64Array, spread: Float64Array): Gain {
  const direction = multiply(covariance, features);
  const own = dot(features, direction);
  const variance = answerVariance(logOdds, own);
  const reduction = variance / (1 + variance * own);
  return { direction, reduction, gain: reduction * dot(direction, multiply(spread, direction)) + variance };
}

/**
 * The more uncertain the coefficients leave the log-odds, the nearer is the answer to even odds (MacKay 1992): pairs that seem
 * certain are asked about until answers confirm it.
 */
function answerVariance(logOdds: number, uncertainty: number): number {
  const p = sigmoid(logOdds / Math.sqrt(1 + (Math.PI / 8) * uncertainty));
  return p * (1 - p);
}

/** Sherman and Morrison's formula. */
function updated(covariance: Float64Array, { direction, reduction }: Gain): Float64Array {
  const next = covariance.slice();
  addOuter(next, direction, -reduction);
  return next;
}

function multiply(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length;
  return vector.map((_, i) => dot(matrix.subarray(i * size, (i + 1) * size), vector));
}

/** Says whether a pair may be chosen beside the chosen ones: a row, a group, and a pair of values are asked about once. */
function freePairs({ table }: ScoredPairs, { groups, fields }: DoubtfulOptions): (pair: number) => boolean {
  const used = new Set<string>();
  return (pair) => {
    const [left, right] = [table.left.at(pair)!, table.right[pair]];
    const [a, b] = groups === undefined ? [left, right] : [groups[left], groups[right]];
    const values = fields.map((field) => `${field.left[left]}=${field.right[right]}`).join();
    const keys = [...(table.isOneTable ? [`${a}`, `${b}`] : [`left ${a}`, `right ${b}`]), values];
    if (keys.some((key) => used.has(key))) return false;
    for (const key of keys) used.add(key);
    return true;
  };
}
