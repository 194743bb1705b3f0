/**
 * Masked words, as a graph: from a window of text with some words hidden, the transformer's state at each hidden
 * place tells the word (Devlin et al., 2019). The choices are the hidden words of the batch, their frequency taken
 * off the scores (sampled softmax: Bengio and Senécal, 2008), and their vectors are the encoder's own.
 */

import { contextWeights } from "../../architectures/pearl-mini/context.js";
import { wordEncoder } from "../../architectures/pearl-mini/encoder.js";
import { declareWordInputs } from "../../architectures/pearl-mini/inputs.js";
import type { WordEncoderSizes } from "../../architectures/pearl-mini/sizes.js";
import { normal } from "../../nn/initialise.js";
import { linear } from "../../nn/layers.js";
import { createNet, logSumExp, mean, number, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingProgram } from "../../training/program.js";

const lossName = "masked_loss";
/** What products of a state and a unit word vector are multiplied by. */
const SCALE = 8;

/** @param sample a batch of a few windows, in the form of masked-batches.ts */
export function maskedProgram(
  weights: WeightSource,
  sizes: WordEncoderSizes,
  sample: Feeds,
): TrainingProgram {
  const net = createNet(weights);
  const { g } = net;
  const { states } = wordEncoder(net, declareWordInputs(g), sizes);
  const places = g.input("masked_places", "int32", ["masked"]);
  const labels = g.input("masked_labels", "int64", ["masked"]);
  const choices = g.input("choice_ids", "int32", ["choices"]);
  const logChances = g.input("choice_log_chances", "float32", ["choices"]);
  const guesses = linear(net, g.add("Gather", [states, places]), {
    ...{ name: "masked.out", inputs: sizes.width, outputs: sizes.vectors },
    initialiser: normal(1 / Math.sqrt(sizes.width)),
  });
  const vectors = g.add("Gather", ["vectors.weight", choices]);
  const scores = g.add("Mul", [g.add("Gemm", [guesses, vectors], { transB: 1 }), number(net, SCALE)]);
  const corrected = g.add("Sub", [scores, logChances]);
  const picked = g.add("GatherElements", [corrected, g.add("Unsqueeze", [labels, g.ints(1)])], { axis: 1 });
  g.output(lossName, g.add("Sub", [mean(net, logSumExp(net, corrected)), mean(net, picked)]));
  const model = g.model();
  prune(model.graph);
  const trained = contextWeights(model).filter((name) => name !== "ngrams.weight");
  return { model, loss: lossName, sample, weights: trained };
}
