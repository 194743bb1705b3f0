/**
 * Lifts every positive pair of the batch over all negatives of both its phrases, by a margin.
 *
 *     J̃ = 1/(2|P|) Σ_{(i,j)∈P} max(0, J̃_ij)²,
 *     J̃_ij = log( Σ_{(i,k)∈N} exp(α - D_ik) + Σ_{(j,l)∈N} exp(α - D_jl) ) + D_ij
 *
 * Source: Oh Song, Xiang, Jegelka and Savarese (2016), "Deep Metric Learning via Lifted Structured Feature Embedding",
 * equation 4.
 * Here: D is the distance of vectors of length 1, at most 2; P holds every two phrases of a class.
 * Data: pairs; a label makes larger classes.
 * Choose it if classes have a few phrases each and the batch is small: it uses all its pairs.
 */
import { number } from "../../nn/net.js";
import * as compare from "../compare.js";
import { objective } from "../objective.js";

export const lifted = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { margin: 1 },
  build(net, batch, { margin }) {
    const { g } = net;
    const { rows, products, same, different } = compare.compareAll(net, batch);
    const apart = compare.distances(net, compare.squaredDistances(net, products));
    const pushed = g.add("Exp", [g.add("Sub", [number(net, margin), apart])]);
    const sums = compare.maskedSums(net, pushed, different);
    const ofBoth = g.add("Add", [g.add("Unsqueeze", [sums, g.ints(1)]), sums]);
    // hard negatives are columns only, behind those of the rows
    const count = g.add("Shape", [rows], { start: 0, end: 1 });
    const amongRows = (values: string) => g.add("Slice", [values, g.ints(0), count, g.ints(1)]);
    const lift = g.add("Relu", [g.add("Add", [compare.safeLog(net, ofBoth), amongRows(apart)])]);
    return compare.times(net, compare.maskedMean(net, g.add("Mul", [lift, lift]), amongRows(same)), 0.5);
  },
});
