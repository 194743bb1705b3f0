/**
 * Takes off the share of false negatives: of the phrases drawn as negatives, a fraction τ⁺ means the same.
 *
 *     L = E [ -log e^{f(x)ᵀf(x⁺)} / (e^{f(x)ᵀf(x⁺)} + N g(x, {u_i}, {v_i})) ],
 *     g = max{ 1/τ⁻ (1/N Σ_i e^{f(x)ᵀf(u_i)} - τ⁺ 1/M Σ_i e^{f(x)ᵀf(v_i)}), e^{-1/t} },   τ⁻ = 1 - τ⁺,  ‖f‖² = 1/t
 *
 * Source: Chuang, Robinson, Yen-Chen, Torralba and Jegelka (2020), "Debiased Contrastive Learning", section 4.
 * Here: M = 1 and v is the positive. Each phrase of a pair is x once; u are all phrases of other classes in the batch,
 * hard negatives among them. t is the temperature; `prior` is τ⁺.
 * Data: pairs; a label says which phrases of a batch are surely no negatives.
 * Choose it if unknown synonyms are common, as with few distinct meanings in large batches.
 */
import { mean, type Net, number } from "../../nn/net.js";
import { compareAll, maskedSums, plus, rowProducts, rowSums, safeLog, times } from "../compare.js";
import { type ObjectiveRows, objective } from "../objective.js";

export const debiased = objective({
  needs: { label: "optional", teacher: "optional" },
  settings: { temperature: 0.5, prior: 0.1 },
  build: (net, rows, settings) => debiasedContrast(net, rows, { ...settings, concentration: 0 }),
});

/** The loss with weights e^{β f(x)ᵀf(u)} of the negatives, which `hard-weighted` has; β = 0 weighs all alike. */
export function debiasedContrast(
  net: Net,
  rows: ObjectiveRows,
  settings: { temperature: number; prior: number; concentration: number },
): string {
  const { g } = net;
  const { temperature, prior, concentration } = settings;
  const { products, different, partners, ...compared } = compareAll(net, rows);
  // every exponential is divided by e^{1/t}, so that none overflows; the ratio stays
  const exponent = (cosines: string) => times(net, plus(net, cosines, number(net, -1)), 1 / temperature);
  const negatives = exponent(products);
  const own = exponent(rowProducts(net, compared.rows, partners));
  const positive = g.add("Exp", [own]);
  const weights = g.add("Mul", [g.add("Exp", [times(net, negatives, concentration)]), different]);
  const share = g.add("Max", [rowSums(net, weights), number(net, 1e-30)]);
  const average = g.add("Div", [maskedSums(net, g.add("Exp", [negatives]), weights), share]);
  const cleaned = times(net, plus(net, average, positive, -prior), 1 / (1 - prior));
  const bounded = g.add("Max", [cleaned, number(net, Math.exp(-2 / temperature))]);
  const others = g.add("Mul", [rowSums(net, different), bounded]);
  const total = safeLog(net, plus(net, positive, others));
  return mean(net, g.add("Sub", [total, own]));
}
