/**
 * Weighs negatives by how near they are, so that near ones count more; false negatives are taken off as in `debiased`.
 *
 *     L = E [ -log e^{f(x)ᵀf(x⁺)} / (e^{f(x)ᵀf(x⁺)} + Q/τ⁻ (E_{x⁻~q_β}[e^{f(x)ᵀf(x⁻)}] - τ⁺ E_{v~q_β⁺}[e^{f(x)ᵀf(v)}])) ],
 *     q_β(x⁻) ∝ e^{β f(x)ᵀf(x⁻)} p(x⁻),   ‖f‖² = 1/t
 *
 * Source: Robinson, Chuang, Sra and Jegelka (2021), "Contrastive Learning with Hard Negative Samples", section 3; the
 * lower bound e^{-1/t} is that of `debiased`.
 * Here: Q is the number of negatives, v the positive, t the temperature, `beta` is β and `prior` τ⁺.
 * Data: pairs; a label says which phrases of a batch are surely no negatives.
 * Choose it if most negatives of a batch are easy and the table has no column negative.
 */
import { objective } from "../objective.js";
import { debiasedContrast } from "./debiased.js";

export const hardWeighted = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { temperature: 0.5, prior: 0.1, beta: 1 },
  build: (net, rows, { beta, ...settings }) =>
    debiasedContrast(net, rows, { ...settings, concentration: beta }),
});
