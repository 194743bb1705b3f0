/** The share of a phrase's neighbours that are of its class, as a loss: what objectives of classes have in common. */
import type { Net } from "../../nn/net.js";
import { type Comparison, hasAny, maskedLogSumExp, where } from "../compare.js";

/**
 * -log( Σ exp(scores) over the others of the class / Σ exp(scores) over all others ); 0 where the class has no others.
 * @param scores [R, C] @returns [R]
 */
export function missedShare(
  net: Net,
  scores: string,
  { same, different }: Pick<Comparison, "same" | "different">,
): string {
  const { g } = net;
  const all = maskedLogSumExp(net, scores, g.add("Add", [same, different]));
  return where(net, hasAny(net, same), g.add("Sub", [all, maskedLogSumExp(net, scores, same)]), 0);
}
