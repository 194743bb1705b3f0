/**
 * Sees each phrase as a Gaussian, with a learned mean and variance, and draws those of a class together.
 *
 *     μ = f_μ(h),   Σ = ELU(f_Σ(h)) + (1 + ε),   d(p, q) = ½ (D_KL[N_q‖N_p] + D_KL[N_p‖N_q]),
 *     ℓ(p) = -log( 1/|X_p| Σ_{q∈X_p} exp(-d(p, q)) / Σ_{q≠p} exp(-d(p, q)) )
 *
 * Source: Das, Katiyar, Passonneau and Zhang (2022), "CONTaiNER: Few-Shot Named Entity Recognition via Contrastive
 * Learning", section 3.
 * Here: h is the embedding, f a ReLU and a linear layer, Σ diagonal. As in the paper, the projections serve the training
 * alone and are not written. X_p are the others of the class in the batch. ε is the least variance: the published code's
 * 1e-14 is too small for float32, where a far-off phrase would have no loss.
 * Data: labels.
 * Choose it for few examples of many types, where the spread of a class differs from type to type.
 */
import { linear } from "../../nn/layers.js";
import { type Net, number } from "../../nn/net.js";
import { classCrossEntropy, classMasks, plus, rowProducts, times } from "../compare.js";
import { objective } from "../objective.js";

export const gaussian = objective({
  needs: { label: "required" },
  settings: { width: 128, epsilon: 1e-6 },
  build(net, batch, { width: outputs, epsilon }) {
    const { g } = net;
    const { anchors, positives, negatives, width: inputs } = batch;
    const rows = g.add("Concat", [anchors, positives, ...(negatives ? [negatives] : [])], { axis: 0 });
    const active = g.add("Relu", [rows]);
    const project = (name: string) => linear(net, active, { name: `gaussian.${name}`, inputs, outputs });
    // in two steps: in float32, 1 + ε may be 1
    const variance = plus(
      net,
      plus(net, g.add("Elu", [project("variance")]), number(net, 1)),
      number(net, epsilon),
    );
    const divergence = symmetricDivergence(net, project("mean"), variance, outputs);
    return classCrossEntropy(net, g.add("Neg", [divergence]), classMasks(net, batch), "mean");
  },
});

/** ¼ Σ (σ_p/σ_q + σ_q/σ_p + (μ_p - μ_q)² (1/σ_p + 1/σ_q) - 2) of all rows, σ the variances: [rows, rows]. */
function symmetricDivergence(net: Net, means: string, variances: string, width: number): string {
  const { g } = net;
  const precisions = g.add("Reciprocal", [variances]);
  const weighted = g.add("Mul", [means, precisions]);
  const moments = g.add("Add", [variances, g.add("Mul", [means, means])]);
  // Σ (σ_p + μ_p²) / σ_q - 2 μ_p μ_q / σ_q + μ_q² / σ_q
  const product = (a: string, b: string) => g.add("Gemm", [a, b], { transB: 1 });
  const mixed = plus(net, product(moments, precisions), product(means, weighted), -2);
  const directed = g.add("Add", [mixed, rowProducts(net, means, weighted)]);
  const both = g.add("Add", [directed, g.add("Transpose", [directed], { perm: [1, 0] })]);
  return times(net, plus(net, both, number(net, -2 * width)), 0.25);
}
