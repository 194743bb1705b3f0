/** From hidden states of a phrase's tokens to one vector. */
import { type Net, number, reduce } from "./net.js";

/** Hidden states [batch, length, width] with their mask, integers [batch, length]: 0 where a token does not count. */
export interface Masked {
  hidden: string;
  mask: string;
}

/** How the positions of a word become one vector. */
export type WordPooling = "mean" | "max";

/** The mask as float32 [batch, length, 1]. */
const factors = ({ g }: Net, mask: string): string =>
  g.add("Unsqueeze", [g.cast(mask, "float32"), g.ints(-1)]);

/** Sum over what the mask keeps. @returns [batch, width] */
export const sumPooling = (net: Net, { hidden, mask }: Masked): string =>
  reduce(net, "ReduceSum", net.g.add("Mul", [hidden, factors(net, mask)]), { axes: [1] });

/** Mean over what the mask keeps; 0 where it keeps nothing. @returns [batch, width] */
export function meanPooling(net: Net, masked: Masked): string {
  const count = reduce(net, "ReduceSum", factors(net, masked.mask), { axes: [1] });
  return net.g.add("Div", [sumPooling(net, masked), net.g.add("Max", [count, number(net, 1e-9)])]);
}

/** Largest value of each dimension; -1e30 where the mask keeps nothing. @returns [batch, width] */
export function maxPooling(net: Net, { hidden, mask }: Masked): string {
  const kept = net.g.add("Greater", [factors(net, mask), number(net, 0)]);
  const values = net.g.add("Where", [kept, hidden, number(net, -1e30)]);
  return reduce(net, "ReduceMax", values, { axes: [1] });
}

/** The first token, BERT's [CLS]. @param hidden [batch, length, width] @returns [batch, width] */
export const firstToken = ({ g }: Net, hidden: string): string =>
  g.add("Gather", [hidden, g.scalar("int64", 0)], { axis: 1 });

/** Each token's place among those that the mask keeps, from 1; 0 for padding: int64 [batch, length]. */
const placesOf = ({ g }: Net, mask: string): string => {
  const kept = g.cast(mask, "int64");
  return g.add("Mul", [g.add("CumSum", [kept, g.scalar("int64", 1)]), kept]);
};

/** The last token that the mask keeps. @returns [batch, width] */
function lastToken(net: Net, { hidden, mask }: Masked): string {
  const places = placesOf(net, mask);
  const last = net.g.add("ReduceMax", [places], { axes: [1], keepdims: 1 });
  const isLast = net.g.add("And", [net.g.add("Equal", [places, last]), net.g.cast(mask, "bool")]);
  return sumPooling(net, { hidden, mask: isLast });
}

/** The sum divided by the square root of the number of tokens. @returns [batch, width] */
function meanByRoot(net: Net, masked: Masked): string {
  const count = reduce(net, "ReduceSum", factors(net, masked.mask), { axes: [1] });
  return net.g.add("Div", [
    sumPooling(net, masked),
    net.g.add("Sqrt", [net.g.add("Max", [count, number(net, 1e-9)])]),
  ]);
}

/**
 * Ways to pool, by the names of sentence-transformers: the "weightedmean" gives a token its place as weight, counted from 1;
 * "mean_sqrt_len_tokens" divides by the square root of the number of tokens.
 */
export const poolings = {
  mean: meanPooling,
  cls: (net, { hidden }) => firstToken(net, hidden),
  max: maxPooling,
  lasttoken: lastToken,
  weightedmean: (net, { hidden, mask }) => meanPooling(net, { hidden, mask: placesOf(net, mask) }),
  mean_sqrt_len_tokens: meanByRoot,
} satisfies Record<string, (net: Net, masked: Masked) => string>;

/** Scales vectors along the last axis to length 1; a zero vector stays zero. @returns the shape of x */
export function l2Normalise(net: Net, x: string): string {
  const length = reduce(net, "ReduceL2", x, { keepdims: 1 });
  return net.g.add("Div", [x, net.g.add("Max", [length, number(net, 1e-12)])]);
}
