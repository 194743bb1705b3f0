/**
 * Asks that pairs with a higher score have a higher cosine; the scores' distances do not matter.
 *
 *     L = log(1 + Σ_{y_i > y_j} exp(λ (cos(u_j, v_j) - cos(u_i, v_i))))
 *
 * Source: Su (2022), "CoSENT: A more efficient sentence vector scheme than Sentence-BERT" (kexue.fm/archives/8847).
 * Here: the sum runs over all pairs of rows of the batch, and `scale` is λ, 20 in the source.
 * Data: pairs with scores.
 * Choose it if the order of the scores is sure and their values are not, as with grades by several people.
 */
import { logSumExp, type Net } from "../../nn/net.js";
import { above, atLengthOne, rowProducts, times, where } from "../compare.js";
import { objective } from "../objective.js";

export const cosent = objective({
  needs: { score: "required" },
  settings: { scale: 20 },
  build(net, batch, { scale }) {
    const { anchors, positives, scores = "" } = atLengthOne(net, batch);
    return misordered(net, times(net, rowProducts(net, anchors, positives), scale), scores);
  },
});

/** log(1 + Σ_{y_i > y_j} exp(s_j - s_i)). @param similarities s, [B] @param scores y, [B] @returns a scalar */
export function misordered(net: Net, similarities: string, scores: string): string {
  const { g } = net;
  const asColumn = (values: string) => g.add("Unsqueeze", [values, g.ints(1)]);
  const excess = g.add("Sub", [similarities, asColumn(similarities)]);
  const counted = where(net, above(net, asColumn(scores), scores), excess, -1e30);
  return g.add("Softplus", [logSumExp(net, g.add("Reshape", [counted, g.ints(-1)]))]);
}
