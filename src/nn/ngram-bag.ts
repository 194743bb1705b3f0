/**
 * Hashed n-grams as a character encoder: the sum of their vectors. New vectors are Gaussian with the n-gram's
 * inverse document frequency as deviation, so that cosines begin near those of TF-IDF (a random projection keeps
 * them; Johnson and Lindenstrauss, 1984) and training moves them from there.
 */
import { typeCode } from "../onnx/index.js";
import { normal } from "./initialise.js";
import { embedding } from "./layers.js";
import { type Net, number, reduce } from "./net.js";
import { sumPooling } from "./pooling.js";

export interface NgramBagOptions {
  /** Prefix of the table `weight` [buckets + 1, width]; the last row is the padding's and is never used. */
  readonly name: string;
  readonly buckets: number;
  readonly width: number;
  /** Deviation of each bucket's first values, [buckets]; default 1. */
  readonly deviations?: Float32Array;
}

/**
 * The sum of a phrase's n-grams over the square root of their number.
 * @param ids int32 [phrases, n-grams], padded with `buckets`
 * @returns [phrases, width]
 */
export function ngramBag(
  net: Net,
  ids: string,
  { name, buckets, width, deviations }: NgramBagOptions,
): string {
  const { g } = net;
  const draw = normal(1);
  let element = 0;
  const hidden = embedding(net, ids, {
    name,
    rows: buckets + 1,
    width,
    initialiser: (random, dims) => {
      const bucket = Math.floor(element++ / width);
      const deviation = bucket >= buckets ? 0 : (deviations?.[bucket] ?? 1);
      return (deviation * draw(random, dims)) / Math.sqrt(width);
    },
  });
  const mask = g.add("Cast", [g.add("Less", [ids, g.constant("int32", [], [buckets])])], {
    to: typeCode("int32"),
  });
  const count = reduce(net, "ReduceSum", g.add("Cast", [mask], { to: typeCode("float32") }), { keepdims: 1 });
  const length = g.add("Sqrt", [g.add("Max", [count, number(net, 1)])]);
  return g.add("Div", [sumPooling(net, { hidden, mask }), length]);
}
