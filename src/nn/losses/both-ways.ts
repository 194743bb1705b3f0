/**
 * Contrast between two sides alone, InfoNCE in both directions (van den Oord et al., 2018, "Representation Learning
 * with Contrastive Predictive Coding"; both ways as CLIP: Radford et al., 2021):
 *
 *     loss = ½ mean_i log Σ_k exp s(i, k) + ½ mean_k log Σ_i exp s(i, k) - mean_i s(i, i),   s(i, k) = scale · a_i · b_k.
 *
 * NT-Xent compares each row with its own side too, at four times the cost.
 */
import { typeCode } from "../../onnx/tensor.js";
import { logSumExp, mean, type Net, number, reduce } from "../net.js";

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
 * Mean contrast loss of B pairs, each side against the other.
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
  const asNumber = g.add("Cast", [equal], { to: typeCode("float32") });
  const others = g.add("Sub", [asNumber, g.add("EyeLike", [asNumber])]);
  const masked = g.add("Add", [scores, g.add("Mul", [others, number(net, -1e30)])]);
  const turned = g.add("Transpose", [masked], { perm: [1, 0] });
  const totals = g.add("Add", [mean(net, logSumExp(net, masked)), mean(net, logSumExp(net, turned))]);
  const agreement = mean(net, reduce(net, "ReduceSum", g.add("Mul", [anchors, positives])));
  const factor = typeof scale === "number" ? number(net, scale) : g.add("Squeeze", [scale]);
  return g.add("Sub", [g.add("Mul", [totals, number(net, 0.5)]), g.add("Mul", [agreement, factor])]);
}
