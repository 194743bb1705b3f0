/** Initial values of weights, each drawn from a seed and the weight's name: adding a layer changes no other. */
import { FNV_BASIS, FNV_PRIME } from "../files/checksums/fnv.js";
import { elementCount, type Tensor, tensor } from "../onnx/tensor.js";
import { createRandom, type Random } from "../random.js";

/** Draws one number for a weight of these dimensions. */
export type Initialiser = (random: Random, dims: readonly number[]) => number;

/** Starts every weight at 0. */
export const zeros: Initialiser = () => 0;
/** Starts every weight at 1. */
export const ones: Initialiser = () => 1;

/** Normal distribution around 0, by Box and Muller's method. */
export const normal =
  (deviation: number): Initialiser =>
  (random) =>
    deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Normal distribution around 0, truncated at two standard deviations: BERT's initial weights. */
export const truncatedNormal = (deviation: number): Initialiser => {
  const draw = normal(1);
  return (random, dims) => {
    for (;;) {
      const value = draw(random, dims);
      if (Math.abs(value) <= 2) return deviation * value;
    }
  };
};

/** Uniform between -limit and limit. */
export const uniform =
  (limit: number): Initialiser =>
  (random) =>
    limit * (2 * random() - 1);

/** Uniform between ±1 / √inputs: PyTorch's default for linear layers, convolutions and LSTMs. */
export const byInputs =
  (inputs: number): Initialiser =>
  (random, dims) =>
    uniform(1 / Math.sqrt(inputs))(random, dims);

/** A float32 weight from its own stream of random numbers (mulberry32, seeded with `seed` and `name`). */
export function initialise(
  initialiser: Initialiser,
  name: string,
  dims: readonly number[],
  seed: number,
): Tensor {
  const random = createRandom(seed ^ hash(name));
  const values = new Float32Array(elementCount(dims));
  for (let i = 0; i < values.length; i++) values[i] = initialiser(random, dims);
  return tensor("float32", dims, values);
}

/** FNV-1a. */
function hash(text: string): number {
  let state = FNV_BASIS;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) as number), FNV_PRIME);
  return state;
}
