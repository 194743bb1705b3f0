/** Layers as functions that add to a graph. Weights have PyTorch's names and layouts under the layer's name. */
import { byInputs, type Initialiser, normal, ones, zeros } from "./initialise.js";
import { type Net, number, weight } from "./net.js";
import { meanPooling, sumPooling } from "./pooling.js";

export interface LinearOptions {
  /** Prefix of the weights `weight` [outputs, inputs] and `bias` [outputs]. */
  name: string;
  inputs: number;
  outputs: number;
  /** Leave the bias out: "none"; default "trained". */
  bias?: "trained" | "none";
  /** Default: uniform up to 1 / √inputs, bias too (PyTorch). With one given, the bias starts at 0. */
  initialiser?: Initialiser;
}

/** x Wᵀ + b. @param x [rows, inputs] @returns [rows, outputs] */
export function linear(net: Net, x: string, options: LinearOptions): string {
  const { name, inputs, outputs, bias = "trained", initialiser } = options;
  const w = weight(net, `${name}.weight`, [outputs, inputs], initialiser ?? byInputs(inputs));
  const start = initialiser ? zeros : byInputs(inputs);
  const b = bias === "none" ? [] : [weight(net, `${name}.bias`, [outputs], start)];
  return net.g.add("Gemm", [x, w, ...b], { transB: 1 });
}

export interface EmbeddingOptions {
  /** Prefix of the table `weight` [rows, width]. */
  name: string;
  rows: number;
  width: number;
  /** Default normal(0.02), as in BERT. */
  initialiser?: Initialiser;
}

/** Rows of a table. @param ids integers [...] @returns [..., width] */
export function embedding(
  net: Net,
  ids: string,
  { name, rows, width, initialiser }: EmbeddingOptions,
): string {
  const table = weight(net, `${name}.weight`, [rows, width], initialiser ?? normal(0.02));
  return net.g.add("Gather", [table, ids]);
}

/**
 * Sum or mean (the default) of the rows of each bag.
 * @param ids int64 [bags, size] @param mask integers [bags, size], 0 where an id does not count
 * @returns [bags, width]
 */
export function embeddingBag(
  net: Net,
  { ids, mask }: { ids: string; mask: string },
  { mode = "mean", ...options }: EmbeddingOptions & { mode?: "mean" | "sum" },
): string {
  const pool = mode === "mean" ? meanPooling : sumPooling;
  return pool(net, { hidden: embedding(net, ids, options), mask });
}

/** Ba et al. (2016), over the last axis; weights `weight` and `bias` [width]. @param epsilon default 1e-12 */
export function layerNorm(
  net: Net,
  x: string,
  { name, width, epsilon = 1e-12 }: { name: string; width: number; epsilon?: number },
): string {
  const inputs = [
    x,
    weight(net, `${name}.weight`, [width], ones),
    weight(net, `${name}.bias`, [width], zeros),
  ];
  return net.g.add("LayerNormalization", inputs, { axis: -1, epsilon });
}

/** x Φ(x), exact. */
export const gelu = (net: Net, x: string): string => net.g.add("Gelu", [x], {}, { domain: "com.microsoft" });

/** Its approximation with tanh (Hendrycks and Gimpel, 2016): ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))). */
export function geluTanh(net: Net, x: string): string {
  const { g } = net;
  const times = (a: string, b: string) => g.add("Mul", [a, b]);
  const cubed = times(times(times(x, x), x), number(net, 0.044715));
  const inner = times(g.add("Add", [x, cubed]), number(net, Math.sqrt(2 / Math.PI)));
  const gate = g.add("Add", [g.add("Tanh", [inner]), number(net, 1)]);
  return times(times(x, gate), number(net, 0.5));
}

/**
 * Sets entries to 0 with probability `ratio` and divides the others by 1 - ratio, always: graphs for use are
 * built without it. ONNX Runtime's optimiser takes it out wherever no gradient needs its mask.
 * @param seed of the masks: run after run, each session draws the same ones from it. Give every place its own.
 */
export const dropout = ({ g }: Net, x: string, { ratio, seed }: { ratio: number; seed: number }): string =>
  g.add("Dropout", [x, g.scalar("float32", ratio), g.constant("bool", [], [1])], {
    seed: { type: "int", value: seed },
  });

export interface Conv1dOptions {
  /** Prefix of the weights `weight` [outputs, inputs, width] and `bias` [outputs]. */
  name: string;
  inputs: number;
  outputs: number;
  width: number;
  /** Zeros on both sides; default 0. */
  padding?: number;
  /** Default 1. */
  stride?: number;
  /** Default 1. */
  dilation?: number;
}

/** Convolution over time. @param x [batch, inputs, length] @returns [batch, outputs, new length] */
export function conv1d(net: Net, x: string, options: Conv1dOptions): string {
  const { name, inputs, outputs, width, padding = 0, stride = 1, dilation = 1 } = options;
  const start = byInputs(inputs * width);
  const w = weight(net, `${name}.weight`, [outputs, inputs, width], start);
  const b = weight(net, `${name}.bias`, [outputs], start);
  const attributes = {
    pads: [padding, padding],
    strides: [stride],
    dilations: [dilation],
    kernel_shape: [width],
  };
  return net.g.add("Conv", [x, w, b], attributes);
}
