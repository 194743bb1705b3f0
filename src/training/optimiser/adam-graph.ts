/** adam.ts as a graph on the device, over groups of weights; and graphs that make such groups and cut them. */

import type { GradientGraph } from "../../autodiff/gradient.js";
import { GraphBuilder } from "../../onnx/builder.js";
import { copyModel, type Model } from "../../onnx/model.js";
import { elementCount } from "../../onnx/tensor.js";
import { type AdamSettings, adamSettings, rateFactor } from "./adam.js";
import type { OptimiserOptions } from "./optimiser.js";

/**
 * Weights in groups, one below the other in one tensor: a GPU starts an operator on millions of numbers as fast as on a
 * few hundred, and a model has hundreds of weights.
 */
interface GroupedWeight {
  readonly name: string;
  readonly dims: readonly number[];
}

/** Weights that one rule updates and that differ in their first dimension alone. */
export interface WeightGroup {
  readonly name: string;
  readonly weights: readonly GroupedWeight[];
  /** Of the tensor: the sum of the weights' first dimensions, then the others. */
  readonly dims: readonly number[];
  /** Whether weight decay applies. */
  readonly decays: boolean;
  /** Of the learning rate. */
  readonly factor: number;
}

/** Numbers of a group at most, 64 MiB, unless one weight has more: an update needs several tensors of that size. */
const largest = 2 ** 24;

/** @param shapes of weights, each of one dimension at least */
export function groupWeights(
  shapes: ReadonlyMap<string, readonly number[]>,
  settings: Pick<AdamSettings, "weightDecay" | "rateFactors">,
): WeightGroup[] {
  const groups: (Omit<WeightGroup, "weights"> & { dims: number[]; weights: GroupedWeight[] })[] = [];
  for (const [name, dims] of shapes) {
    // biases and norms have one axis
    const decays = settings.weightDecay !== 0 && dims.length > 1;
    const factor = rateFactor(settings, name);
    const rest = String(dims.slice(1));
    const open = groups.findLast(
      (group) => group.decays === decays && group.factor === factor && String(group.dims.slice(1)) === rest,
    );
    if (open && elementCount(open.dims) + elementCount(dims) <= largest) {
      open.weights.push({ name, dims });
      open.dims[0] += dims[0];
    } else
      groups.push({
        ...{ name: `group ${groups.length}`, decays, factor },
        ...{ weights: [{ name, dims }], dims: [...dims] },
      });
  }
  return groups;
}

/** The weights of a group, each with the place of its numbers in the group's. */
export function placesIn({ weights }: WeightGroup) {
  let end = 0;
  return weights.map((weight) => {
    const start = end;
    end += elementCount(weight.dims);
    return { ...weight, start, end };
  });
}

/** WebGPU promises eight buffers to a shader (maxStorageBuffersPerShaderStage): a value, and these pieces of it. */
const mostPieces = 7;

/** The weights of a group, cut from its tensor by a tree of Split nodes. */
export const weightsOf = (g: GraphBuilder, { weights }: WeightGroup, tensor: string): string[] =>
  cut(
    g,
    tensor,
    weights.map(({ dims }) => dims[0]),
  );

function cut(g: GraphBuilder, tensor: string, rows: readonly number[]): string[] {
  if (rows.length === 1) return [tensor];
  let each = 1;
  while (each * mostPieces < rows.length) each *= mostPieces;
  const parts: (readonly number[])[] = [];
  for (let from = 0; from < rows.length; from += each) parts.push(rows.slice(from, from + each));
  const totals = parts.map((part) => part.reduce((sum, count) => sum + count, 0));
  const values = g.addMany("Split", [tensor, g.ints(...totals)], parts.length, { axis: 0 });
  return values.flatMap((value, i) => cut(g, value, parts[i]));
}

/**
 * A group's tensor of values of its weights, zeros where there is none.
 * @param valueFor a weight's value in the graph
 */
export function tensorOf(
  g: GraphBuilder,
  { weights }: WeightGroup,
  valueFor: (weight: string) => string | undefined,
): string {
  const zeros = (dims: readonly number[]) => g.add("Expand", [g.scalar("float32", 0), g.ints(...dims)]);
  const parts = weights.map(({ name, dims }) => valueFor(name) ?? zeros(dims));
  return g.add("Concat", parts, { axis: 0 });
}

/** Inputs of a group, in its shape; the outputs of the first three have the prefix "next/". */
export const inputsOf = ({ name }: WeightGroup) => ({
  w: `w/${name}`,
  m: `m/${name}`,
  v: `v/${name}`,
  gradient: `gradient/${name}`,
});

/** Output of a weight, in its shape. */
export const weightOutput = (weight: string): string => `weight/${weight}`;

export const lossInput = (name: string): string => `loss/${name}`;
export const [scalarsName, reportName] = ["scalars", "report"] as const;

/**
 * The graph of one step. Its input `scalars` holds the learning rate over 1 - β₁ᵗ, 1 / √(1 - β₂ᵗ), and learning rate ×
 * decay (which taken off 1 would lose most of its digits); its output `report` the losses, which it only passes on, and
 * the norm of the gradients: one number each goes to the device and comes back in one piece.
 */
export function adamGraph(
  groups: readonly WeightGroup[],
  losses: readonly string[],
  options: OptimiserOptions,
): Model {
  const g = new GraphBuilder({ name: "adam" });
  const number = (value: number) => g.scalar("float32", value);
  const scalars = g.input(scalarsName, "float32", [3]);
  const [rate, spread, decay] = [0, 1, 2].map((i) => g.add("Gather", [scalars, g.scalar("int64", i)]));
  for (const group of groups)
    for (const name of Object.values(inputsOf(group))) g.input(name, "float32", [...group.dims]);
  const norm = g.add("Sqrt", [
    groups
      .map((group) => squaredNorm(g, inputsOf(group).gradient, group.dims.length))
      .reduce((sum, square) => g.add("Add", [sum, square])),
  ]);
  const reported = [...losses.map((name) => g.input(lossInput(name), "float32")), norm];
  const pieces = reported.map((value) => g.add("Reshape", [value, g.ints(1)]));
  g.output(reportName, g.add("Concat", pieces, { axis: 0 }));
  const clip = clipFactor(g, norm, options);

  const { kind, betas, epsilon, weightDecay } = adamSettings(options.optimiser);
  const [beta1, beta2] = betas;
  const mix = (beta: number, old: string, value: string) =>
    g.add("Add", [g.add("Mul", [old, number(beta)]), g.add("Mul", [value, number(1 - beta)])]);
  for (const group of groups) {
    const { decays, factor } = group;
    const { w, m, v, gradient } = inputsOf(group);
    const scaled = clip === undefined ? gradient : g.add("Mul", [gradient, clip]);
    const pulled = decays && kind === "adam";
    const slope = pulled ? g.add("Add", [scaled, g.add("Mul", [w, number(weightDecay)])]) : scaled;
    const mean = mix(beta1, m, slope);
    const square = mix(beta2, v, g.add("Mul", [slope, slope]));
    const spreadOut = g.add("Add", [g.add("Mul", [g.add("Sqrt", [square]), spread]), number(epsilon)]);
    const times = (value: string) => (factor === 1 ? value : g.add("Mul", [value, number(factor)]));
    const lost = decays && kind === "adamw" && times(decay);
    const kept = lost ? g.add("Sub", [w, g.add("Mul", [w, lost])]) : w;
    const next = g.add("Sub", [kept, g.add("Div", [g.add("Mul", [mean, times(rate)]), spreadOut])]);
    g.output(`next/${w}`, next);
    g.output(`next/${m}`, mean);
    g.output(`next/${v}`, square);
    outputWeights(g, group, next);
  }
  return g.model();
}

function outputWeights(g: GraphBuilder, group: WeightGroup, tensor: string): void {
  weightsOf(g, group, tensor).forEach((value, i) => {
    // a group of one weight is that weight
    g.output(weightOutput(group.weights[i].name), value === tensor ? g.add("Identity", [value]) : value);
  });
}

/** Row by row first: a sum of all at once is computed by a single workgroup. */
function squaredNorm(g: GraphBuilder, tensor: string, rank: number): string {
  const squares = g.add("Mul", [tensor, tensor]);
  const rows = rank > 1 ? g.add("ReduceSum", [squares, g.ints(-1)], { keepdims: 0 }) : squares;
  return g.add("ReduceSum", [rows], { keepdims: 0 });
}

/** The factor of gradients: below 1 if their norm exceeds the limit; undefined without one. */
function clipFactor(g: GraphBuilder, norm: string, { clipNorm }: OptimiserOptions): string | undefined {
  if (clipNorm === undefined) return undefined;
  const limit = g.scalar("float32", clipNorm);
  return g.add("Div", [limit, g.add("Max", [norm, limit])]);
}

/** Weights in their shapes, from `w/GROUP`. */
export function weightsGraph(groups: readonly WeightGroup[]): Model {
  const g = new GraphBuilder({ name: "weights" });
  for (const group of groups) outputWeights(g, group, g.input(inputsOf(group).w, "float32", [...group.dims]));
  return g.model();
}

/** The graph with gradients of groups in place of those of weights, and zeros for weights that it has no gradient of. */
export function groupGradients(graph: GradientGraph, groups: readonly WeightGroup[]): GradientGraph {
  const model = copyModel(graph.model);
  const g = new GraphBuilder(model);
  const replaced = new Set(graph.gradients.values());
  model.graph.outputs = model.graph.outputs.filter(({ name }) => !replaced.has(name));
  const gradients = new Map<string, string>();
  for (const group of groups)
    if (group.weights.some(({ name }) => graph.gradients.has(name))) {
      const output = tensorOf(g, group, (weight) => graph.gradients.get(weight));
      g.graph.outputs.push({ name: output });
      gradients.set(group.name, output);
    }
  return { ...graph, model, gradients };
}

/** Sums of pairs of tensors: `sum/GROUP` of `a/GROUP` and `b/GROUP`. */
export function sumGraph(groups: readonly WeightGroup[]): Model {
  const g = new GraphBuilder({ name: "sum" });
  for (const { name, dims } of groups) {
    const [a, b] = ["a", "b"].map((side) => g.input(`${side}/${name}`, "float32", [...dims]));
    g.output(`sum/${name}`, g.add("Add", [a, b]));
  }
  return g.model();
}

/** Copies of tensors, from memory to the device or back: `copy/GROUP` of `GROUP`. */
export function copyGraph(groups: readonly WeightGroup[]): Model {
  const g = new GraphBuilder({ name: "copy" });
  for (const { name, dims } of groups)
    g.output(`copy/${name}`, g.add("Identity", [g.input(name, "float32", [...dims])]));
  return g.model();
}
