/**
 * Weights in groups, one below the other in one tensor: a GPU starts an operator on millions of numbers as fast as on a
 * few hundred, and a model has hundreds of weights.
 */
import type { GraphBuilder } from "../../onnx/builder.js";
import { elementCount } from "../../onnx/tensor.js";
import { type AdamSettings, rateFactor } from "./adam.js";

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
