/**
 * Finds the positive of a phrase among the positives of the whole batch.
 *
 *     L_N = -E_X [ log f(x⁺, c) / Σ_{x_j ∈ X} f(x_j, c) ],   f(x, c) = exp(cos(x, c) / τ)
 *
 * Source: van den Oord, Li and Vinyals (2018), "Representation Learning with Contrastive Predictive Coding", equation 4.
 * Here: the setting `directions`: "one" seeks positives for texts; "both" is the mean with texts sought for positives. Hard
 * negatives join X in both.
 * Data: pairs or triplets (a column negative); a label says which phrases of a batch are no negatives.
 * Choose it if the two sides differ in kind, such as queries and titles: a side is never compared with itself.
 */
import { mean, type Net } from "../../nn/net.js";
import { atLengthOne, plus, sidesEntropy, times } from "../compare.js";
import { type ObjectiveRows, objective } from "../objective.js";

export const infoNce = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { temperature: 0.07, directions: ["one", "both"] },
  build(net, batch, { temperature, directions }) {
    const rows = atLengthOne(net, batch);
    const towardsPositives = (sides: ObjectiveRows) => mean(net, sidesEntropy(net, sides, 1 / temperature));
    const forward = towardsPositives(rows);
    if (directions === "one") return forward;
    // anchor and positive are of the same class, so the classes stay as they are; they may be different phrases
    const turn = (values: string) => turnedRows(net, values, rows.anchors);
    const turned = {
      ...{ ...rows, anchors: rows.positives, positives: rows.anchors },
      groups: rows.groups && turn(rows.groups),
      teacher: rows.teacher && { ...rows.teacher, vectors: turn(rows.teacher.vectors) },
    };
    return times(net, plus(net, forward, towardsPositives(turned)), 0.5);
  },
});

/** Those of the positives before those of the anchors. */
function turnedRows({ g }: Net, values: string, anchors: string): string {
  const pairs = g.add("Shape", [anchors], { start: 0, end: 1 });
  const both = g.add("Add", [pairs, pairs]);
  const part = (from: string, to: string) => g.add("Slice", [values, from, to]);
  const rest = part(both, g.add("Shape", [values], { start: 0, end: 1 }));
  return g.add("Concat", [part(pairs, both), part(g.ints(0), pairs), rest], { axis: 0 });
}
