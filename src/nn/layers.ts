/** Layers as functions that add to a graph. Weights have PyTorch's names and layouts under the layer's name. */
import { byInputs, type Initialiser, normal, ones, zeros } from "./initialise.js";
import { type Net, number, weight } from "./net.js";

/** Options of {@link linear}: sizes, and the prefix of its weights' names. */
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

/** Options of {@link embedding}: the table's size, and the prefix of its weight's name. */
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
 * Layer normalisation (Ba et al., 2016) over the last axis; weights `weight` and `bias` [width].
 * @param x float32 [..., width] @param epsilon default 1e-12 @param bias default "trained" @returns the shape of x
 */
export function layerNorm(
  net: Net,
  x: string,
  {
    name,
    width,
    epsilon = 1e-12,
    bias = "trained",
  }: { name: string; width: number; epsilon?: number; bias?: LinearOptions["bias"] },
): string {
  const scale = weight(net, `${name}.weight`, [width], ones);
  const shift = bias === "none" ? [] : [weight(net, `${name}.bias`, [width], zeros)];
  return net.g.add("LayerNormalization", [x, scale, ...shift], { axis: -1, epsilon });
}

/** x Φ(x), exact. */
export const gelu = (net: Net, x: string): string => net.g.add("Gelu", [x], {}, { domain: "com.microsoft" });

/** {@link gelu} approximated with tanh (Hendrycks and Gimpel, 2016): ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))). */
export function geluTanh(net: Net, x: string): string {
  const { g } = net;
  const times = (a: string, b: string) => g.add("Mul", [a, b]);
  const cubed = times(times(times(x, x), x), number(net, 0.044715));
  const inner = times(g.add("Add", [x, cubed]), number(net, Math.sqrt(2 / Math.PI)));
  const gate = g.add("Add", [g.add("Tanh", [inner]), number(net, 1)]);
  return times(times(x, gate), number(net, 0.5));
}

/** Options of {@link attention}: sizes, mask, and the prefix of its weights' names. */
export interface AttentionOptions {
  /** Prefix of the weights of queries, keys and values, each with `weight` and `bias`. */
  name: string;
  /** Their names below the prefix; default query, key, value. */
  parts?: readonly [query: string, key: string, value: string];
  width: number;
  heads: number;
  /** Shape of the tokens, int64 [2]: batch and length. */
  shape: string;
  /** What {@link attentionMask} made. */
  mask: string;
  /** Default {@link linear}: how the three projections are made, for other initial values. */
  project?: typeof linear;
}

/**
 * Turns a mask into what attention adds to its scores: 0 for tokens, in effect -∞ for padding.
 * @param mask integers [batch, length], 0 for padding @returns float32 [batch, 1, 1, length]
 */
export function attentionMask(net: Net, mask: string): string {
  const { g } = net;
  const kept = g.add("Unsqueeze", [g.cast(mask, "float32"), g.ints(1, 2)]);
  return g.add("Mul", [g.add("Sub", [number(net, 1), kept]), number(net, -3.4028234663852886e38)]);
}

/** softmax(q kᵀ / √d + mask) v (Vaswani et al., 2017). @param x [batch × length, width] @returns the same shape */
export function attention(net: Net, x: string, options: AttentionOptions): string {
  const { name, width, heads, shape, mask, project = linear } = options;
  const [query, key, value] = options.parts ?? ["query", "key", "value"];
  const { g } = net;
  const split = g.add("Concat", [shape, g.ints(heads, width / heads)], { axis: 0 });
  /** [batch × length, width] to [batch, heads, length, d], or with the last two turned */
  const headsOf = (part: string, perm: number[]) => {
    const projected = project(net, x, { name: `${name}.${part}`, inputs: width, outputs: width });
    return g.add("Transpose", [g.add("Reshape", [projected, split])], { perm });
  };
  return attend(net, {
    ...{ query: headsOf(query, [0, 2, 1, 3]), key: headsOf(key, [0, 2, 3, 1]), mask, width, heads },
    value: headsOf(value, [0, 2, 1, 3]),
  });
}

/**
 * {@link attention} of heads that were projected.
 * @param heads query and value float32 [batch, heads, length, d], key [batch, heads, d, length]
 * @returns [batch × length, width]
 */
export function attend(
  net: Net,
  {
    width,
    heads,
    mask,
    ...of
  }: Pick<AttentionOptions, "width" | "heads" | "mask"> & Record<"query" | "key" | "value", string>,
): string {
  const { g } = net;
  const scores = g.add("MatMul", [of.query, of.key]);
  const scaled = g.add("Div", [scores, number(net, Math.sqrt(width / heads))]);
  const attentionWeights = g.add("Softmax", [g.add("Add", [scaled, mask])], { axis: -1 });
  const mixed = g.add("MatMul", [attentionWeights, of.value]);
  return g.add("Reshape", [g.add("Transpose", [mixed], { perm: [0, 2, 1, 3] }), g.ints(-1, width)]);
}
