/**
 * Makes the nearest neighbour of a phrase one of its class, with neighbours drawn by distance.
 *
 *     l_sn(x, y, T) = -1/b Σ_i log( Σ_{j≠i, y_i=y_j} exp(-‖x_i - x_j‖² / T) / Σ_{k≠i} exp(-‖x_i - x_k‖² / T) )
 *
 * Source: Frosst, Papernot and Hinton (2019), "Analyzing and Improving Representations with the Soft Nearest Neighbor
 * Loss", equation 1; T is learned there too.
 * Here: vectors have length 1, so T is twice the temperature of a cosine. Phrases alone in their class count as
 * neighbours only. `learning`: "learned" trains 1/T with the model, from `temperature` on.
 * Data: labels.
 * Choose it if a class may fall into several clusters: one near phrase of the class is enough.
 */
import { ones } from "../../nn/initialise.js";
import { number, weight } from "../../nn/net.js";
import { classCrossEntropy, compareAll, squaredDistances } from "../compare.js";
import { objective } from "../objective.js";

/** Name of the weight 1/T, relative to its first value. */
const sharpness = "soft_nearest.sharpness";

export const softNearest = objective({
  needs: { label: "required", teacher: "optional" },
  settings: { temperature: 0.2, learning: ["fixed", "learned"] },
  learns: [sharpness],
  build(net, rows, { temperature, learning }) {
    const { g } = net;
    const compared = compareAll(net, rows);
    const first = number(net, -1 / temperature);
    const factor = learning === "fixed" ? first : g.add("Mul", [weight(net, sharpness, [1], ones), first]);
    const scores = g.add("Mul", [squaredDistances(net, compared.products), factor]);
    return classCrossEntropy(net, scores, compared, "sum");
  },
});
