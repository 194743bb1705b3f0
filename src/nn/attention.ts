/** Attention of every token on every other, in several heads (Vaswani et al., 2017). */
import { typeCode } from "../onnx/tensor.js";
import { linear } from "./layers.js";
import { type Net, number } from "./net.js";

export interface AttentionOptions {
  /** Prefix of the weights query, key and value, each with `weight` and `bias`. */
  name: string;
  width: number;
  heads: number;
  /** Shape of the tokens, int64 [2]: batch and length. */
  shape: string;
  /** What {@link attentionMask} made. */
  mask: string;
  /** Default {@link linear}: how the three projections are made, for other initial values. */
  project?: typeof linear;
  /** What happens to the shares of attention in training; default nothing. */
  dropout?: (shares: string) => string;
}

/** A mask, integers [batch, length], as what is added to scores: 0, or -∞ in effect; [batch, 1, 1, length]. */
export function attentionMask(net: Net, mask: string): string {
  const { g } = net;
  const kept = g.add("Unsqueeze", [g.add("Cast", [mask], { to: typeCode("float32") }), g.ints(1, 2)]);
  return g.add("Mul", [g.add("Sub", [number(net, 1), kept]), number(net, -3.4028234663852886e38)]);
}

/** softmax(q kᵀ / √d + mask) v. @param x [batch × length, width] @returns the same shape */
export function attention(net: Net, x: string, options: AttentionOptions): string {
  const { name, width, heads, shape, mask, project = linear, dropout = (shares) => shares } = options;
  const { g } = net;
  const split = g.add("Concat", [shape, g.ints(heads, width / heads)], { axis: 0 });
  /** [batch × length, width] to [batch, heads, length, d], or with the last two turned */
  const headsOf = (part: string, perm: number[]) => {
    const projected = project(net, x, { name: `${name}.${part}`, inputs: width, outputs: width });
    return g.add("Transpose", [g.add("Reshape", [projected, split])], { perm });
  };
  const scores = g.add("MatMul", [headsOf("query", [0, 2, 1, 3]), headsOf("key", [0, 2, 3, 1])]);
  const scaled = g.add("Div", [scores, number(net, Math.sqrt(width / heads))]);
  const shares = g.add("Softmax", [g.add("Add", [scaled, mask])], { axis: -1 });
  const mixed = g.add("MatMul", [dropout(shares), headsOf("value", [0, 2, 1, 3])]);
  return g.add("Reshape", [g.add("Transpose", [mixed], { perm: [0, 2, 1, 3] }), g.ints(-1, width)]);
}
