/** Estimates of the precision of accepted pairs, each from other evidence: they fail for different reasons. */

import { missing } from "../evidence/levels.js";
import { byRule, certain } from "../weights/learn.js";
import { logit, sigmoid } from "../weights/logistic.js";
import { classCount, classSizes, sizesOf } from "../weights/pair-classes.js";
import { calibrated, fitCalibration } from "./calibrate.js";
import { acceptedScores, contribution, type ScoredPairs } from "./scored-pairs.js";

const leastFilled = 0.3;
/** Least difference between certain pairs and near misses for a column to be a witness. */
const leastContrast = 0.15;
/** How far below the edge of the accepted scores near misses reach. */
const nearMiss = 3;
/** Accepted scores below this quantile are the edge. */
const edgeQuantile = 0.02;
/** Errors are shared between columns: the witnesses see about two thirds of them. */
const unseen = 1.5;

/**
 * Precision from columns left out: among pairs accepted by the other columns, a column agrees as often as it does among
 * certain pairs if all are right, and as seldom as among near misses if all are wrong. Undefined if no column is a witness.
 */
export function leftOutPrecision(pairs: ScoredPairs): number | undefined {
  const { table, accepted } = pairs;
  const ofAccepted = sizesOf(
    accepted.map((pair) => table.classOf[pair]),
    classCount(table),
  );
  const sizes = { all: classSizes(table), accepted: ofAccepted };
  const witnesses = table.columns.flatMap(({ field }, column) => {
    const found = field < 0 ? undefined : witness(pairs, sizes, column);
    return found === undefined ? [] : [found];
  });
  if (witnesses.length === 0) return undefined;
  witnesses.sort((a, b) => a.share - b.share);
  const half = witnesses.reduce((sum, { coverage }) => sum + coverage, 0) / 2;
  let [sum, median] = [0, 0];
  for (const { share, coverage } of witnesses) {
    if (sum >= half) break;
    sum += coverage;
    median = share;
  }
  return 1 - unseen * (1 - Math.min(1, median));
}

/** How many pairs are of each class. */
interface Sizes {
  readonly all: Uint32Array;
  readonly accepted: Uint32Array;
}

/** The share of right pairs as one column sees it, and the share of accepted pairs in which it is filled. */
function witness(
  pairs: ScoredPairs,
  sizes: Sizes,
  column: number,
): { share: number; coverage: number } | undefined {
  const { table, logOdds, weights } = pairs;
  const levels = table.levels[column];
  // Columns made from the left-out one are left out too.
  const hidden = table.columns.flatMap((other, index) =>
    index === column || other.from === table.columns[column].field ? [index] : [],
  );
  const without = logOdds.map(
    (score, place) => score - hidden.reduce((sum, index) => sum + contribution(pairs, index, place), 0),
  );
  const scores = acceptedScores(pairs, without);
  const better = scores[Math.floor(scores.length / 2)];
  const edge = scores[Math.floor(edgeQuantile * scores.length)] - nearMiss;
  const groups = { certain: [0, 0], all: [0, 0], missed: [0, 0] };
  const add = (group: number[], place: number, count: number): void => {
    group[0] += weights.match[column][levels[place]] > 0 ? count : 0;
    group[1] += count;
  };
  without.forEach((score, place) => {
    // Pairs by rules are no near misses.
    if (levels[place] === missing || logOdds[place] === byRule) return;
    const count = sizes.accepted[place];
    add(groups.all, place, count);
    if (score >= better) add(groups.certain, place, count);
    if (score >= edge) add(groups.missed, place, sizes.all[place] - count);
  });
  const coverage = groups.all[1] / Math.max(1, scores.length);
  if (coverage < leastFilled || groups.missed[1] < 10) return undefined;
  const [certain, all, missed] = [groups.certain, groups.all, groups.missed].map(
    ([sum, count]) => sum / Math.max(1, count),
  );
  if (certain - missed < leastContrast) return undefined;
  return { share: (all - missed) / (certain - missed), coverage };
}

/**
 * Precision of a join from free rivals: an accepted row's best candidate among rows that nobody took is false for certain.
 * How often it scores as well as accepted pairs do is the chance of a false partner for a row that has no true one (the
 * idea of target-decoy error rates, Elias and Gygi 2007). The better of the two sides' estimates counts; tables differ in how
 * many rows have no partner.
 */
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
        if (logOdds[place] === byRule) return;
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

/** Estimates are shifted within these limits: answers cannot move what is certain. */
const [lowest, highest] = [0.02, 0.99];

/**
 * Moves an estimate of precision towards what people answered: the estimates of the single pairs are shifted until their mean is
 * the estimate in question, then calibrated with the answers. An estimate weighs as much as a hundred answers. Without answers
 * it is the estimate itself.
 */
export function answeredPrecision(
  { probability, accepted, judged = [] }: ScoredPairs,
  estimate: number,
): number {
  if (judged.length === 0) return estimate;
  const own = Array.from(accepted, (pair) => logit(probability.at(pair)!));
  if (own.length === 0) return estimate;
  const mean = (shift: number): number =>
    own.reduce((sum, logOdds) => sum + sigmoid(logOdds + shift), 0) / own.length;
  const target = Math.min(highest, Math.max(lowest, estimate));
  let [low, high] = [-30, 30];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (mean(middle) < target) low = middle;
    else high = middle;
  }
  const shifted = own.map((logOdds) => sigmoid(logOdds + low));
  const answers = judged.map((one) => ({ ...one, estimate: sigmoid(logit(one.estimate) + low) }));
  const curve = fitCalibration(answers, shifted);
  return shifted.reduce((sum, value) => sum + calibrated(value, curve), 0) / shifted.length;
}

const evenOdds = 0.5;

/** Of the judged pairs that were held out, those that a level would accept: how many, and how many are right. An answer counts once. */
export function heldOutAccepted({ judged = [], leastProbability = evenOdds }: ScoredPairs) {
  let [count, right] = [0, 0];
  for (const { estimate, match, share = 1 } of judged) {
    if (estimate < leastProbability) continue;
    count += share;
    if (match) right += share;
  }
  return { count, right };
}

/**
 * Precision of the accepted pairs that nobody confirmed, by judged pairs that were held out: their estimates, calibrated with those of
 * the judged ones, but no more than the share of the judged ones that is right, above which pseudo-answers may lie.
 */
export function heldOutPrecision(level: ScoredPairs): number {
  const { table, logOdds, probability, accepted, judged = [] } = level;
  const open = accepted.filter((pair) => logOdds[table.classOf[pair]] < certain);
  if (open.length === 0) return 1;
  const own = Array.from(open, (pair) => probability.at(pair)!);
  const curve = fitCalibration(judged, own);
  const mean = own.reduce((sum, one) => sum + calibrated(one, curve), 0) / own.length;
  const { count, right } = heldOutAccepted(level);
  return count > 0 ? Math.min(mean, right / count) : 0;
}
