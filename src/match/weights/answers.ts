/**
 * Moves learned weights towards answers of people: a logistic regression from the log-odds of the judged pairs, with a shift
 * and a factor for the weights of each column. Its prior are pseudo-answers at evenly spaced ranks of the table's own
 * estimates, each as the estimate expects (Bedrick, Christensen and Johnson 1996).
 */
import { PSEUDO_ANSWERS } from "../estimates/calibrate.js";
import { missing } from "../evidence/levels.js";
import { type Learned, scorePairs, type Weights } from "./learn.js";
import { fitLogistic, type LogisticPoint, sigmoid } from "./logistic.js";
import type { PairClasses } from "./pair-classes.js";
import type { Known, PairTable } from "./pair-table.js";
import { type Taught, type Teacher, taughtWeights } from "./teach.js";

/** Pairs at or above this probability are ranked. */
const inPlay = 0.02;
/** Variance of the shift, of the common factor of all columns, and of the factor of each column. */
const variances = { shift: 4, common: 0.1, column: 0.05 };
/** Weights keep their sign and order. */
const leastFactor = 0.1;

/** What the regression sees of a pair: 1, the sum of what its columns say, and what each says. */
export function pairFeatures(table: PairTable, weights: Weights, pair: number): Float64Array {
  const features = new Float64Array(2 + table.columns.length);
  features[0] = 1;
  table.columns.forEach((_, column) => {
    const level = table.levels[column][table.classOf[pair]];
    const said = level === missing ? 0 : weights.match[column][level];
    features[2 + column] = said;
    features[1] += said;
  });
  return features;
}

export const featurePrecision = (columns: number): number[] => [
  1 / variances.shift,
  1 / variances.common,
  ...new Array<number>(columns).fill(1 / variances.column),
];

/** Pairs at evenly spaced ranks of those that may be matches. @param logOdds of each class */
export function rankedPairs({ classOf }: PairClasses, logOdds: Float64Array): number[] {
  const least = Math.log(inPlay / (1 - inPlay));
  const order: number[] = [];
  for (let pair = 0; pair < classOf.length; pair++) if (logOdds[classOf[pair]] >= least) order.push(pair);
  order.sort((a, b) => logOdds[classOf[a]] - logOdds[classOf[b]] || a - b);
  if (order.length === 0) return [];
  return Array.from(
    { length: PSEUDO_ANSWERS },
    (_, rank) => order[Math.floor(((rank + 0.5) / PSEUDO_ANSWERS) * order.length)],
  );
}

/** Weights after answers; the judged pairs themselves have log-odds as if nobody had judged them. */
export interface Answered extends Pick<Learned, "weights" | "logOdds">, Pick<Taught, "heldOut"> {}

/** Moves what was learned towards the answers, or where hundreds of them say more than that, learns from them. */
export function withAnswers(
  table: PairTable,
  { weights, logOdds }: Pick<Learned, "weights" | "logOdds">,
  known: Known,
): Answered {
  if (known.size === 0) return { weights, logOdds };
  const { judged = known } = known;
  const found =
    judged.size === 0 ? { weights } : taughtWeights(table, weights, judged, moving(table, weights));
  return { ...found, logOdds: scorePairs(table.levels, found.weights, table.columns) };
}

/** Of a few answers: shifts all log-odds, and multiplies those of each column. */
function moving(table: PairTable, weights: Weights): Teacher {
  // The table may have more pairs than the weights were learned from.
  const logOdds = scorePairs(table.levels, weights, table.columns);
  const point = (pair: number, answer: number): LogisticPoint => {
    return { features: pairFeatures(table, weights, pair), offset: logOdds[table.classOf[pair]], answer };
  };
  const pseudo = rankedPairs(table, logOdds).map((pair) =>
    point(pair, sigmoid(logOdds[table.classOf[pair]])),
  );
  return (known) => {
    const answers = Array.from(known, ([pair, match]) => {
      return { ...point(pair, match), weight: known.shares?.get(pair) };
    });
    const found = fitLogistic([...pseudo, ...answers], featurePrecision(table.columns.length));
    const [shift, common] = found;
    return {
      ...weights,
      prior: weights.prior + shift,
      match: weights.match.map((levels, column) => {
        const factor = Math.max(leastFactor, 1 + common + found[2 + column]);
        return levels.map((weight) => factor * weight);
      }),
    };
  };
}
