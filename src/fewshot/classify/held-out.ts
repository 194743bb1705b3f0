/** Scores of examples by classifiers that have not seen them: how well kinds are told apart, and how sure a score is. */
import { createRandom, shuffled } from "../../random.js";
import { type Fit, type LabelledRows, largest, probabilitiesOf, rowOf, scoresOf } from "./linear.js";
import { leaveOneOut } from "./mean.js";

const FOLDS = 5;
/** Factor of cosines where no kind has a second example to fit it: measured with the embedded model. */
const USUAL_FACTOR = 11;

/** An example, judged without itself. */
export interface HeldOut {
  readonly kind: number;
  readonly scores: Float64Array;
}

/** The mean classifier leaves out one example at a time. */
export const meansHeldOut = (rows: LabelledRows): HeldOut[] =>
  leaveOneOut(rows).flatMap((scores, row) => (scores ? [{ kind: rows.kinds[row], scores }] : []));

/** Other classifiers leave out a fifth of each kind at a time. */
export function foldsHeldOut(rows: LabelledRows, learn: Fit, seed: number): HeldOut[] {
  const seen = new Int32Array(rows.count);
  const foldOf = new Int32Array(rows.kinds.length);
  for (const row of shuffled(rows.kinds.length, createRandom(seed)))
    foldOf[row] = seen[rows.kinds[row]]++ % FOLDS;
  const all = Int32Array.from(rows.kinds.keys());
  return Array.from({ length: FOLDS }, (_, fold) => {
    const classifier = learn(
      rows,
      all.filter((row) => foldOf[row] !== fold),
    );
    const left = Array.from(all).filter((row) => foldOf[row] === fold);
    return left.map((row) => ({ kind: rows.kinds[row], scores: scoresOf(classifier, rowOf(rows, row)) }));
  }).flat();
}

/**
 * The factor that makes softmax of scores the likeliest probabilities (temperature scaling: Guo, Pleiss, Sun and
 * Weinberger, 2017, "On Calibration of Modern Neural Networks"), by golden sections of its logarithm. Of n examples each
 * counts as wrong by 1 / (n + 2) (Platt, 1999): a few that are all right do not make every answer certain.
 */
export function likeliestFactor(examples: readonly HeldOut[]): number {
  if (examples.length === 0) return USUAL_FACTOR;
  const wrong = 1 / (examples.length + 2);
  const loss = (log: number): number =>
    examples.reduce((sum, { kind, scores }) => {
      const other = wrong / (scores.length - 1);
      return probabilitiesOf(scores, Math.exp(log)).reduce(
        (own, probability, i) =>
          own - (i === kind ? 1 - wrong : other) * Math.log(Math.max(probability, 1e-300)),
        sum,
      );
    }, 0);
  const section = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(0.05), Math.log(200)];
  while (high - low > 1e-3) {
    const [left, right] = [high - section * (high - low), low + section * (high - low)];
    if (loss(left) < loss(right)) high = right;
    else low = left;
  }
  return Math.exp((low + high) / 2);
}

/** What a classifier gets right on examples that it has not seen. */
export interface KindsEstimate {
  /** Number of examples that were judged. */
  readonly examples: number;
  /** Fraction that got their own kind, and half the width of its 95 % interval. */
  readonly accuracy: number;
  readonly margin: number;
  /** Fraction that was not rejected, and the fraction of these that is right. */
  readonly answered: number;
  readonly precision: number;
}

/** @param reject least probability of an answer */
export function estimateOf(examples: readonly HeldOut[], factor: number, reject: number): KindsEstimate {
  const judged = examples.map(({ kind, scores }) => {
    const probabilities = probabilitiesOf(scores, factor);
    const best = largest(probabilities);
    return { isRight: best === kind, isAnswered: probabilities[best] >= reject };
  });
  const share = (part: readonly unknown[], whole: readonly unknown[]): number =>
    whole.length === 0 ? 0 : part.length / whole.length;
  const answered = judged.filter(({ isAnswered }) => isAnswered);
  const right = (some: typeof judged) => some.filter(({ isRight }) => isRight);
  const accuracy = share(right(judged), judged);
  return {
    ...{ examples: judged.length, accuracy },
    margin: judged.length === 0 ? 0 : 1.96 * Math.sqrt((accuracy * (1 - accuracy)) / judged.length),
    answered: share(answered, judged),
    precision: share(right(answered), answered),
  };
}
