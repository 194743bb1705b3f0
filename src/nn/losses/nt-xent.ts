/**
 * NT-Xent, the normalised and temperature-scaled cross-entropy of SimCLR (Chen et al., 2020), section 2.1:
 * the 2B embeddings z = [anchors; positives], made unit length, give each row i
 *
 *     loss_i = -s(i, p(i)) + log Σ_{k ≠ i} exp s(i, k),   s(i, k) = z_i · z_k / temperature,
 *
 * where p(i) is the other member of its pair; the loss is the mean over the 2B rows.
 */
import { typeCode } from "../../onnx/tensor.js";
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
  const count = (values: string) => g.add("Squeeze", [g.add("Shape", [values], { start: 0, end: 1 })]);
  const counted = (end: string) => g.add("Range", [g.scalar("int64", 0), end, g.scalar("int64", 1)]);
  // positions as floats: GPUs compare those, int64 only the CPU
  const asFloats = (positions: string) => g.add("Cast", [positions], { to: typeCode("float32") });
  const equal = (row: string, column: string) =>
    g.add("Equal", [g.add("Unsqueeze", [row, g.ints(1)]), column]);
  const size = count(rows);
  const own = counted(size);
  const column = asFloats(counted(count(columns)));
  const without = (condition: string, kept: string) => g.add("Where", [condition, number(net, never), kept]);
  const others = without(equal(asFloats(own), column), scores);
  if (!groups) return others;
  const half = g.add("Div", [size, g.scalar("int64", 2)]);
  const partner = asFloats(g.add("Mod", [g.add("Add", [own, half]), size]));
  const rowGroups = g.add("Slice", [groups, g.ints(0), g.add("Shape", [rows], { start: 0, end: 1 })]);
  const different = without(equal(rowGroups, groups), others);
  return g.add("Where", [equal(partner, column), others, different]);
}
