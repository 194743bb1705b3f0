/**
 * Fits the cosine of a pair to its score.
 *
 *     L = 1/B Σ_i (cos(u_i, v_i) - y_i)²
 *
 * Source: Reimers and Gurevych (2019), "Sentence-BERT", section 3, the regression objective.
 * Here: scores from 0 to 1 stay; others are mapped so that the table's smallest becomes 0 and its largest 1.
 * Data: pairs with scores.
 * Choose it if people graded how similar two phrases are. Batches may be small: nothing in them is compared.
 */
import { squaredError } from "../../nn/losses.js";
import { l2Normalise } from "../../nn/pooling.js";
import { rowProducts } from "../compare.js";
import { objective } from "../objective.js";

export const regression = objective({
  needs: { score: "required" },
  settings: {},
  build(net, { anchors, positives, scores = "" }) {
    const predictions = rowProducts(net, l2Normalise(net, anchors), l2Normalise(net, positives));
    return squaredError(net, { predictions, targets: scores });
  },
});
