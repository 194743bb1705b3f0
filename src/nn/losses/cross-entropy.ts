/**
 * Cross-entropy of a classifier: -log softmax(x)_y, with class weights w and label smoothing ε as in PyTorch:
 *
 *     Σ_i [(1 - ε) w_y(i) nll_i(y(i)) + ε/C Σ_c w_c nll_i(c)] / Σ_i w_y(i),   nll_i(c) = log Σ_k exp x_ik - x_ic.
 *
 * Smoothing: Szegedy et al. (2016), section 7.
 */
import { tensor } from "../../onnx/tensor.js";
import { logSumExp, type Net, number, reduce } from "../net.js";

/** Options of {@link crossEntropy}. */
export interface CrossEntropyOptions {
  /** Number of classes. */
  classes: number;
  /** ε; default 0. */
  labelSmoothing?: number;
  /** One per class; default all 1. */
  classWeights?: readonly number[];
}

/**
 * Cross-entropy of one class per row.
 * @param inputs logits float32 [rows, classes], labels int64 [rows]
 * @returns a scalar, the weighted mean
 */
export function crossEntropy(
  net: Net,
  { logits, labels }: { logits: string; labels: string },
  { classes, labelSmoothing = 0, classWeights }: CrossEntropyOptions,
): string {
  const { g } = net;
  const total = logSumExp(net, logits);
  const picked = g.add("GatherElements", [logits, g.add("Unsqueeze", [labels, g.ints(1)])], { axis: 1 });
  const hit = g.add("Sub", [total, g.add("Squeeze", [picked, g.ints(1)])]);
  // a Constant node, since initializers are trained
  const weights = g.add("Constant", [], {
    value: tensor("float32", [classes], [...(classWeights ?? new Array(classes).fill(1))]),
  });
  const weight = g.add("Gather", [weights, labels]);
  const weighted = g.add("Mul", [weight, hit]);
  const sum = (values: string) => reduce(net, "ReduceSum", values, { axes: [0] });
  if (labelSmoothing === 0) return g.add("Div", [sum(weighted), sum(weight)]);
  const each = g.add("Mul", [g.add("Sub", [g.add("Unsqueeze", [total, g.ints(1)]), logits]), weights]);
  const every = g.add("Mul", [reduce(net, "ReduceSum", each), number(net, labelSmoothing / classes)]);
  const rows = g.add("Add", [g.add("Mul", [weighted, number(net, 1 - labelSmoothing)]), every]);
  return g.add("Div", [sum(rows), sum(weight)]);
}
