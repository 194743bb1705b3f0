/** A network under construction: the graph, and where its weights come from. */
import { ModelError } from "../errors.js";
import { GraphBuilder } from "../onnx/builder.js";
import type { Tensor } from "../onnx/tensor.js";
import { type Initialiser, initialise } from "./initialise.js";

/** Gives each weight its initial values. */
export type WeightSource = (name: string, dims: readonly number[], initialiser: Initialiser) => Tensor;

/** What every layer adds to. Layers are functions (net, inputs, options) that return the name of their result. */
export interface Net {
  /** The graph under construction. */
  readonly g: GraphBuilder;
  /** Makes the initial values of each new weight. */
  readonly weights: WeightSource;
  /** Of the names of all weights; default "". */
  readonly prefix?: string;
}

/** New weights from a seed. */
export const fromSeed =
  (seed: number): WeightSource =>
  (name, dims, initialiser) =>
    initialise(initialiser, name, dims, seed);

/**
 * Weights that exist, such as those of a safetensors file.
 * @throws ModelError, when a layer asks, for a weight that is missing or of another shape
 */
export const fromTensors =
  (tensors: ReadonlyMap<string, Tensor>, label = "the weights"): WeightSource =>
  (name, dims) => {
    const found = tensors.get(name);
    if (!found)
      throw new ModelError(
        `${label}: weight ${name} is missing. Take the weights and config.json from the same model.`,
      );
    if (found.type !== "float32" || String(found.dims) !== String(dims))
      throw new ModelError(`${label}: ${name} is ${found.type} [${found.dims}], not float32 [${dims}]`);
    return found;
  };

/** A network with an empty graph, or one that adds to a graph. */
export const createNet = (weights: WeightSource, g = new GraphBuilder()): Net => ({ g, weights });

/** Adds a weight and returns its name. */
export function weight(net: Net, stem: string, dims: readonly number[], initialiser: Initialiser): string {
  const name = `${net.prefix ?? ""}${stem}`;
  return net.g.weight(name, net.weights(name, dims, initialiser));
}

/** Reduces x over `axes` (default the last). Before opset 18 axes are an attribute, except for ReduceSum. */
export function reduce(
  { g }: Net,
  op: "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceL2",
  x: string,
  { axes = [-1], keepdims = 0 }: { axes?: number[]; keepdims?: 0 | 1 } = {},
): string {
  const asInput = op === "ReduceSum" || g.model().opsets[""] >= 18;
  return asInput ? g.add(op, [x, g.ints(...axes)], { keepdims }) : g.add(op, [x], { axes, keepdims });
}

/** Splits x into `count` equal parts along an axis. @returns the names of the parts */
export const splitEvenly = ({ g }: Net, x: string, count: number, axis: number): string[] =>
  g.addMany("Split", [x], count, g.model().opsets[""] >= 18 ? { axis, num_outputs: count } : { axis });

/** Mean of all entries, a scalar. */
export const mean = ({ g }: Net, x: string): string => g.add("ReduceMean", [x], { keepdims: 0 });

/** A float32 scalar. */
export const number = ({ g }: Net, value: number): string => g.scalar("float32", value);

/**
 * log Σ exp(x) over the last axis, without overflow: the maximum, rounded down, is subtracted first.
 * ONNX Runtime's own ReduceLogSumExp does not subtract it on webgpu. Floor passes no gradient on to the maximum,
 * where the parts would cancel anyway.
 * @param x [rows, choices] @returns [rows]
 */
export function logSumExp(net: Net, x: string): string {
  const { g } = net;
  const shift = g.add("Floor", [reduce(net, "ReduceMax", x, { keepdims: 1 })]);
  const sum = reduce(net, "ReduceSum", g.add("Exp", [g.add("Sub", [x, shift])]));
  return g.add("Add", [g.add("Log", [sum]), g.add("Squeeze", [shift, g.ints(-1)])]);
}
