/**
 * LOVE (Chen, Varoquaux and Suchanek, 2022, "Imputing Out-of-Vocabulary Embeddings with LOVE Makes Language
 * Models Robust with Little Cost", section 4): characters and word pieces of a word together, one block of
 * positional attention, summed over positions, at length 1.
 *
 * Where this differs from the published code: capitals are read (characters/encoder.ts), padding is left out of every sum,
 * and the layer norm is the usual one (biased variance, epsilon inside the root).
 */
import { layerNorm, linear } from "../../nn/layers.js";
import { type Net, number, reduce } from "../../nn/net.js";
import { tensor } from "../../onnx/tensor.js";
import type { CharacterEncoder, WordLayerOptions } from "../characters/encoder.js";
import { unitEmbeddings, wordVectors } from "../characters/encoder.js";
import { type CharacterInputs, unitMask } from "../characters/inputs.js";

export const love: CharacterEncoder = {
  name: "love",
  description: "LOVE: positional attention over the characters and pieces of a word",
  units: { units: "characters-and-pieces", positions: 48, phraseLength: 32 },
  width: 300,
  hasDropout: true,
  words: loveWords,
};

/**
 * x + norm(f(x)), f = positional attention and two linear layers with ReLU. In training LOVE drops out a tenth of
 * the norm's result, as src/onnx/rewrite/dropout.ts adds it.
 * @returns [words, width]
 */
function loveWords(net: Net, inputs: CharacterInputs, options: WordLayerOptions): string {
  const { g } = net;
  const { name, width } = options;
  const x = unitEmbeddings(net, inputs, options);
  const attended = g.add("MatMul", [positionalWeights(net, inputs, options), x]);
  const square = { inputs: width, outputs: width };
  let hidden = g.add("Reshape", [attended, g.ints(-1, width)]);
  for (const layer of ["first", "second"])
    hidden = g.add("Relu", [linear(net, hidden, { ...square, name: `${name}.${layer}` })]);
  const normed = layerNorm(net, hidden, { name: `${name}.norm`, width, epsilon: 1e-6 });
  const sum = g.add("Add", [x, g.add("Reshape", [normed, g.add("Shape", [x])])]);
  return wordVectors(net, sum, { inputs, pooling: options.pooling });
}

/**
 * Attention whose queries and keys are fixed sinusoids (Vaswani et al., 2017). With one head it depends only on the
 * length of the word: a blur over neighbouring positions. Scores are divided by the fourth root of the width, as in
 * the published code. The softmax is a table of exponentials, masked and divided by its sums.
 * @returns [words, positions, positions]
 */
function positionalWeights(net: Net, inputs: CharacterInputs, { width, positions }: WordLayerOptions) {
  const { g } = net;
  const largest = sinusoidProduct(0, width);
  const byDistance = Float32Array.from({ length: positions }, (_, apart) =>
    Math.exp((sinusoidProduct(apart, width) - largest) / width ** 0.25),
  );
  const values = Float32Array.from(
    { length: positions ** 2 },
    (_, i) => byDistance[Math.abs(Math.floor(i / positions) - (i % positions))],
  );
  // a node and not an initializer, so that nobody takes it for a weight
  const table = g.add("Constant", [], { value: tensor("float32", [positions, positions], values) });
  const length = g.add("Shape", [inputs.ids], { start: 1, end: 2 });
  const ends = g.add("Concat", [length, length], { axis: 0 });
  const used = g.add("Slice", [table, g.ints(0, 0), ends, g.ints(0, 1)]);
  const kept = g.cast(unitMask(net, inputs), "float32");
  const masked = g.add("Mul", [used, g.add("Unsqueeze", [kept, g.ints(1)])]);
  const sums = reduce(net, "ReduceSum", masked, { keepdims: 1 });
  // the sum is 0 in rows of padding alone, far from every unit
  return g.add("Div", [masked, g.add("Max", [sums, number(net, 1e-30)])]);
}

/** Σ cos(Δ 10000^(-2k / width)): the product of the sinusoids of two positions Δ apart. */
function sinusoidProduct(distance: number, width: number): number {
  let sum = 0;
  for (let k = 0; 2 * k < width; k++) sum += Math.cos(distance * 10000 ** ((-2 * k) / width));
  return sum;
}
