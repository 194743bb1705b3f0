/**
 * An objective on several lengths of the same embedding.
 *
 *     L = 1/|M| Σ_{m∈M} loss(z_{1:m} / ‖z_{1:m}‖)
 *
 * Source: Kusupati et al. (2022), "Matryoshka Representation Learning", section 3, with equal weights; M always holds the
 * whole embedding, which stays as it comes.
 */
import type { Net } from "../nn/net.js";
import { l2Normalise } from "../nn/pooling.js";
import { times } from "./compare.js";
import type { ObjectiveRows } from "./objective.js";

/**
 * Mean of a loss over prefixes of the embeddings and the whole ones. Weights that the loss adds are apart for each prefix.
 * @param dims lengths of the prefixes, each below `rows.width` @returns a scalar
 */
export function lossOfPrefixes(
  net: Net,
  rows: ObjectiveRows,
  { dims, loss }: { readonly dims: readonly number[]; loss(net: Net, rows: ObjectiveRows): string },
): string {
  const cut = (values: string, width: number) =>
    l2Normalise(net, net.g.add("Slice", [values, net.g.ints(0), net.g.ints(width), net.g.ints(1)]));
  const losses = dims.map((width) => {
    const [anchors, positives] = [cut(rows.anchors, width), cut(rows.positives, width)];
    const negatives = rows.negatives && cut(rows.negatives, width);
    const own = { ...net, prefix: `${net.prefix ?? ""}first_${width}.` };
    return loss(own, { ...rows, anchors, positives, negatives, width });
  });
  const sum = losses.reduce((total, own) => net.g.add("Add", [total, own]), loss(net, rows));
  return dims.length === 0 ? sum : times(net, sum, 1 / (dims.length + 1));
}
