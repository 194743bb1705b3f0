/**
 * Triplet loss (Schroff et al., 2015; Balntas et al., 2016): mean max(0, d(a, p) - d(a, n) + margin), with the
 * Euclidean distance as PyTorch has it (1e-6 is added to each difference) or 1 - cosine.
 */
import { mean, type Net, number, reduce } from "../net.js";
import { cosine } from "./regression.js";

/** Options of {@link triplet}. */
export interface TripletOptions {
  /** Default 1 for euclidean, 0.5 for cosine. */
  margin?: number;
  /** Default "euclidean". */
  distance?: "euclidean" | "cosine";
}

/** Mean triplet loss of the rows. @param inputs three float32 [rows, width] @returns a scalar */
export function triplet(
  net: Net,
  { anchors, positives, negatives }: { anchors: string; positives: string; negatives: string },
  { distance = "euclidean", margin = distance === "euclidean" ? 1 : 0.5 }: TripletOptions = {},
): string {
  const { g } = net;
  const euclidean = (other: string) =>
    reduce(net, "ReduceL2", g.add("Add", [g.add("Sub", [anchors, other]), number(net, 1e-6)]));
  const apart = (other: string) =>
    distance === "euclidean" ? euclidean(other) : g.add("Sub", [number(net, 1), cosine(net, anchors, other)]);
  const gap = g.add("Sub", [apart(positives), apart(negatives)]);
  return mean(net, g.add("Relu", [g.add("Add", [gap, number(net, margin)])]));
}
