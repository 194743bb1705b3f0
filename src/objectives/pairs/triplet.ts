/**
 * Asks that a phrase is nearer to its positive than to any negative, by a margin.
 *
 *     L = Σ_i [ ‖f(x_i^a) - f(x_i^p)‖² - ‖f(x_i^a) - f(x_i^n)‖² + α ]₊,   ‖f(x)‖ = 1
 *
 * Source: Schroff, Kalenichenko and Philbin (2015), "FaceNet", section 3.
 * Here: the mean over triplets. Each phrase of a pair is an anchor, the other one its positive. `mining`: "semi-hard"
 * takes the nearest negative that is farther than the positive, and the farthest one where none is; "all" takes all
 * negatives of the batch. Negatives as near as the chosen one, within 1e-6, share its place.
 * Data: pairs or triplets (a column negative); a label says which phrases of a batch are no negatives.
 * Choose it if only the order of neighbours matters, or if negatives were chosen by hand.
 */
import { type Net, number, reduce } from "../../nn/net.js";
import * as compare from "../compare.js";
import { objective } from "../objective.js";

const TOLERANCE = 1e-6;

export const triplet = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { margin: 0.2, mining: ["semi-hard", "all"] },
  build(net, rows, { margin, mining }) {
    const { g } = net;
    const compared = compare.compareAll(net, rows);
    const { partners, products, different } = compared;
    const near = compare.squaredDistances(net, compare.rowProducts(net, compared.rows, partners));
    const far = compare.squaredDistances(net, products);
    const loss = (positive: string, negative: string) =>
      g.add("Relu", [g.add("Add", [g.add("Sub", [positive, negative]), number(net, margin)])]);
    const column = g.add("Unsqueeze", [near, g.ints(1)]);
    if (mining === "all") return compare.maskedMean(net, loss(column, far), different);
    const chosen = semiHard(net, { far, near: column, different });
    return compare.maskedMean(
      net,
      loss(near, compare.maskedRowMeans(net, far, chosen)),
      compare.hasAny(net, chosen),
    );
  },
});

/** 1 for the chosen negatives of each row, [R, C]; no gradient passes the choice. */
function semiHard(net: Net, { far, near, different }: Record<"far" | "near" | "different", string>): string {
  const { g } = net;
  const tolerance = number(net, TOLERANCE);
  const beyond = g.add("Mul", [different, compare.above(net, far, g.add("Add", [near, tolerance]))]);
  const largest = (values: string, mask: string) =>
    reduce(net, "ReduceMax", compare.where(net, mask, values, -1e30), { keepdims: 1 });
  const atLeast = (values: string, limit: string, mask: string) =>
    g.add("Mul", [mask, compare.above(net, values, g.add("Sub", [limit, tolerance]))]);
  const closeness = g.add("Neg", [far]);
  const nearest = atLeast(closeness, largest(closeness, beyond), beyond);
  const farthest = atLeast(far, largest(far, different), different);
  const hasBeyond = reduce(net, "ReduceMax", beyond, { keepdims: 1 });
  return g.add("Where", [g.add("Greater", [hasBeyond, number(net, 0)]), nearest, farthest]);
}
