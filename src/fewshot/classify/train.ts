/** Learns kinds of phrases from examples, with an honest estimate of how often it is right on phrases not seen. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError } from "../../errors.js";
import { createRandom, sampleWithout, shuffled } from "../../random.js";
import { deviation, mean, softmax, wilsonInterval } from "../../statistics.js";
import { isVisible } from "../../text/visible.js";
import type { Fit, LabelledRows } from "./classifiers.js";
import { fitLogistic, fitMeans, largest, leaveOneOut, rowOf, scoresOf } from "./classifiers.js";
import { kindFeatures } from "./features.js";
import type { Kinds } from "./kinds.js";

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
export async function foldsHeldOut(rows: LabelledRows, learn: Fit, seed: number): Promise<HeldOut[]> {
  const seen = new Int32Array(rows.count);
  const foldOf = new Int32Array(rows.kinds.length);
  for (const row of shuffled(rows.kinds.length, createRandom(seed)))
    foldOf[row] = seen[rows.kinds[row]]++ % FOLDS;
  const heldOut: HeldOut[] = [];
  for (let fold = 0; fold < FOLDS; fold++)
    heldOut.push(...(await othersHeldOut(rows, learn, (row) => foldOf[row] !== fold)));
  return heldOut;
}

/** The rows that a classifier of some rows has not seen. */
async function othersHeldOut(rows: LabelledRows, learn: Fit, isSeen: (row: number) => boolean) {
  const all = [...rows.kinds.keys()];
  const classifier = await learn(rows, Int32Array.from(all.filter(isSeen)));
  const others = all.filter((row) => !isSeen(row));
  return others.map((row) => ({ kind: rows.kinds[row], scores: scoresOf(classifier, rowOf(rows, row)) }));
}

/**
 * The factor that makes softmax of scores the likeliest probabilities (temperature scaling: Guo, Pleiss, Sun and
 * Weinberger, 2017, "On Calibration of Modern Neural Networks"), by bisection of its logarithm. Of n examples each
 * counts as wrong by 1 / (n + 2) (Platt, 1999): a few that are all right do not make every answer certain.
 */
export function likeliestFactor(examples: readonly HeldOut[]): number {
  if (examples.length === 0) return USUAL_FACTOR;
  const wrong = 1 / (examples.length + 2);
  // the loss is convex in the factor: where it falls, the minimum lies above
  const isFalling = (factor: number): boolean =>
    examples.reduce((slope, { kind, scores }) => {
      const probabilities = softmax(scores, factor);
      const wanted = (i: number) => (i === kind ? 1 - wrong : wrong / (scores.length - 1));
      return scores.reduce((sum, score, i) => sum + score * (probabilities[i] - wanted(i)), slope);
    }, 0) < 0;
  let [low, high] = [Math.log(0.05), Math.log(200)];
  while (high - low > 1e-3) {
    const middle = (low + high) / 2;
    if (isFalling(Math.exp(middle))) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

/** What a classifier gets right on examples that it has not seen. */
export interface KindsEstimate {
  /** Number of examples that were judged. */
  readonly examples: number;
  /** Fraction that got their own kind, and its 95 % interval. */
  readonly accuracy: number;
  readonly low: number;
  readonly high: number;
  /** Fraction that was not rejected, and the fraction of these that is right; undefined of none. */
  readonly answered: number;
  readonly precision: number | undefined;
}

/** @param reject least probability of an answer */
export function estimateOf(examples: readonly HeldOut[], factor: number, reject: number): KindsEstimate {
  const judged = examples.map(({ kind, scores }) => {
    const probabilities = softmax(scores, factor);
    const best = largest(probabilities);
    return { isRight: best === kind, isAnswered: probabilities[best] >= reject };
  });
  const rightOf = (some: typeof judged) => some.filter(({ isRight }) => isRight).length;
  const answered = judged.filter(({ isAnswered }) => isAnswered);
  const [right, count] = [rightOf(judged), judged.length];
  return {
    ...{ examples: count, accuracy: right / (count || 1), ...wilsonInterval(right, count) },
    answered: answered.length / (count || 1),
    precision: answered.length === 0 ? undefined : rightOf(answered) / answered.length,
  };
}

/** A phrase and what kind of thing it names. */
export interface KindExample {
  readonly phrase: string;
  readonly kind: string;
}

/** Options of {@link trainKinds}. */
export interface TrainKindsOptions {
  /** Default: the embedded model, loaded for the call. */
  readonly encoder?: PhraseEncoder;
  /** The mean of each kind, or logistic regression; default "auto": logistic from 20 examples of a middling kind on. */
  readonly method?: "auto" | KindMethod;
  /** Least probability of an answer that the estimate counts as given; default 0, which rejects none. */
  readonly reject?: number;
  /** Numbers of examples of each kind to draw a learning curve for; default none. */
  readonly examplesPerClass?: readonly number[];
  /** Seed of folds and draws; default 0. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (finished: number, total: number, stage: string) => void;
}

/** How kinds are learned. */
export type KindMethod = "mean" | "logistic";

/** Accuracy on the other examples after learning from a few of each kind, over {@link CURVE_DRAWS} draws. */
export interface CurvePoint {
  readonly perClass: number;
  readonly accuracy: number;
  /** Standard deviation over the draws. */
  readonly deviation: number;
}

/** Kinds that were learned, and how well. */
export interface KindsTraining {
  readonly kinds: Kinds;
  readonly method: KindMethod;
  /** Distinct examples, and of each kind in the order of `kinds.names`. */
  readonly examples: number;
  readonly sizes: readonly number[];
  readonly estimate: KindsEstimate;
  readonly curve: readonly CurvePoint[];
}

const LOGISTIC_FROM = 20;
/** Draws of each point of a learning curve. */
export const CURVE_DRAWS = 10;
const methods: Readonly<Record<KindMethod, Fit>> = {
  mean: async (rows, chosen) => fitMeans(rows, chosen),
  logistic: fitLogistic,
};

/**
 * Learns from examples what kinds of phrases there are.
 *
 *     const { kinds, estimate } = await trainKinds([{ phrase: "Trieste", kind: "town" }, ...]);
 *     const [{ kind, probability }] = await classify(["Lisbon"], kinds);
 *
 * @throws ArgumentError for fewer than two kinds
 */
export async function trainKinds(
  examples: readonly KindExample[],
  options: TrainKindsOptions = {},
): Promise<KindsTraining> {
  const { signal, onProgress, method: wanted = "auto", seed = 0, reject = 0 } = options;
  const distinct = distinctExamples(examples);
  const names = [...new Set(distinct.map(({ kind }) => kind))].sort();
  if (names.length < 2) {
    const found = names.length === 0 ? "there are no examples" : `all examples are of the kind "${names[0]}"`;
    throw new ArgumentError(
      `${found}. Give phrases of at least two kinds, and a kind for the rest if needed.`,
    );
  }
  return withEncoder(options.encoder, { signal }, async (encoder) => {
    const phrases = distinct.map(({ phrase }) => phrase);
    const features = await kindFeatures(encoder, phrases, {
      signal,
      onProgress: (done, total) => onProgress?.(done, total, "encoding"),
    });
    const kinds = Int32Array.from(distinct, ({ kind }) => names.indexOf(kind));
    const rows: LabelledRows = { ...features, kinds, count: names.length };
    const rowsOf = names.map((_, kind) => [...kinds.keys()].filter((row) => kinds[row] === kind));
    const sizes = rowsOf.map(({ length }) => length);
    const method = wanted === "auto" ? methodFor(sizes) : wanted;
    const curve = await learningCurve(rows, rowsOf, options);
    const learn: Fit = (own, chosen) => methods[method](own, chosen, signal);
    const heldOut = method === "mean" ? meansHeldOut(rows) : await foldsHeldOut(rows, learn, seed);
    const factor = likeliestFactor(heldOut);
    const { weights, bias } = await learn(rows, Int32Array.from(kinds.keys()));
    const scaled = { weights: weights.map((own) => factor * own), bias: bias.map((own) => factor * own) };
    const model = { name: encoder.model.name, fingerprint: await encoder.fingerprint() };
    return {
      kinds: { names, dimension: features.dimension, model, ...scaled },
      ...{ method, examples: distinct.length, sizes, curve },
      estimate: estimateOf(heldOut, factor, reject),
    };
  });
}

function distinctExamples(examples: readonly KindExample[]): KindExample[] {
  const empty = examples.findIndex(({ phrase, kind }) => !isVisible(phrase) || !isVisible(kind));
  if (empty >= 0)
    throw new ArgumentError(
      `example ${empty + 1} has no ${isVisible(examples[empty].kind) ? "phrase" : "kind"}.`,
    );
  return [
    ...new Map(examples.map((example) => [JSON.stringify([example.phrase, example.kind]), example])).values(),
  ];
}

function methodFor(sizes: readonly number[]): KindMethod {
  const middling = sizes.toSorted((a, b) => a - b)[Math.floor((sizes.length - 1) / 2)];
  return middling >= LOGISTIC_FROM ? "logistic" : "mean";
}

/** @throws ArgumentError where a kind has too few examples to leave one out */
async function learningCurve(
  rows: LabelledRows,
  rowsOf: readonly (readonly number[])[],
  { examplesPerClass = [], method = "auto", seed = 0, signal, onProgress }: TrainKindsOptions,
): Promise<CurvePoint[]> {
  const fewest = Math.min(...rowsOf.map(({ length }) => length));
  const tooMany = examplesPerClass.find((perClass) => perClass >= fewest);
  if (tooMany !== undefined)
    throw new ArgumentError(
      `a learning curve with ${tooMany} examples of each kind needs at least ${tooMany + 1}, and the smallest kind has ${fewest}. Take a smaller number.`,
    );
  const curve: CurvePoint[] = [];
  for (const perClass of examplesPerClass) {
    const chosenMethod = method === "auto" ? methodFor([perClass]) : method;
    const learn: Fit = (own, chosen) => methods[chosenMethod](own, chosen, signal);
    const accuracies: number[] = [];
    for (let draw = 0; draw < CURVE_DRAWS; draw++) {
      const done = curve.length * CURVE_DRAWS + draw;
      onProgress?.(done, examplesPerClass.length * CURVE_DRAWS, "drawing");
      const random = createRandom(seed + draw);
      const chosen = new Set(rowsOf.flatMap((own) => sampleWithout(own, perClass, random)));
      const others = await othersHeldOut(rows, learn, (row) => chosen.has(row));
      accuracies.push(mean(others.map(({ kind, scores }) => Number(largest(scores) === kind))));
    }
    curve.push({ perClass, accuracy: mean(accuracies), deviation: deviation(accuracies) });
  }
  return curve;
}
