/** Phrase in context: the program that pretrains a word encoder on spans and the words around them. */
import { contextContrast, contextEncoder, contextWeights } from "../../architectures/pearl-mini/context.js";
import { wordEncoder } from "../../architectures/pearl-mini/encoder.js";
import { declareWordInputs } from "../../architectures/pearl-mini/inputs.js";
import type { WordEncoderSizes } from "../../architectures/pearl-mini/sizes.js";
import { createNet, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingProgram } from "../../training/program.js";

const lossName = "context_loss";

/** @param sample a batch of a few spans, in the form of context-batches.ts */
export function contextProgram(
  weights: WeightSource,
  sizes: WordEncoderSizes,
  sample: Feeds,
): TrainingProgram {
  const net = createNet(weights);
  const { g } = net;
  const { meaning } = wordEncoder(net, declareWordInputs(g), sizes);
  const contexts = contextEncoder(net, sizes);
  const groups = g.input("span_groups", "int32", ["spans"]);
  g.output(lossName, contextContrast(net, { spans: meaning, contexts, groups }));
  const model = g.model();
  prune(model.graph);
  // n-grams stay as they begin, near to TF-IDF: what is spelled alike is learned from names, not from text
  const trained = contextWeights(model).filter((name) => name !== "ngrams.weight");
  return { model, loss: lossName, sample, weights: trained };
}
