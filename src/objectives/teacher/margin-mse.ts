/**
 * Gives the margin between a phrase's positive and its negative the size that the teacher gives it.
 *
 *     L(Q, P⁺, P⁻) = MSE( M_s(Q, P⁺) - M_s(Q, P⁻), M_t(Q, P⁺) - M_t(Q, P⁻) )
 *
 * Source: Hofstätter, Althammer, Schröder, Sertkan and Hanbury (2020), "Improving Efficient Neural Ranking Models with
 * Cross-Architecture Knowledge Distillation", section 4.1.
 * Here: M_s and M_t are cosines; the paper's teachers read both texts at once, and their scores have no bound.
 * Data: a teacher, and triplets: every row has a negative.
 * Choose it if negatives were mined and some of them may mean the same: the teacher says how far away each one is.
 */
import { squaredError } from "../../nn/losses.js";
import { splitEvenly } from "../../nn/net.js";
import { atLengthOne, rowProducts } from "../compare.js";
import { type ObjectiveRows, objective } from "../objective.js";

export const marginMse = objective({
  needs: { negative: "required", teacher: "required" },
  settings: {},
  build(net, batch) {
    const { anchors, positives, negatives = "" } = atLengthOne(net, batch);
    const { vectors } = batch.teacher as Required<ObjectiveRows>["teacher"];
    const marginOf = ([anchor, positive, negative]: string[]) =>
      net.g.add("Sub", [rowProducts(net, anchor, positive), rowProducts(net, anchor, negative)]);
    return squaredError(net, {
      predictions: marginOf([anchors, positives, negatives]),
      targets: marginOf(splitEvenly(net, vectors, 3, 0)),
    });
  },
});
