/**
 * Tells true pairs from mismatched ones, each by a logistic regression of its own.
 *
 *     J = 1/(2T) Σ_t ln h(x_t) + ln(1 - h(y_t)),   h(u) = 1 / (1 + exp(-G(u))),   G(u) = ln p_m⁰(u; α) + c - ln p_n(u)
 *
 * Source: Gutmann and Hyvärinen (2010), "Noise-contrastive estimation", section 2.
 * Here: x are the given pairs, y all mismatched pairs of the batch (their mean stands for as many draws as there are
 * data); ln p_m⁰ - ln p_n is the cosine / τ. The loss is -J; c is learned and starts at -1/(2τ), where a cosine of ½ is
 * undecided.
 * Data: pairs; a label says which phrases of a batch are no noise.
 * Choose it if a cosine must mean the same for every phrase, as for one fixed threshold.
 */
import { mean, weight } from "../../nn/net.js";
import { atLengthOne, compareSides, maskedMean, plus, rowProducts, times } from "../compare.js";
import { objective } from "../objective.js";

/** Name of the weight c. */
const normaliser = "nce.normaliser";

export const nce = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { temperature: 0.07 },
  learns: [normaliser],
  build(net, batch, { temperature }) {
    const { g } = net;
    const rows = atLengthOne(net, batch);
    const { products, different } = compareSides(net, rows);
    const constant = weight(net, normaliser, [1], () => -0.5 / temperature);
    const logit = (cosines: string) => g.add("Add", [times(net, cosines, 1 / temperature), constant]);
    const data = logit(rowProducts(net, rows.anchors, rows.positives));
    // -ln h(x) = softplus(-G(x)), -ln(1 - h(y)) = softplus(G(y))
    const missed = mean(net, g.add("Softplus", [g.add("Neg", [data])]));
    const taken = maskedMean(net, g.add("Softplus", [logit(products)]), different);
    return times(net, plus(net, missed, taken), 0.5);
  },
});
