/**
 * Two terms without a temperature: positives lie near each other, and all phrases spread over the sphere.
 *
 *     L = L_align + λ L_uniform,
 *     L_align = E_{(x,y)~p_pos} ‖f(x) - f(y)‖^α,   L_uniform = log E_{x,y~p_data} e^{-t ‖f(x) - f(y)‖²}
 *
 * Source: Wang and Isola (2020), "Understanding Contrastive Representation Learning through Alignment and Uniformity on
 * the Hypersphere", section 4.
 * Here: y of L_uniform runs over all phrases of other classes in the batch, hard negatives among them.
 * Data: pairs; a label says which phrases of a batch need not spread.
 * Choose it to set nearness and spread apart by hand.
 */
import { mean, number } from "../../nn/net.js";
import { compareAll, maskedMean, plus, rowProducts, safeLog, squaredDistances, times } from "../compare.js";
import { objective } from "../objective.js";

export const alignUniform = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { alpha: 2, t: 2, lambda: 1 },
  build(net, batch, { alpha, t, lambda }) {
    const { g } = net;
    const { rows, partners, products, different } = compareAll(net, batch);
    const gap = g.add("Sub", [rows, partners]);
    const squares = g.add("Max", [rowProducts(net, gap, gap), number(net, 1e-12)]);
    const align = mean(net, alpha === 2 ? squares : g.add("Pow", [squares, number(net, alpha / 2)]));
    const potential = g.add("Exp", [times(net, squaredDistances(net, products), -t)]);
    return plus(net, align, safeLog(net, maskedMean(net, potential, different)), lambda);
  },
});
