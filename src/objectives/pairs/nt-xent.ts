/**
 * Finds the positive of a phrase among all other phrases of the batch, those of its own side too.
 *
 *     ℓ_{i,j} = -log exp(sim(z_i, z_j) / τ) / Σ_{k≠i} exp(sim(z_i, z_k) / τ),   sim(u, v) = uᵀv / (‖u‖ ‖v‖)
 *
 * Source: Chen, Kornblith, Norouzi and Hinton (2020), "A Simple Framework for Contrastive Learning of Visual
 * Representations", equation 1.
 * Here: the default, and PEARL's loss (src/nn/losses.ts). SimCSE's loss is info-nce, which leaves out a side's own
 * phrases. Hard negatives join the sum.
 * Data: pairs or triplets (a column negative); a label says which phrases of a batch are no negatives.
 * Choose it first: each step compares every phrase of a batch with every other.
 */
import { ntXent as loss } from "../../nn/losses.js";
import { nearerThanPositive } from "../compare.js";
import { objective } from "../objective.js";

export const ntXent = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { temperature: 0.07 },
  build(net, { anchors, positives, negatives, classes, groups = classes, teacher }, { temperature }) {
    const excluded = teacher && nearerThanPositive(net, { anchors, teacher });
    const rows = { anchors, positives, hardNegatives: negatives, groups: [classes, groups], excluded };
    return loss(net, rows, { temperature });
  },
});
