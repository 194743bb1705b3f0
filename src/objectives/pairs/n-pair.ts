/**
 * Compares a phrase with its positive and with the positives of all other pairs, by inner products of any length.
 *
 *     L = 1/N Σ_i log(1 + Σ_{j≠i} exp(s f_iᵀ f_j⁺ - s f_iᵀ f_i⁺)) + λ/N Σ_i (‖f_i‖² + ‖f_i⁺‖²)
 *
 * Source: Sohn (2016), "Improved Deep Metric Learning with Multi-class N-pair Loss Objective", section 3; s is
 * ours, 1 in the paper.
 * Here: hard negatives are compared too. For a model with vectors of length 1, such as pearl-mini, inner products are
 * cosines: raise `scale`, to 16 for example, for steps that heed the nearest negatives most.
 * Data: pairs; a label says which phrases of a batch are no negatives.
 * Choose it for a model whose vectors' lengths carry meaning; else info-nce.
 */
import { mean, number } from "../../nn/net.js";
import { plus, rowProducts, sidesEntropy } from "../compare.js";
import { objective } from "../objective.js";

export const nPair = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { scale: 1, lambda: 0.002 },
  build(net, rows, { scale, lambda }) {
    const { g } = net;
    const missed = sidesEntropy(net, rows, scale);
    const squares = [rows.anchors, rows.positives].map((side) => mean(net, rowProducts(net, side, side)));
    const lengths = g.add("Mul", [g.add("Add", squares), number(net, lambda)]);
    return plus(net, mean(net, missed), lengths);
  },
});
