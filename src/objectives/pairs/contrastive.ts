/**
 * Draws similar phrases together, and pushes others away until they are a margin apart.
 *
 *     L = ½ (1 - Y) D² + ½ Y max(0, m - D)²,   D = ‖G(X₁) - G(X₂)‖,   Y = 0 for a similar pair, 1 for another
 *
 * Source: Hadsell, Chopra and LeCun (2006), "Dimensionality Reduction by Learning an Invariant Mapping", equation 4.
 * Here: vectors have length 1. With scores, a pair is similar from `threshold` on, and the loss is the mean over the
 * given pairs. Without, all pairs of a batch count: the mean over similar ones plus the mean over the others.
 * Data: pairs; a score of 0 or 1 says which pairs differ, a label which phrases of a batch are similar.
 * Choose it if people judged pairs as same or different, and no pair is worth a large distance.
 */
import { mean, type Net, number } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import { compareAll, distances, maskedMean, plus, rowProducts, squaredDistances, times } from "../compare.js";
import { type ObjectiveRows, objective } from "../objective.js";

export const contrastive = objective({
  needs: { label: "optional", score: "optional", teacher: "optional" },
  settings: { margin: 1, threshold: 0.5 },
  build(net, rows, { margin, threshold }) {
    if (rows.scores !== undefined) return ofScoredPairs(net, rows, { margin, threshold });
    const { products, same, different } = compareAll(net, rows);
    const { attraction, repulsion } = bothTerms(net, squaredDistances(net, products), margin);
    return plus(net, maskedMean(net, attraction, same), maskedMean(net, repulsion, different));
  },
});

/** ½ D² and ½ max(0, m - D)². */
function bothTerms(net: Net, squares: string, margin: number) {
  const { g } = net;
  const gap = g.add("Relu", [g.add("Sub", [number(net, margin), distances(net, squares)])]);
  return { attraction: times(net, squares, 0.5), repulsion: times(net, g.add("Mul", [gap, gap]), 0.5) };
}

function ofScoredPairs(
  net: Net,
  { anchors, positives, scores = "" }: ObjectiveRows,
  { margin, threshold }: { margin: number; threshold: number },
): string {
  const { g } = net;
  const cosines = rowProducts(net, l2Normalise(net, anchors), l2Normalise(net, positives));
  const { attraction, repulsion } = bothTerms(net, squaredDistances(net, cosines), margin);
  const isSimilar = g.add("GreaterOrEqual", [scores, number(net, threshold)]);
  return mean(net, g.add("Where", [isSimilar, attraction, repulsion]));
}
