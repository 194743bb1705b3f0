/**
 * The rows of a batch against each other, and sums over chosen entries: what the objectives are made of.
 *
 * With a teacher, phrases that it finds more similar to a row than the row's positive are not different: they are likely
 * false negatives (Solatorio, 2024, "GISTEmbed: Guided In-sample Selection of Training Negatives", section 3).
 */
import { logSumExp, type Net, number, reduce } from "../nn/net.js";
import { l2Normalise } from "../nn/pooling.js";
import type { ObjectiveRows } from "./objective.js";

/** R rows against C columns. */
export interface Comparison {
  /** float32 [R, width]. */
  readonly rows: string;
  /** Inner products [R, C]; cosines where vectors have length 1. */
  readonly products: string;
  /** float32 [R, C]: 1 on the diagonal. */
  readonly diagonal: string;
  /** float32 [R, C]: 1 for rows of the same class, off the diagonal. */
  readonly same: string;
  /** float32 [R, C]: 1 for rows of different classes and groups. */
  readonly different: string;
}

/** Anchors and positives against these and the negatives, all of length 1; on the diagonal is the row itself. */
export function compareAll(net: Net, batch: ObjectiveRows): Comparison & { readonly partners: string } {
  const { anchors, positives, negatives } = atLengthOne(net, batch);
  const joined = (...parts: string[]) => net.g.add("Concat", parts, { axis: 0 });
  const rows = joined(anchors, positives);
  const columns = negatives ? joined(rows, negatives) : rows;
  return { ...compare(net, [rows, columns], batch), partners: joined(positives, anchors) };
}

/** Anchors against positives and negatives, as they come; on the diagonal is the positive of the anchor. */
export function compareSides(net: Net, batch: ObjectiveRows): Comparison {
  const { g } = net;
  const { anchors, positives, negatives } = batch;
  const columns = negatives ? g.add("Concat", [positives, negatives], { axis: 0 }) : positives;
  const start = g.add("Shape", [anchors], { start: 0, end: 1 });
  const behind = (numbers: string) =>
    g.add("Slice", [numbers, start, g.add("Shape", [numbers], { start: 0, end: 1 })]);
  return compare(net, [anchors, columns], batch, behind);
}

/** log Σ exp(scale · products) of an anchor with its positive and all that differs, less its positive's own score: [B]. */
export function sidesEntropy(net: Net, batch: ObjectiveRows, scale: number): string {
  const { products, different, diagonal } = compareSides(net, batch);
  const compared = net.g.add("Add", [different, diagonal]);
  const total = maskedLogSumExp(net, times(net, products, scale), compared);
  const own = times(net, rowProducts(net, batch.anchors, batch.positives), scale);
  return net.g.add("Sub", [total, own]);
}

/** The vectors of a batch at length 1. */
export const atLengthOne = (net: Net, batch: ObjectiveRows): ObjectiveRows => ({
  ...batch,
  anchors: l2Normalise(net, batch.anchors),
  positives: l2Normalise(net, batch.positives),
  ...(batch.negatives && { negatives: l2Normalise(net, batch.negatives) }),
});

/** @param ofColumns which of a batch's numbers are those of the columns; those of the rows are the first */
function compare(
  net: Net,
  [rows, columns]: [string, string],
  batch: ObjectiveRows,
  ofColumns?: (numbers: string) => string,
) {
  const { g } = net;
  const count = g.add("Shape", [rows], { start: 0, end: 1 });
  const ofRows = (numbers: string) => g.add("Slice", [numbers, g.ints(0), count]);
  const products = g.add("Gemm", [rows, columns], { transB: 1 });
  const masks = classMasks(net, batch, ofRows, ofColumns);
  const { teacher, anchors } = batch;
  if (teacher === undefined) return { rows, products, ...masks };
  const nearer = nearerThanPositive(net, { anchors, teacher }, ofColumns);
  return { rows, products, ...masks, different: g.add("Where", [nearer, number(net, 0), masks.different]) };
}

/**
 * Booleans [R, C]: true where a teacher finds the column more similar to the row than the row's positive is.
 * @param ofColumns as in compareSides, whose rows are the anchors; default: rows are anchors and positives, columns are all
 */
export function nearerThanPositive(
  net: Net,
  {
    anchors,
    teacher: { vectors },
  }: Pick<ObjectiveRows, "anchors"> & Required<Pick<ObjectiveRows, "teacher">>,
  ofColumns?: (numbers: string) => string,
): string {
  const { g } = net;
  const pairs = g.add("Shape", [anchors], { start: 0, end: 1 });
  const twice = g.add("Add", [pairs, pairs]);
  const part = (from: string, to: string) => g.add("Slice", [vectors, from, to]);
  const own = rowProducts(net, part(g.ints(0), pairs), part(pairs, twice));
  const [rows, limits] = ofColumns ? [pairs, own] : [twice, g.add("Concat", [own, own], { axis: 0 })];
  const columns = ofColumns?.(vectors) ?? vectors;
  const cosines = g.add("Gemm", [part(g.ints(0), rows), columns], { transB: 1 });
  return g.add("Greater", [cosines, g.add("Unsqueeze", [limits, g.ints(1)])]);
}

/** The masks of {@link Comparison}. @param ofRows which of the batch's numbers are those of the rows; default all */
export function classMasks(
  net: Net,
  { classes, groups }: Pick<ObjectiveRows, "classes" | "groups">,
  ofRows = (numbers: string) => numbers,
  ofColumns = (numbers: string) => numbers,
) {
  const { g } = net;
  const [equal, alike = equal] = [classes, groups].flatMap((numbers) =>
    numbers === undefined ? [] : [equalNumbers(net, ofRows(numbers), ofColumns(numbers))],
  );
  const diagonal = g.add("EyeLike", [equal]);
  return {
    diagonal,
    same: g.add("Sub", [equal, diagonal]),
    different: g.add("Sub", [number(net, 1), alike === equal ? equal : g.add("Max", [equal, alike])]),
  };
}

/** float32 [rows, columns]: 1 for equal numbers. */
export const equalNumbers = ({ g }: Net, rows: string, columns: string): string =>
  g.cast(g.add("Equal", [g.add("Unsqueeze", [rows, g.ints(1)]), columns]), "float32");

/** ‖a - b‖² = 2 - 2 a · b of vectors of length 1. */
export const squaredDistances = (net: Net, cosines: string): string =>
  net.g.add("Mul", [net.g.add("Sub", [number(net, 1), cosines]), number(net, 2)]);

/** ‖a - b‖, at least 0.001 and constant there: the direction between nearly equal vectors is rounding noise. */
export const distances = (net: Net, squares: string): string =>
  net.g.add("Sqrt", [net.g.add("Max", [squares, number(net, 1e-6)])]);

/** log Σ exp(scores) over the entries of each row where `mask` is 1; about -1e30 where there are none. */
export const maskedLogSumExp = (net: Net, scores: string, mask: string): string =>
  logSumExp(net, where(net, mask, scores, -1e30));

/** 1 where a > b, else 0. */
export const above = ({ g }: Net, a: string, b: string): string =>
  g.cast(g.add("Greater", [a, b]), "float32");

/** `values` where a mask is 1, else a number. */
export const where = (net: Net, mask: string, values: string, otherwise: number): string =>
  net.g.add("Where", [net.g.add("Greater", [mask, number(net, 0)]), values, number(net, otherwise)]);

/** a · b of the rows of two matrices. */
export const rowProducts = (net: Net, a: string, b: string): string => rowSums(net, net.g.add("Mul", [a, b]));

/** Σ over the last axis. */
export const rowSums = (net: Net, values: string): string => reduce(net, "ReduceSum", values);

/** Sums of the rows of `values` where `mask` is 1. */
export const maskedSums = (net: Net, values: string, mask: string): string =>
  rowSums(net, net.g.add("Mul", [values, mask]));

/** Mean of `values` where `mask` is 1, over all entries; 0 where it is nowhere. @returns a scalar */
export function maskedMean(net: Net, values: string, mask: string): string {
  const { g } = net;
  const total = (entries: string) => g.add("ReduceSum", [entries], { keepdims: 0 });
  return g.add("Div", [total(g.add("Mul", [values, mask])), atLeastOne(net, total(mask))]);
}

/** max(counts, 1), to divide by. */
export const atLeastOne = (net: Net, counts: string): string => net.g.add("Max", [counts, number(net, 1)]);

/** 1 for rows of a mask with at least one 1, else 0. */
export const hasAny = (net: Net, mask: string): string => reduce(net, "ReduceMax", mask);

/** log x, and log 1e-30 without a gradient below that. */
export const safeLog = (net: Net, x: string): string =>
  net.g.add("Log", [net.g.add("Max", [x, number(net, 1e-30)])]);

/** a + factor · b. */
export const plus = (net: Net, a: string, b: string, factor = 1): string =>
  net.g.add("Add", [a, factor === 1 ? b : times(net, b, factor)]);

/** x · factor. */
export const times = (net: Net, x: string, factor: number): string =>
  net.g.add("Mul", [x, number(net, factor)]);

/** Means of the rows of `values` where `mask` is 1; 0 where it is nowhere. */
export const maskedRowMeans = (net: Net, values: string, mask: string): string =>
  net.g.add("Div", [maskedSums(net, values, mask), atLeastOne(net, rowSums(net, mask))]);

/**
 * -log( Σ exp(scores) over the others of the class / Σ exp(scores) over all others ), a mean over the rows whose class has
 * others.
 * @param scores [R, C] @param numerator "mean": that of the first sum is divided by the number of others @returns a scalar
 */
export function classCrossEntropy(
  net: Net,
  scores: string,
  { same, different }: Pick<Comparison, "same" | "different">,
  numerator: "sum" | "mean",
): string {
  const { g } = net;
  const all = maskedLogSumExp(net, scores, g.add("Add", [same, different]));
  const sums = g.add("Sub", [all, maskedLogSumExp(net, scores, same)]);
  const count = g.add("Log", [atLeastOne(net, rowSums(net, same))]);
  const missed = numerator === "mean" ? plus(net, sums, count) : sums;
  return maskedMean(net, where(net, hasAny(net, same), missed, 0), hasAny(net, same));
}
