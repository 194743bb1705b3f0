/**
 * NT-Xent, the normalised and temperature-scaled cross-entropy of SimCLR (Chen et al., 2020), section 2.1:
 * the 2B embeddings z = [anchors; positives], made unit length, give each row i
 *
 *     loss_i = -s(i, p(i)) + log Σ_{k ≠ i} exp s(i, k),   s(i, k) = z_i · z_k / temperature,
 *
 * where p(i) is the other member of its pair; the loss is the mean over the 2B rows.
 */
import { logSumExp, mean, type Net, number, reduce } from "../net.js";
import { l2Normalise } from "../pooling.js";

/** Inputs of {@link ntXent}: names of values of the graph, for B pairs and N hard negatives. */
export interface NtXentInputs {
  /** float32 [B, width] */
  anchors: string;
  /** float32 [B, width]: row i belongs to row i of the anchors. */
  positives: string;
  /** float32 [N, width]: further negatives of every row; default none. */
  hardNegatives?: string;
  /**
   * Integers [2B + N], in the order anchors, positives, hard negatives: phrases of the same number are equal,
   * and are not negatives of each other. int32 runs on GPUs too. Default: all are different.
   */
  groups?: string;
}

/** What stands for -∞: its exponential is 0, and its multiples are still numbers. */
const never = -1e30;

/** Mean NT-Xent loss of B pairs; vectors are scaled to length 1. @param temperature default 0.07 @returns a scalar */
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
  const negatives = exclude(net, scores, { rows, columns, groups: inputs.groups });
  const agreement = mean(net, reduce(net, "ReduceSum", g.add("Mul", [anchors, positives])));
  const attraction = g.add("Mul", [agreement, number(net, 1 / temperature)]);
  return g.add("Sub", [mean(net, logSumExp(net, negatives)), attraction]);
}

/** Scores [2B, 2B + N] with -∞ for the row itself, and for equal phrases except the positive. */
function exclude(
  net: Net,
  scores: string,
  { rows, columns, groups }: { rows: string; columns: string; groups?: string },
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
  if (!groups) return others;
  const half = g.add("Mul", [reduce(net, "ReduceSum", ones(rows), { axes: [0] }), number(net, 0.5)]);
  const isAnchor = g.add("Less", [own, half]);
  const partner = g.add("Where", [isAnchor, g.add("Add", [own, half]), g.add("Sub", [own, half])]);
  const rowGroups = g.add("Slice", [groups, g.ints(0), length(rows)]);
  const different = without(equal(rowGroups, groups), others);
  return g.add("Where", [equal(partner, column), others, different]);
}
