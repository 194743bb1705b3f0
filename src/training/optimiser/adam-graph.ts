/** adam.ts as a graph on the device: weights, moments and gradients go in, updated weights and moments come out. */
import { GraphBuilder } from "../../onnx/builder.js";
import type { Model } from "../../onnx/model.js";
import { adamSettings, rateFactor } from "./adam.js";
import type { OptimiserOptions } from "./optimiser.js";

/** Inputs of a weight; its outputs have the prefix "next/". */
export const inputsOf = (weight: string) => ({
  weight,
  m: `m/${weight}`,
  v: `v/${weight}`,
  gradient: `gradient/${weight}`,
});

export const lossInput = (name: string): string => `loss/${name}`;
export const [scalarsName, reportName] = ["scalars", "report"] as const;

/**
 * The graph of one step. Its input `scalars` holds the learning rate over 1 - β₁ᵗ, 1 / √(1 - β₂ᵗ), and 1 - learning
 * rate × decay; its output `report` the losses, which it only passes on, and the norm of the gradients: one number each
 * goes to the device and comes back in one piece.
 */
export function adamGraph(
  shapes: ReadonlyMap<string, readonly number[]>,
  losses: readonly string[],
  options: OptimiserOptions,
): Model {
  const g = new GraphBuilder({ name: "adam" });
  const number = (value: number) => g.scalar("float32", value);
  const scalars = g.input(scalarsName, "float32", [3]);
  const [rate, spread, keep] = [0, 1, 2].map((i) => g.add("Gather", [scalars, g.scalar("int64", i)]));
  const names = [...shapes.keys()].map(inputsOf);
  for (const { weight, m, v, gradient } of names) {
    for (const name of [weight, m, v, gradient])
      g.input(name, "float32", [...(shapes.get(weight) as number[])]);
  }
  const squares = names.map(({ gradient }) =>
    g.add("ReduceSum", [g.add("Mul", [gradient, gradient])], { keepdims: 0 }),
  );
  const total = squares.reduce((sum, square) => g.add("Add", [sum, square]));
  const norm = g.add("Sqrt", [total]);
  const reported = [...losses.map((name) => g.input(lossInput(name), "float32")), norm];
  const pieces = reported.map((value) => g.add("Reshape", [value, g.ints(1)]));
  g.output(reportName, g.add("Concat", pieces, { axis: 0 }));
  const clip = clipFactor(g, norm, options);

  const settings = adamSettings(options.optimiser);
  const { kind, betas, epsilon, weightDecay } = settings;
  const [beta1, beta2] = betas;
  const mix = (decay: number, old: string, value: string) =>
    g.add("Add", [g.add("Mul", [old, number(decay)]), g.add("Mul", [value, number(1 - decay)])]);
  for (const { weight, m, v, gradient } of names) {
    const decays = weightDecay !== 0 && (shapes.get(weight) as number[]).length > 1;
    const scaled = clip === undefined ? gradient : g.add("Mul", [gradient, clip]);
    const pulled = decays && kind === "adam";
    const slope = pulled ? g.add("Add", [scaled, g.add("Mul", [weight, number(weightDecay)])]) : scaled;
    const mean = mix(beta1, m, slope);
    const square = mix(beta2, v, g.add("Mul", [slope, slope]));
    const spreadOut = g.add("Add", [g.add("Mul", [g.add("Sqrt", [square]), spread]), number(epsilon)]);
    const factor = rateFactor(settings, weight);
    const times = (value: string) => (factor === 1 ? value : g.add("Mul", [value, number(factor)]));
    const lost = decays && kind === "adamw" && times(g.add("Sub", [number(1), keep]));
    const kept = lost ? g.add("Sub", [weight, g.add("Mul", [weight, lost])]) : weight;
    const next = g.add("Sub", [kept, g.add("Div", [g.add("Mul", [mean, times(rate)]), spreadOut])]);
    g.output(`next/${weight}`, next);
    g.output(`next/${m}`, mean);
    g.output(`next/${v}`, square);
  }
  return g.model();
}

/** The factor of gradients: below 1 if their norm exceeds the limit; undefined without one. */
function clipFactor(g: GraphBuilder, norm: string, { clipNorm }: OptimiserOptions): string | undefined {
  if (clipNorm === undefined) return undefined;
  const limit = g.scalar("float32", clipNorm);
  return g.add("Div", [limit, g.add("Max", [norm, limit])]);
}

/** Sums of pairs of values: `sum/NAME` of `a/NAME` and `b/NAME`. */
export function sumGraph(shapes: ReadonlyMap<string, readonly number[]>): Model {
  const g = new GraphBuilder({ name: "sum" });
  for (const [name, dims] of shapes) {
    const [a, b] = ["a", "b"].map((side) => g.input(`${side}/${name}`, "float32", [...dims]));
    g.output(`sum/${name}`, g.add("Add", [a, b]));
  }
  return g.model();
}

/** Copies of values, from memory to the device or back: `copy/NAME` of `NAME`. */
export function copyGraph(shapes: ReadonlyMap<string, readonly number[]>): Model {
  const g = new GraphBuilder({ name: "copy" });
  for (const [name, dims] of shapes)
    g.output(`copy/${name}`, g.add("Identity", [g.input(name, "float32", [...dims])]));
  return g.model();
}
