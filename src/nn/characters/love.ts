/**
 * LOVE (Chen, Varoquaux and Suchanek, 2022, "Imputing Out-of-Vocabulary Embeddings with LOVE Makes Language
 * Models Robust with Little Cost", section 4): characters and word pieces of a word together, one block of
 * positional attention, summed over positions, at length 1.
 *
 * Where this differs from the published code: capitals are read (units.ts), padding is left out of every sum,
 * and the layer norm is the usual one (biased variance, epsilon inside the root).
 */
import { tensor, typeCode } from "../../onnx/index.js";
import { layerNorm, linear } from "../layers.js";
import { type Net, number } from "../net.js";
import { type CharacterInputs, unitMask } from "./inputs.js";
import { type UnitTableOptions, unitEmbeddings, wordVectors } from "./units.js";

export interface LoveOptions extends UnitTableOptions {
  /** Positions of a word at most, special units included. */
  readonly positions: number;
  /** Where LOVE drops out in training, with 0.1: on what is added to the embeddings; default nothing. */
  readonly dropout?: (x: string) => string;
}

/** x + dropout(norm(f(x))), f = positional attention and two linear layers with ReLU. @returns [words, width] */
export function loveWords(net: Net, inputs: CharacterInputs, options: LoveOptions): string {
  const { g } = net;
  const { name, width, dropout = (x) => x } = options;
  const x = unitEmbeddings(net, inputs, options);
  const attended = g.add("MatMul", [positionalShares(net, inputs, options), x]);
  let hidden = g.add("Reshape", [attended, g.ints(-1, width)]);
  for (const layer of ["first", "second"])
    hidden = g.add("Relu", [
      linear(net, hidden, { name: `${name}.${layer}`, inputs: width, outputs: width }),
    ]);
  const normed = layerNorm(net, hidden, { name: `${name}.norm`, width, epsilon: 1e-6 });
  const added = g.add("Reshape", [dropout(normed), g.add("Shape", [x])]);
  return wordVectors(net, g.add("Add", [x, added]), inputs);
}

/**
 * Attention whose queries and keys are fixed sinusoids (Vaswani et al., 2017): with one head it does not
 * depend on the word but for its length, a blur over neighbouring positions. Scores are divided by the fourth
 * root of the width, as the published code does.
 * @returns [words, positions, positions]
 */
function positionalShares(net: Net, inputs: CharacterInputs, { width, positions }: LoveOptions): string {
  const { g } = net;
  const scores = new Float32Array(positions * positions);
  for (let i = 0; i < positions; i++)
    for (let j = 0; j < positions; j++)
      scores[i * positions + j] = sinusoidProduct(i - j, width) / width ** 0.25;
  // a node and not an initializer, so that nobody takes it for a weight
  const table = g.add("Constant", [], { value: tensor("float32", [positions, positions], scores) });
  const length = g.add("Shape", [inputs.ids], { start: 1, end: 2 });
  const ends = g.add("Concat", [length, length], { axis: 0 });
  const used = g.add("Slice", [table, g.ints(0, 0), ends, g.ints(0, 1)]);
  const kept = g.add("Cast", [unitMask(net, inputs)], { to: typeCode("float32") });
  const mask = g.add("Unsqueeze", [
    g.add("Mul", [g.add("Sub", [kept, number(net, 1)]), number(net, 1e30)]),
    g.ints(1),
  ]);
  return g.add("Softmax", [g.add("Add", [used, mask])], { axis: -1 });
}

/** Σ cos(Δ 10000^(-2k / width)): the product of the sinusoids of two positions Δ apart. */
function sinusoidProduct(distance: number, width: number): number {
  let sum = 0;
  for (let k = 0; 2 * k < width; k++) sum += Math.cos(distance * 10000 ** ((-2 * k) / width));
  return sum;
}
