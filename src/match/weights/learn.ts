/**
 * Learns without labels what each level of each column says (Fellegi and Sunter 1969; EM of Winkler 1993): a weight
 * ln(m / u) per level, m its share among matches and u among other pairs. Where a row has
 * one partner its candidates compete; else a third class takes what is alike without being the same.
 */
import type { KnownPair } from "../compare-tables.js";
import { missing } from "../evidence/pair-evidence.js";
import { pauses } from "../run/pause.js";
import type { Known } from "./answers.js";
import {
  type ClassPosteriors,
  type ExpectedCounts,
  expectedCounts,
  expectedOfClasses,
  total,
} from "./expected-counts.js";
import { monotoneLogRatio } from "./isotonic.js";
import { sigmoid } from "./logistic.js";
import { competition } from "./one-to-one.js";
import { separated } from "./pair-classes.js";
import { allPairs, levelTotals, type PairTable, placeOf, rowsInOrder } from "./pair-table.js";
import { startingPosteriors } from "./start.js";

/** How many partners a row may have. "many-to-one": a left row several, a right row one. */
export type Relation = "one-to-one" | "many-to-one" | "one-to-many" | "many-to-many";

export interface LearnOptions {
  /** "one-to-one": the candidates of a row compete for it; the default for two tables. */
  readonly relation?: Relation;
  readonly signal?: AbortSignal;
  /** Called after each round with the rounds done and at most. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Weights {
  /** Per column and level: evidence for a match, as natural log-odds. */
  readonly match: readonly Float64Array[];
  /** The same for related pairs; empty without that class. */
  readonly related: readonly Float64Array[];
  /** Share of related pairs among all. */
  readonly relatedShare: number;
  /** Log-odds that a random pair is a match. */
  readonly prior: number;
  /** Expected number of matches. */
  readonly matches: number;
}

export interface Learned {
  readonly weights: Weights;
  /** Log-odds of each class of candidates before competition. */
  readonly logOdds: Float64Array;
}

/**
 * Pairs by which related ones are believed to be like any others: a small table has too few pairs to learn a third class,
 * which would take the matches of large groups.
 */
const unrelated = 200;
const iterations = 40;
const settled = 1e-4;
/** Strength of the belief that matches agree, as a share of the expected matches. */
const agreement = 0.05;
const strongest = { against: -6, for: 14 };

/** An aborted call rejects with the reason of its signal. */
export async function learnWeights(table: PairTable, options: LearnOptions = {}): Promise<Learned> {
  const { relation = table.isOneTable ? "many-to-many" : "one-to-one", signal, onProgress } = options;
  const areSeveral = relation === "many-to-many";
  const totals = levelTotals(table);
  const competing = competition(table, relation, options);
  const expected: Expectation = areSeveral
    ? classExpectation(table)
    : (logOdds, _, matches) => competing(logOdds, matches);
  let counts = expectedCounts(table, startingPosteriors(table, relation));
  let weights = weightsFrom(table, totals, counts);
  let logOdds: Float64Array = new Float64Array(0);
  const pause = pauses(signal, 1);
  for (let round = 0; round < iterations; round++) {
    await pause();
    onProgress?.(round, iterations);
    const related = new Float64Array(areSeveral ? table.levels[0].length : 0);
    logOdds = scorePairs(table.levels, weights, table.columns, related);
    counts = await expected(logOdds, related, weights.matches);
    if (counts.moved < settled * counts.sum) break;
    if (round + 1 < iterations) weights = weightsFrom(table, totals, counts);
  }
  onProgress?.(iterations, iterations);
  return { weights, logOdds };
}

/** Expected counts from the log-odds of each class, the share of its related pairs, and the expected number of matches. */
type Expectation = (
  logOdds: Float64Array,
  related: Float64Array,
  matches: number,
) => ExpectedCounts | Promise<ExpectedCounts>;

function classExpectation(table: PairTable): Expectation {
  let before: ClassPosteriors | undefined;
  return (logOdds, shares) => {
    const match = logOdds.map(sigmoid);
    const posteriors = { match, related: shares.map((share, place) => share * (1 - match[place])) };
    const counts = expectedOfClasses(table, posteriors, before);
    before = posteriors;
    return counts;
  };
}

/** Log-odds of a known pair: no evidence outweighs it. */
export const certain = 1e6;

/** Gives known pairs, each a class of its own, log-odds that no evidence outweighs. */
export function decide<Table extends PairTable>(
  table: Table,
  logOdds: Float64Array,
  known: ReadonlyMap<number, number>,
): { readonly table: Table; readonly logOdds: Float64Array } {
  if (known.size === 0) return { table, logOdds };
  const decided = Float64Array.from(known.values(), (match) => (match === 1 ? certain : -certain));
  const all = new Float64Array(logOdds.length + known.size);
  all.set(logOdds);
  all.set(decided, logOdds.length);
  return { table: { ...table, ...separated(table, [...known.keys()]) }, logOdds: all };
}

function weightsFrom(table: PairTable, totals: readonly Float64Array[], counts: ExpectedCounts): Weights {
  // One row has no pairs.
  const pairs = Math.max(1, allPairs(table));
  const matches = Math.max(1e-3, total(counts.matches));
  const match: Float64Array[] = [];
  const relatedWeights: Float64Array[] = [];
  table.columns.forEach(({ levels: count, lowest }, column) => {
    const [m, mRows, h] = [counts.matches, counts.shares, counts.related].map((ofClass) =>
      byLevel(table.levels[column], count, ofClass),
    );
    const u = shares(totals[column].map((all, level) => Math.max(0, all - m[level] - h[level]) + 0.5));
    // Matches agree: a growing share at higher levels.
    const agreeing = shares(Float64Array.from(m, (_, level) => Math.exp((4 * level) / (count - 1))));
    const expected = agreeing.map((share, level) => 0.8 * share + 0.2 * u[level]);
    const strength = agreement * total(mRows) + 2;
    const matchCounts = mRows.map((sum, level) => sum + expected[level] * strength);
    match.push(logRatio(matchCounts, u));
    if (lowest !== undefined) match[column][0] = lowest;
    const relatedCounts = h.map((sum, level) => sum + unrelated * u[level] + 2 * expected[level]);
    if (counts.related !== undefined) relatedWeights.push(logRatio(relatedCounts, u));
  });
  return {
    ...{ match, related: relatedWeights, matches },
    relatedShare: counts.related === undefined ? 0 : total(counts.related) / pairs,
    prior: Math.log(matches / pairs),
  };
}

/** The sum of the numbers of the classes at each level. */
function byLevel(levels: Int8Array, count: number, ofClass: Float64Array | undefined): Float64Array {
  const sums = new Float64Array(count);
  ofClass?.forEach((number, place) => {
    if (levels[place] !== missing) sums[levels[place]] += number;
  });
  return sums;
}

const logRatio = (counts: Float64Array, u: Float64Array): Float64Array =>
  monotoneLogRatio(shares(counts), u).map((weight) =>
    Math.min(strongest.for, Math.max(strongest.against, weight)),
  );

function shares(counts: Float64Array): Float64Array {
  const sum = total(counts);
  return counts.map((count) => count / sum);
}

/**
 * Log-odds of pairs, or of classes of them, by their levels, one array per column.
 * @param related if given, receives the share of the related class in what is no match
 */
export function scorePairs(
  levels: readonly Int8Array[],
  { match, related: relatedWeights, relatedShare, prior }: Weights,
  columns: PairTable["columns"],
  related?: Float64Array,
): Float64Array {
  const logOdds = new Float64Array(levels[0]?.length ?? 0).fill(prior);
  const hasRelated = relatedWeights.length > 0;
  const alike = new Float64Array(hasRelated ? logOdds.length : 0);
  columns.forEach(({ share }, column) => {
    const [ofColumn, weights] = [levels[column], match[column]];
    for (let pair = 0; pair < logOdds.length; pair++) {
      const level = ofColumn[pair];
      if (level === missing) continue;
      logOdds[pair] += share * weights[level];
      if (hasRelated) alike[pair] += share * relatedWeights[column][level];
    }
  });
  for (let pair = 0; pair < alike.length; pair++) {
    const odds = relatedShare * Math.exp(Math.min(300, alike[pair]));
    logOdds[pair] -= Math.log(odds + 1 - relatedShare);
    if (related !== undefined) related[pair] = odds / (odds + 1 - relatedShare);
  }
  return logOdds;
}

/**
 * Known pairs by their place in the pair table, as far as they are in it.
 * @param sorted pairs of the table that are sorted, others follow; default all
 */
export function knownPlaces(table: PairTable, known: readonly KnownPair[], sorted?: number): Known {
  const [places, shares] = [new Map<number, number>(), new Map<number, number>()];
  const note = (place: number, { match, share }: KnownPair): void => {
    places.set(place, match ? 1 : 0);
    if (share !== undefined) shares.set(place, share);
  };
  const unsorted = new Map<number, KnownPair>();
  const keyOf = (left: number, right: number): number => left * table.rows[1] + right;
  for (const pair of known) {
    const [left, right] = rowsInOrder(table, pair);
    const place = placeOf(table, left, right, sorted);
    if (place >= 0) note(place, pair);
    else unsorted.set(keyOf(left, right), pair);
  }
  if (unsorted.size > 0)
    for (let place = sorted ?? table.left.length; place < table.left.length; place++) {
      const pair = unsorted.get(keyOf(table.left.at(place)!, table.right[place]));
      if (pair !== undefined) note(place, pair);
    }
  return Object.assign(places, { shares });
}
