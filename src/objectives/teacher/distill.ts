/**
 * Draws the embeddings of phrases to those of a larger model, the teacher.
 *
 *     vectors:       L = 1/R Σ_i (1 - s_i · t_i)
 *     similarities:  L = 1/R² ‖S - T‖²,   S_ij = s_i · s_j,   T_ij = t_i · t_j
 *     neighbours:    L = 1/R Σ_i D_KL[ softmax_{j≠i}(T_ij / τ) ‖ softmax_{j≠i}(S_ij / τ) ]
 *
 * Source: Tung and Mori (2019), "Similarity-Preserving Knowledge Distillation", section 3, for similarities; Fang et al.
 * (2021), "SEED: Self-supervised Distillation for Visual Representation", section 3, for neighbours.
 * Here: s are the embeddings of the batch's R phrases and t the teacher's, all of length 1; anchors, positives and negatives
 * count alike. `match`: "auto" is "vectors" for embeddings as long as the teacher's, and "neighbours" for others. SEED
 * compares with a queue of earlier phrases, this with the batch.
 * Data: a teacher, and phrases alone or pairs.
 * Choose it to make a small model imitate a large one on phrases that nobody has paired.
 */
import { squaredError } from "../../nn/losses.js";
import { logSumExp, mean, type Net, number } from "../../nn/net.js";
import { atLengthOne, plus, rowProducts, rowSums, times, where } from "../compare.js";
import { type ObjectiveRows, objective } from "../objective.js";

export const distill = objective({
  needs: { teacher: "required" },
  settings: { match: ["auto", "vectors", "similarities", "neighbours"], temperature: 0.05 },
  build(net, batch, { match, temperature }) {
    const { vectors: targets, width } = batch.teacher as Required<ObjectiveRows>["teacher"];
    const { anchors, positives, negatives } = atLengthOne(net, batch);
    const rows = net.g.add("Concat", [anchors, positives, ...(negatives ? [negatives] : [])], { axis: 0 });
    const matched = match === "auto" ? (width === batch.width ? "vectors" : "neighbours") : match;
    if (matched === "vectors")
      return plus(net, number(net, 1), mean(net, rowProducts(net, rows, targets)), -1);
    const [wanted, found] = [targets, rows].map((side) => net.g.add("Gemm", [side, side], { transB: 1 }));
    if (matched === "similarities") return squaredError(net, { predictions: found, targets: wanted });
    return divergence(net, wanted, found, temperature);
  },
});

/** Mean over the rows of D_KL between the softmax of two matrices of cosines, [R, R], without their diagonals. */
function divergence(net: Net, wanted: string, found: string, temperature: number): string {
  const { g } = net;
  const others = g.add("Sub", [number(net, 1), g.add("EyeLike", [wanted])]);
  const logShares = (cosines: string) => {
    const scores = where(net, others, times(net, cosines, 1 / temperature), -1e30);
    return g.add("Sub", [scores, g.add("Unsqueeze", [logSumExp(net, scores), g.ints(1)])]);
  };
  const target = logShares(wanted);
  const gap = g.add("Sub", [target, logShares(found)]);
  return mean(net, rowSums(net, g.add("Mul", [g.add("Exp", [target]), gap])));
}
