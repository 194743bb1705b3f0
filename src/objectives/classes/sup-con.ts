/**
 * NT-Xent with all phrases of a class as positives.
 *
 *     L_out = Σ_i -1/|P(i)| Σ_{p∈P(i)} log( exp(z_i·z_p / τ) / Σ_{a∈A(i)} exp(z_i·z_a / τ) )
 *     L_in  = Σ_i -log( 1/|P(i)| Σ_{p∈P(i)} exp(z_i·z_p / τ) / Σ_{a∈A(i)} exp(z_i·z_a / τ) )
 *
 * Source: Khosla et al. (2020), "Supervised Contrastive Learning", equations 2 and 3.
 * Here: the mean over phrases with positives. A(i) holds all others of the batch, hard negatives among them. `form`:
 * "out", which the paper recommends, draws all positives alike; "in" is content with the nearest.
 * Data: labels.
 * Choose it first if phrases have classes, such as all names of one company.
 */
import * as compare from "../compare.js";
import { objective } from "../objective.js";

export const supCon = objective({
  needs: { label: "required", teacher: "optional" },
  settings: { temperature: 0.1, form: ["out", "in"] },
  build(net, rows, { temperature, form }) {
    const { g } = net;
    const { products, same, different } = compare.compareAll(net, rows);
    const scores = compare.times(net, products, 1 / temperature);
    if (form === "in") return compare.classCrossEntropy(net, scores, { same, different }, "mean");
    const all = compare.maskedLogSumExp(net, scores, g.add("Add", [same, different]));
    const drawn = compare.maskedRowMeans(net, scores, same);
    return compare.maskedMean(net, g.add("Sub", [all, drawn]), compare.hasAny(net, same));
  },
});
