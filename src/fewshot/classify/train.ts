/** Learns kinds of phrases from examples, with an honest estimate of how often it is right. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError } from "../../errors.js";
import { createRandom, sampleWithout } from "../../random.js";
import { kindFeatures } from "./features.js";
import { estimateOf, foldsHeldOut, type KindsEstimate, likeliestFactor, meansHeldOut } from "./held-out.js";
import type { Kinds } from "./kinds.js";
import { type Fit, type LabelledRows, largest, rowOf, scoresOf } from "./linear.js";
import { fitLogistic } from "./logistic.js";
import { fitMeans } from "./mean.js";

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
const methods: Readonly<Record<KindMethod, Fit>> = { mean: fitMeans, logistic: fitLogistic };

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
  const { signal, onProgress, seed = 0, reject = 0 } = options;
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
    const sizes = names.map((_, kind) => kinds.filter((own) => own === kind).length);
    const method = methodFor(sizes, options.method);
    const curve = learningCurve(rows, sizes, options);
    const heldOut = method === "mean" ? meansHeldOut(rows) : foldsHeldOut(rows, methods[method], seed);
    const factor = likeliestFactor(heldOut);
    const { weights, bias } = methods[method](rows, Int32Array.from(kinds.keys()));
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
  const empty = examples.findIndex(({ phrase, kind }) => phrase.trim() === "" || kind.trim() === "");
  if (empty >= 0)
    throw new ArgumentError(
      `example ${empty + 1} has no ${examples[empty].kind.trim() ? "phrase" : "kind"}.`,
    );
  return [
    ...new Map(examples.map((example) => [JSON.stringify([example.phrase, example.kind]), example])).values(),
  ];
}

function methodFor(sizes: readonly number[], wanted: TrainKindsOptions["method"] = "auto"): KindMethod {
  if (wanted !== "auto") return wanted;
  const middling = sizes.toSorted((a, b) => a - b)[Math.floor((sizes.length - 1) / 2)];
  return middling >= LOGISTIC_FROM ? "logistic" : "mean";
}

/** @throws ArgumentError where a kind has too few examples to leave one out */
function learningCurve(
  rows: LabelledRows,
  sizes: readonly number[],
  { examplesPerClass = [], method, seed = 0, signal, onProgress }: TrainKindsOptions,
): CurvePoint[] {
  const fewest = Math.min(...sizes);
  const tooMany = examplesPerClass.find((perClass) => perClass >= fewest);
  if (tooMany !== undefined)
    throw new ArgumentError(
      `a learning curve with ${tooMany} examples of each kind needs at least ${tooMany + 1}, and the smallest kind has ${fewest}. Take a smaller number.`,
    );
  const rowsOf = sizes.map((_, kind) =>
    Array.from(rows.kinds.keys()).filter((row) => rows.kinds[row] === kind),
  );
  return examplesPerClass.map((perClass, point) => {
    const learn =
      methods[
        methodFor(
          sizes.map(() => perClass),
          method,
        )
      ];
    const accuracies = Array.from({ length: CURVE_DRAWS }, (_, draw) => {
      signal?.throwIfAborted();
      onProgress?.(point * CURVE_DRAWS + draw, examplesPerClass.length * CURVE_DRAWS, "drawing");
      const random = createRandom(seed + draw);
      const chosen = Int32Array.from(rowsOf.flatMap((own) => sampleWithout(own, perClass, random)));
      return accuracyOnOthers(rows, chosen, learn);
    });
    const accuracy = accuracies.reduce((sum, own) => sum + own, 0) / CURVE_DRAWS;
    const squares = accuracies.reduce((sum, own) => sum + (own - accuracy) ** 2, 0);
    return { perClass, accuracy, deviation: Math.sqrt(squares / (CURVE_DRAWS - 1)) };
  });
}

function accuracyOnOthers(rows: LabelledRows, chosen: Int32Array, learn: Fit): number {
  const classifier = learn(rows, chosen);
  const seen = new Set(chosen);
  const others = Array.from(rows.kinds.keys()).filter((row) => !seen.has(row));
  const right = others.filter((row) => largest(scoresOf(classifier, rowOf(rows, row))) === rows.kinds[row]);
  return right.length / others.length;
}
