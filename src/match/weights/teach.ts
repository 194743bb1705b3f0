/**
 * Weights from hundreds of judged pairs: a regularised logistic regression over the levels of all columns, which starts from what
 * was learned without labels. How far it may go is chosen by cross-validation, and so is whether it is used at all.
 */
import { groupBy } from "../../by-key.js";
import { disjointSets, numbered } from "../../disjoint-sets.js";
import { PSEUDO_ANSWERS } from "../estimates/calibrate.js";
import { missing } from "../evidence/levels.js";
import { ofAgreement, scorePairs, type Weights } from "./learn.js";
import { fitLogistic, type LogisticPoint, logisticLoss, type NearCoefficients, sigmoid } from "./logistic.js";
import { classSizes } from "./pair-classes.js";
import type { Known, PairTable } from "./pair-table.js";

/** Fewer answers, or fewer of either kind, move weights but do not teach them. */
const fewest = { answers: 200, ofKind: 10 };
/** Inverse variances of what a level may gain, from the strictest; gains of neighbouring levels differ by ten times as little. */
const strengths = [3, 1, 0.3, 0.1];
const ofNeighbours = 10;
/** Inverse variances of the shift of all pairs, and of the factor of the log-odds in fives. */
const precisions = { shift: 0.25, factor: 0.5 };
const unit = 5;
/** The common factor stays positive. */
const leastFactor = 0.1;
/** Log-odds from which the regression starts are clipped here. */
const mostLogOdds = 20;
const folds = 5;

/** Weights for some answers. */
export type Teacher = (known: Known) => Weights;

/** Judged pairs, and the weights that others taught. */
export interface HeldOut {
  readonly pairs: readonly number[];
  readonly weights: Weights;
}

/** Weights of all answers, and for the pairs of each fold those of the other folds. */
export interface Taught {
  readonly weights: Weights;
  readonly heldOut?: readonly HeldOut[];
}

/** @param moved the teacher of few answers, which also decides where no other one is better */
export function taughtWeights(table: PairTable, learned: Weights, known: Known, moved: Teacher): Taught {
  const shareOf = (pair: number): number => known.shares?.get(pair) ?? 1;
  const answers = [...known.keys()];
  const [yes, all] = [answers.filter((pair) => known.get(pair) === 1), answers].map((pairs) =>
    pairs.reduce((sum, pair) => sum + shareOf(pair), 0),
  );
  if (all < fewest.answers || Math.min(yes, all - yes) < fewest.ofKind) return { weights: moved(known) };
  const held = foldsOf(table, answers);
  const teachers = [moved, ...levelTeachers(table, learned)];
  const tried = teachers.map((teach) => {
    const heldOut = held.map((pairs) => {
      const hidden = new Set(pairs);
      return { pairs, weights: teach(withoutPairs(known, hidden)) };
    });
    const losses = heldOut.map(({ pairs, weights }) => {
      const scores = scoresOf(table, weights, pairs);
      return pairs.reduce(
        (sum, pair, at) => sum + shareOf(pair) * logisticLoss(scores[at], known.get(pair)!),
        0,
      );
    });
    return { teach, heldOut, loss: losses.reduce((sum, loss) => sum + loss, 0) };
  });
  const best = tried.reduce((least, one) => (one.loss < least.loss ? one : least));
  return { weights: best.teach(known), heldOut: best.heldOut };
}

const withoutPairs = (known: Known, hidden: ReadonlySet<number>): Known =>
  Object.assign(new Map([...known].filter(([pair]) => !hidden.has(pair))), { shares: known.shares });

/** Log-odds of some pairs as weights have them. */
const scoresOf = (table: PairTable, weights: Weights, pairs: readonly number[]): Float64Array =>
  scorePairs(levelsOf(table, pairs), weights, table.columns);

const levelsOf = ({ levels, classOf }: PairTable, pairs: readonly number[]): Int8Array[] =>
  levels.map((ofColumn) => Int8Array.from(pairs, (pair) => ofColumn[classOf[pair]]));

/**
 * Pairs that rows connect are in one fold, so that no row is in two. Where most are connected, those of a left row stay
 * together: a column compares values, and does not know rows.
 */
function foldsOf(table: PairTable, pairs: readonly number[]): number[][] {
  const { unite, rootOf } = disjointSets(table.rows[0] + (table.isOneTable ? 0 : table.rows[1]));
  const rowsOf = (pair: number): [number, number] => [
    table.left.at(pair)!,
    table.right[pair] + (table.isOneTable ? 0 : table.rows[0]),
  ];
  for (const pair of pairs) unite(...rowsOf(pair));
  const sizes = new Map<number, number>();
  for (const pair of pairs) {
    const root = rootOf(rowsOf(pair)[0]);
    sizes.set(root, (sizes.get(root) ?? 0) + 1);
  }
  const groups = numbered(
    pairs.map((pair) => {
      const [row] = rowsOf(pair);
      const root = rootOf(row);
      return sizes.get(root)! > pairs.length / folds ? `row ${row}` : root;
    }),
  );
  const members = groupBy(pairs.keys(), (at) => groups[at]);
  const held = Array.from({ length: folds }, (): number[] => []);
  for (const group of [...members.values()].sort((a, b) => b.length - a.length)) {
    const smallest = held.reduce((least, fold) => (fold.length < least.length ? fold : least));
    smallest.push(...group.map((at) => pairs[at]));
  }
  return held;
}

/** Teach a shift, a factor, and a gain for each level of each column; from the strictest. */
function levelTeachers(table: PairTable, learned: Weights): Teacher[] {
  const { columns } = table;
  const starts = columns.map((_, at) => columns.slice(0, at).reduce((sum, { levels }) => sum + levels, 2));
  const scores = scorePairs(table.levels, learned, columns);
  const point = (place: number, answer: number, weight?: number): LogisticPoint => {
    const offset = Math.max(-mostLogOdds, Math.min(mostLogOdds, scores[place]));
    const own = columns.flatMap((_, column) => {
      const level = table.levels[column][place];
      return level === missing ? [] : [starts[column] + level];
    });
    const features = [1, offset / unit, ...own.map(() => 1)];
    return { features, places: [0, 1, ...own], offset, answer, weight };
  };
  const pseudo = rankedClasses(table, scores).map((place) => point(place, sigmoid(scores[place])));
  const learn = (known: Known, strength: number): Weights => {
    const answers = Array.from(known, ([pair, match]) =>
      point(table.classOf[pair], match, known.shares?.get(pair)),
    );
    const found = fitLogistic([...pseudo, ...answers], ...penalties(columns, starts, strength));
    const factor = Math.max(leastFactor, 1 + found[1] / unit);
    return {
      ...learned,
      prior: factor * learned.prior + found[0],
      match: learned.match.map((levels, column) =>
        levels.map((weight, level) => factor * weight + found[starts[column] + level]),
      ),
      taught: { factor, agreeing: learned.match.map(ofAgreement) },
    };
  };
  return strengths.map((strength) => (known) => learn(known, strength));
}

/** Inverse variances of all coefficients, and of the differences between those of neighbouring levels. */
function penalties(
  columns: PairTable["columns"],
  starts: readonly number[],
  strength: number,
): [number[], NearCoefficients[]] {
  const gains = columns.flatMap(({ levels }) => new Array<number>(levels).fill(strength));
  const near = columns.flatMap(({ levels }, column) =>
    Array.from({ length: levels - 1 }, (_, level): NearCoefficients => {
      const place = starts[column] + level;
      return { places: [place, place + 1], precision: ofNeighbours * strength };
    }),
  );
  return [[precisions.shift, precisions.factor, ...gains], near];
}

/** Classes of candidates at evenly spaced ranks of their log-odds. */
function rankedClasses(table: PairTable, logOdds: Float64Array): number[] {
  const sizes = classSizes(table);
  const order = [...logOdds.keys()].sort((a, b) => logOdds[a] - logOdds[b] || a - b);
  const step = table.right.length / PSEUDO_ANSWERS;
  let passed = 0;
  return order.flatMap((place) => {
    const before = Math.round(passed / step);
    passed += sizes[place];
    return new Array<number>(Math.round(passed / step) - before).fill(place);
  });
}
