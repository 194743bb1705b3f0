/**
 * Losses.
 *
 * | the data                                             | the loss                      |
 * | ---------------------------------------------------- | ----------------------------- |
 * | pairs of phrases that mean the same                  | {@link ntXent}                |
 * | such pairs, each side against the other alone        | {@link contrastBothWays}      |
 * | such pairs, and phrases that look alike but do not   | ntXent with hardNegatives     |
 * | a phrase with one of several classes                 | {@link crossEntropy}          |
 * | a phrase or a pair with yes or no                    | {@link binaryCrossEntropy}    |
 * | a phrase with a number                               | {@link squaredError}          |
 */
import { logSumExp, mean, type Net, number, reduce } from "./net.js";
import { l2Normalise } from "./pooling.js";

/** Inputs of {@link ntXent}: names of values of the graph, for B pairs and N hard negatives. */
export interface NtXentInputs {
  /** float32 [B, width] */
  anchors: string;
  /** float32 [B, width]: row i belongs to row i of the anchors. */
  positives: string;
  /** float32 [N, width]: further negatives of every row; default none. */
  hardNegatives?: string;
  /**
   * Integers [2B + N], in the order anchors, positives, hard negatives: phrases of the same number are not negatives of
   * each other, also where only one of several lists has it. int32 runs on GPUs too. Default: all are different.
   */
  groups?: string | readonly string[];
  /** Booleans [2B, 2B + N]: true for further phrases that are not negatives of the row; default none. */
  excluded?: string;
}

/** Stands for -∞: its exponential is 0, and its multiples are still numbers. */
const never = -1e30;

/**
 * NT-Xent, the normalised and temperature-scaled cross-entropy of SimCLR (Chen et al., 2020), section 2.1:
 * the 2B embeddings z = [anchors; positives], made unit length, give each row i
 *
 *     loss_i = -s(i, p(i)) + log Σ_{k ≠ i} exp s(i, k),   s(i, k) = z_i · z_k / temperature,
 *
 * where p(i) is the other member of its pair; the loss is the mean over the 2B rows. Vectors are scaled to length 1.
 * @param temperature default 0.07 @returns a scalar
 */
export function ntXent(
  net: Net,
  inputs: NtXentInputs,
  { temperature = 0.07 }: { temperature?: number } = {},
): string {
  const { g } = net;
  const [anchors, positives] = [l2Normalise(net, inputs.anchors), l2Normalise(net, inputs.positives)];
  const rows = g.add("Concat", [anchors, positives], { axis: 0 });
  const others = inputs.hardNegatives ? [rows, l2Normalise(net, inputs.hardNegatives)] : [rows];
  const columns = others.length === 1 ? rows : g.add("Concat", others, { axis: 0 });
  const scores = g.add("Gemm", [rows, columns], { transB: 1, alpha: 1 / temperature });
  const negatives = exclude(net, scores, { rows, columns, ...inputs });
  const agreement = mean(net, reduce(net, "ReduceSum", g.add("Mul", [anchors, positives])));
  const attraction = g.add("Mul", [agreement, number(net, 1 / temperature)]);
  return g.add("Sub", [mean(net, logSumExp(net, negatives)), attraction]);
}

/** Scores [2B, 2B + N] with -∞ for the row itself, and for those of its groups except the positive. */
function exclude(
  net: Net,
  scores: string,
  {
    rows,
    columns,
    groups = [],
    excluded,
  }: { rows: string; columns: string } & Pick<NtXentInputs, "groups" | "excluded">,
): string {
  const { g } = net;
  const length = (values: string) => g.add("Shape", [values], { start: 0, end: 1 });
  const ones = (values: string) => g.add("Expand", [number(net, 1), length(values)]);
  // as floats, which are counted and compared where the scores are; int64 would be on the CPU alone
  const positions = (values: string) =>
    g.add("Sub", [g.add("CumSum", [ones(values), g.scalar("int64", 0)]), number(net, 1)]);
  const equal = (row: string, column: string) =>
    g.add("Equal", [g.add("Unsqueeze", [row, g.ints(1)]), column]);
  const own = positions(rows);
  const column = rows === columns ? own : positions(columns);
  const without = (condition: string, kept: string) => g.add("Where", [condition, number(net, never), kept]);
  const others = without(equal(own, column), scores);
  if (groups.length === 0 && excluded === undefined) return others;
  const half = g.add("Mul", [reduce(net, "ReduceSum", ones(rows), { axes: [0] }), number(net, 0.5)]);
  const isAnchor = g.add("Less", [own, half]);
  const partner = g.add("Where", [isAnchor, g.add("Add", [own, half]), g.add("Sub", [own, half])]);
  const ofRows = (numbers: string) => g.add("Slice", [numbers, g.ints(0), length(rows)]);
  const different = [...new Set([groups].flat())].reduce(
    (kept, numbers) => without(equal(ofRows(numbers), numbers), kept),
    excluded === undefined ? others : without(excluded, others),
  );
  return g.add("Where", [equal(partner, column), others, different]);
}

/** Inputs of {@link contrastBothWays}: names of values of the graph, for B pairs. */
export interface BothWaysInputs {
  /** float32 [B, width], of length 1. */
  anchors: string;
  /** float32 [B, width], of length 1: row i belongs to row i of the anchors. */
  positives: string;
  /** Integers [B]: pairs of the same number are equal and are not negatives of each other. */
  groups: string;
}

/**
 * Contrast between two sides alone, InfoNCE in both directions (van den Oord et al., 2018, "Representation Learning
 * with Contrastive Predictive Coding"; both ways as CLIP: Radford et al., 2021):
 *
 *     loss = ½ mean_i log Σ_k exp s(i, k) + ½ mean_k log Σ_i exp s(i, k) - mean_i s(i, i),   s(i, k) = scale · a_i · b_k.
 *
 * NT-Xent compares each row with its own side too, at four times the cost.
 * @param scale of cosines: 1 / temperature, or the name of a value [1, 1] that is learned
 * @returns a scalar
 */
export function contrastBothWays(
  net: Net,
  { anchors, positives, groups }: BothWaysInputs,
  scale: string | number,
): string {
  const { g } = net;
  const alpha = typeof scale === "number" ? scale : 1;
  const cosines = g.add("Gemm", [anchors, positives], { transB: 1, alpha });
  const scores = typeof scale === "number" ? cosines : g.add("Mul", [cosines, scale]);
  const equal = g.add("Equal", [g.add("Unsqueeze", [groups, g.ints(1)]), groups]);
  const asNumber = g.cast(equal, "float32");
  const others = g.add("Sub", [asNumber, g.add("EyeLike", [asNumber])]);
  const masked = g.add("Add", [scores, g.add("Mul", [others, number(net, never)])]);
  const turned = g.add("Transpose", [masked], { perm: [1, 0] });
  const totals = g.add("Add", [mean(net, logSumExp(net, masked)), mean(net, logSumExp(net, turned))]);
  const agreement = mean(net, reduce(net, "ReduceSum", g.add("Mul", [anchors, positives])));
  const factor = typeof scale === "number" ? number(net, scale) : g.add("Squeeze", [scale]);
  return g.add("Sub", [g.add("Mul", [totals, number(net, 0.5)]), g.add("Mul", [agreement, factor])]);
}

/**
 * Cross-entropy of a classifier: the mean of -log softmax(x)_y over the rows.
 * @param inputs logits float32 [rows, classes], labels int64 [rows] @returns a scalar
 */
export function crossEntropy(net: Net, { logits, labels }: { logits: string; labels: string }): string {
  const { g } = net;
  const picked = g.add("GatherElements", [logits, g.add("Unsqueeze", [labels, g.ints(1)])], { axis: 1 });
  return mean(net, g.add("Sub", [logSumExp(net, logits), g.add("Squeeze", [picked, g.ints(1)])]));
}

/**
 * Binary cross-entropy of logits x and targets y in [0, 1]: mean log(1 + exp(x)) - x y, which does not overflow.
 * @param inputs two float32 values of the same shape @returns a scalar
 */
export function binaryCrossEntropy(
  net: Net,
  { logits, targets }: { logits: string; targets: string },
): string {
  const total = net.g.add("Softplus", [logits]);
  return mean(net, net.g.add("Sub", [total, net.g.add("Mul", [logits, targets])]));
}

/** Mean squared difference. @param inputs two float32 values of the same shape @returns a scalar */
export function squaredError(
  net: Net,
  { predictions, targets }: { predictions: string; targets: string },
): string {
  const difference = net.g.add("Sub", [predictions, targets]);
  return mean(net, net.g.add("Mul", [difference, difference]));
}
