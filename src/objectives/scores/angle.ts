/**
 * CoSENT twice, by cosines and by angles between complex vectors, where no gradient vanishes as it does near a cosine of
 * 1 or -1; pairs of a high score are told from the rest of the batch too.
 *
 *     L = w₁ L_cos + w₂ L_ibn + w₃ L_angle,   L_angle = log(1 + Σ_{y_i > y_j} exp((θ_j - θ_i) / τ)),
 *     θ_i = |Σ_k Re(z_k / w_k) + Im(z_k / w_k)| with z_k / w_k = ((a c + b d) + (b c - a d) i) / (‖z‖ ‖w‖)
 *
 * Source: Li and Li (2023), "AnglE-optimized Text Embeddings", section 3; θ as in the authors' code.
 * Here: the halves of u are a and b, those of v are c and d; the last number of an odd width is left out. L_cos is `cosent` at
 * `scale`, τ is `temperature`, and the settings `cosine`, `batch` and `angle` are w₁, w₂ and w₃. L_ibn is `info-nce` over the
 * pairs whose score is at least `threshold`, also at `scale`.
 * Data: pairs with scores; a label says which phrases of a batch are no negatives.
 * Choose it beside cosent, if most pairs of a table are very similar or very different.
 */
import { type Net, number } from "../../nn/net.js";
import * as compare from "../compare.js";
import { type ObjectiveRows, objective } from "../objective.js";
import { cosent, misordered } from "./cosent.js";

export const angle = objective({
  needs: { score: "required", label: "optional" },
  settings: { scale: 20, temperature: 1, threshold: 0.5, cosine: 1, batch: 1, angle: 1 },
  build(net, batch, { scale, temperature, threshold, ...weights }) {
    const rows = compare.atLengthOne(net, batch);
    const { scores = "" } = rows;
    const isHigh = net.g.cast(net.g.add("GreaterOrEqual", [scores, number(net, threshold)]), "float32");
    const among = compare.maskedMean(net, compare.sidesEntropy(net, rows, scale), isHigh);
    const angles = compare.times(net, complexAngles(net, batch), 1 / temperature);
    const weighted = compare.times(net, cosent.build(net, rows, { scale }), weights.cosine);
    const withBatch = compare.plus(net, weighted, among, weights.batch);
    return compare.plus(net, withBatch, misordered(net, angles, scores), weights.angle);
  },
});

/** θ of each pair, [B]: (a, b) · (c - d, c + d) of vectors of length 1. */
function complexAngles(net: Net, { width, ...batch }: ObjectiveRows): string {
  const { g } = net;
  const half = Math.floor(width / 2);
  const part = (rows: string, from: number, to: number) =>
    g.add("Slice", [rows, g.ints(from), g.ints(to), g.ints(1)]);
  const whole = (rows: string) => part(rows, 0, 2 * half);
  const even = {
    ...batch,
    anchors: whole(batch.anchors),
    positives: whole(batch.positives),
    width: 2 * half,
  };
  const { anchors, positives } = compare.atLengthOne(net, even);
  const [real, imaginary] = [part(positives, 0, half), part(positives, half, 2 * half)];
  const turned = [g.add("Sub", [real, imaginary]), g.add("Add", [real, imaginary])];
  const sums = compare.rowProducts(net, anchors, g.add("Concat", turned, { axis: 1 }));
  return g.add("Abs", [sums]);
}
