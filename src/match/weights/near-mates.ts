/**
 * What a row's mate says about near misses: rows that surely have a partner have near misses as others do, so pairs of a kind that
 * are found only among rows without one are matches that were taken for near misses.
 */
import { disjointSets } from "../../disjoint-sets.js";
import { opposition } from "../evidence/across-columns.js";
import { missing } from "../evidence/levels.js";
import { type EvidenceColumn, opposedColumn } from "../evidence/pair-evidence.js";
import { chosenPlaces } from "./chosen-places.js";
import type { Learned, LearnOptions } from "./learn.js";
import { sigmoid } from "./logistic.js";
import { nearOdds } from "./near-misses.js";
import { competedProbabilities } from "./one-to-one.js";
import { addTo, blockSize, lookUp, type Probabilities, pairBlocks } from "./pair-blocks.js";
import { classCount } from "./pair-classes.js";
import type { PairTable, Relation } from "./pair-table.js";

/** Expected partners from which a row surely has one, and the probability from which two rows are in one group. */
const sure = 0.8;
/** The share of rows without a partner is taken for no less. */
const leastFree = 0.05;
/** Pairs of a kind from which its rows are compared. */
const fewest = 3;
/** As likely as this by chance is too seldom to be chance. */
const significant = 0.001;
/** The least and the most by which the share of a kind changes at a time. */
const step = { least: 0.2, most: 1.25 };
/** Log-odds of contradicting names that are not the same whatever else agrees. */
const apart = -20;
/**
 * How many near misses beside sure mates are expected for each pair of rows without one, as a share of what chance expects. Fewer
 * where only one of several identifying columns differs: such pairs are seldom matches.
 */
const leastBeside = { any: 0.5, sole: 0.25 };

/** Pairs that differ in at least this many identifying columns are never taken for matches here: a father and a daughter. */
const contradiction = 2;

/** By which the share of each kind is to change: below 1 where its pairs lie beside sure mates too seldom. */
export async function nearFactors(
  table: PairTable,
  relation: Relation,
  learned: Learned & { readonly related: Float64Array },
  run: LearnOptions,
): Promise<Float64Array> {
  const { weights, logOdds, related } = learned;
  const own = logOdds.map(sigmoid);
  const probabilities: Probabilities =
    relation === "many-to-many"
      ? ({ classOf }, into) => lookUp(own, classOf, into)
      : await competedProbabilities(table, relation, { logOdds, related, matches: weights.matches }, run);
  const { beside, free, mates } = byMates(table, probabilities);
  const odds = nearOdds(weights.near!, table.columns);
  const chance = chanceBeside(mates);
  const [besides, frees] = [0, 1].map(() => new Float64Array(odds.own.length));
  for (let place = 0; place < related.length; place++) {
    if (related[place] < 1e-6) continue;
    const scale = related[place] / odds.sum(table.levels, place);
    const [ofBeside, ofFree] = [beside[place] * scale, free[place] * scale];
    for (let kind = 0; kind < besides.length; kind++) {
      besides[kind] += ofBeside * odds.own[kind];
      frees[kind] += ofFree * odds.own[kind];
    }
  }
  return besides.map((found, kind) => {
    // The kind that shares nothing is of unrelated pairs.
    if (kind === 0 || (found < fewest && frees[kind] < fewest)) return 1;
    if (identifyingApart(kind, table.columns, weights.near!.identity) >= contradiction) return 1;
    const expected = chance * leastBeside[odds.soles[kind] >= 0 ? "sole" : "any"];
    if (poissonAtMost(found, expected * frees[kind]) >= significant) return step.most;
    const upper = (found + 2 * Math.sqrt(found) + 1) / expected;
    return Math.min(1, Math.max(step.least, upper / frees[kind]));
  });
}

/** In how many columns that identify a kind differs; the numbers of a text are its own. */
const identifyingApart = (
  kind: number,
  columns: readonly EvidenceColumn[],
  identity: readonly boolean[],
): number =>
  new Set(
    columns.flatMap(({ field, from, unit }, at) =>
      identity[at] && (kind & (1 << unit)) === 0 ? [field >= 0 ? field : from] : [],
    ),
  ).size;

/** How many near misses chance expects beside a sure mate, for each whose rows have none. @param mates of each row, by side */
function chanceBeside(mates: readonly Float64Array[]): number {
  const [left, right] = mates.map((sums) =>
    Math.max(leastFree, sums.filter((sum) => sum <= sure).length / sums.length),
  );
  return 1 / (left * right) - 1;
}

/** Of each class how many pairs that are no match lie beside a sure mate, and how many do not; and the mates of each row. */
function byMates(table: PairTable, probabilities: Probabilities) {
  const ofLeft = new Float64Array(table.rows[0]);
  const ofRight = table.isOneTable ? ofLeft : new Float64Array(table.rows[1]);
  const groups = table.isOneTable ? disjointSets(table.rows[0]) : undefined;
  const own = new Float64Array(blockSize);
  for (const block of pairBlocks(table)) {
    probabilities(block, own);
    addTo(ofLeft, block.left, own);
    addTo(ofRight, block.right, own);
    groups && block.left.forEach((row, at) => own[at] > sure && groups.unite(row, block.right[at]));
  }
  const [beside, free] = [0, 1].map(() => new Float64Array(classCount(table)));
  for (const block of pairBlocks(table)) {
    probabilities(block, own);
    for (let at = 0; at < block.left.length; at++) {
      const [a, b] = [block.left[at], block.right[at]];
      const others = Math.max(ofLeft[a], ofRight[b]) - own[at];
      // Two rows of one group are no near miss of each other.
      const isBeside = others > sure && groups?.rootOf(a) !== (groups?.rootOf(b) ?? -1);
      (isBeside ? beside : free)[block.classOf[at]] += 1 - own[at];
    }
  }
  return { beside, free, mates: [ofLeft, ofRight] };
}

/** Logarithm of the factorial, by Stirling's series. */
const logFactorial = (n: number): number =>
  n === 0 ? 0 : n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);

/** The chance of at most so many where `mean` are expected; 1 where these are not too few. */
export function poissonAtMost(count: number, mean: number): number {
  if (count >= mean) return 1;
  const most = Math.floor(count);
  // From the most likely number down, as a multiple of its own chance: that of large means is no number.
  let [term, sum] = [1, 0];
  for (let k = most; k >= 0 && term > 1e-9 * sum; k--) {
    sum += term;
    term *= k / mean;
  }
  return sum * Math.exp(most * Math.log(mean) - mean - logFactorial(most));
}

/** Log-odds from which a row's partners are counted. */
const partner = Math.log(9);

/** Of the rows with a partner, the share that has several. */
export function severalPartners(table: PairTable, logOdds: Float64Array): number {
  const ofLeft = new Uint32Array(table.rows[0]);
  const ofRight = table.isOneTable ? ofLeft : new Uint32Array(table.rows[1]);
  for (const { left, right, classOf } of pairBlocks(table))
    for (let at = 0; at < left.length; at++)
      if (logOdds[classOf[at]] >= partner) {
        ofLeft[left[at]]++;
        ofRight[right[at]]++;
      }
  const counts = table.isOneTable ? [ofLeft] : [ofLeft, ofRight];
  const having = (least: number): number =>
    counts.reduce((all, ofRow) => all + ofRow.filter((count) => count >= least).length, 0);
  return having(2) / Math.max(1, having(1));
}

/**
 * Of the pairs within groups of three or more rows that matches connect, the share that are not matches themselves. It is high
 * where matches were taken for near misses, or near misses for matches.
 */
export function tornShare(table: PairTable, logOdds: Float64Array): number {
  const groups = disjointSets(table.rows[0]);
  for (const { left, right, classOf } of pairBlocks(table))
    for (let at = 0; at < left.length; at++)
      if (logOdds[classOf[at]] >= partner) groups.unite(left[at], right[at]);
  const sizes = new Uint32Array(table.rows[0]);
  sizes.forEach((_, row) => sizes[groups.rootOf(row)]++);
  let [all, torn] = [0, 0];
  for (const { left, right, classOf } of pairBlocks(table))
    for (let at = 0; at < left.length; at++) {
      const group = groups.rootOf(left[at]);
      if (sizes[group] < 3 || group !== groups.rootOf(right[at])) continue;
      all++;
      if (logOdds[classOf[at]] <= 0) torn++;
    }
  return torn / Math.max(1, all);
}

/** Of chosen pairs, the share in which each name has words that the other row lacks, of those that weigh less than `below`. */
export function nameContradictions(
  { columns, levels, classOf }: PairTable,
  chosen: ArrayLike<number>,
  below: number = opposition.none,
): number {
  const column = columns.findIndex(({ name }) => name === opposedColumn);
  if (column < 0) return 0;
  let opposed = 0;
  for (let at = 0; at < chosen.length; at++) {
    const level = levels[column][classOf[chosen[at]]];
    if (level !== missing && level < below) opposed++;
  }
  return opposed / Math.max(1, chosen.length);
}

/** The same of the likely pairs, by codes, rare words and opposites. It is high where families were taken for matches. */
export const contradictingShare = (table: PairTable, logOdds: Float64Array): number =>
  nameContradictions(
    table,
    chosenPlaces(table.classOf.length, (pair) => logOdds[table.classOf[pair]] > 0),
    opposition.common,
  );

/** The weights of matches where no agreement of other columns outweighs names that contradict each other. */
export const contradictionsApart = (
  columns: readonly EvidenceColumn[],
  match: readonly Float64Array[],
): Float64Array[] =>
  match.map((weights, column) =>
    columns[column].name === opposedColumn
      ? weights.map((weight, level) => (level < opposition.common ? apart : weight))
      : weights,
  );
