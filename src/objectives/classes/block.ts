/**
 * Compares a phrase with the mean of its class and the means of other classes.
 *
 *     L_un^block = E [ ℓ( f(x)ᵀ ( Σ_i f(x_i⁺) / b - Σ_i f(x_i⁻) / b ) ) ],   ℓ(v) = log₂(1 + e^{-v}) or max(0, 1 - v)
 *
 * Source: Arora, Khandeparkar, Khodak, Plevrakis and Saunshi (2019), "A Theoretical Analysis of Contrastive
 * Unsupervised Representation Learning" (CURL), section 6.
 * Here: vectors have length 1. A block is all that the batch holds of a class, without x itself; other classes are drawn
 * as often as their phrases. `loss` chooses ℓ.
 * Data: pairs; a label makes larger classes.
 * Choose it if single positives are noisy: the mean of a class is steadier than any one of its phrases.
 */
import { number } from "../../nn/net.js";
import * as compare from "../compare.js";
import { objective } from "../objective.js";

export const block = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { loss: ["logistic", "hinge"] },
  build(net, batch, { loss }) {
    const { g } = net;
    const { products, same, different } = compare.compareAll(net, batch);
    const own = compare.maskedRowMeans(net, products, same);
    // column j: the inner product with the mean of those of j's class that differ from the row
    const blocks = compare.equalNumbers(net, batch.classes, batch.classes);
    const sums = g.add("Gemm", [g.add("Mul", [products, different]), blocks]);
    const others = g.add("Div", [sums, compare.atLeastOne(net, g.add("Gemm", [different, blocks]))]);
    const lead = g.add("Sub", [g.add("Unsqueeze", [own, g.ints(1)]), others]);
    const losses =
      loss === "hinge"
        ? g.add("Relu", [g.add("Sub", [number(net, 1), lead])])
        : compare.times(net, g.add("Softplus", [g.add("Neg", [lead])]), 1 / Math.LN2);
    const hasPositives = g.add("Unsqueeze", [compare.hasAny(net, same), g.ints(1)]);
    return compare.maskedMean(net, losses, g.add("Mul", [different, hasPositives]));
  },
});
