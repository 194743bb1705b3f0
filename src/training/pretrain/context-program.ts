/**
 * Phrase in context, as a graph: the meaning of a span against an encoding of the words around it, both ways.
 * The context has an encoder and a word table of its own, as QuickThoughts has (Logeswaran and Lee, 2018), which
 * are thrown away after training.
 */
import {
  contrastBothWays,
  createNet,
  gelu,
  l2Normalise,
  linear,
  type Net,
  normal,
  number,
  reduce,
  type WeightSource,
  weight,
  zeros,
} from "../../nn/index.js";
import { declareWordInputs, type WordEncoderSizes, wordEncoder } from "../../nn/words/index.js";
import { type Model, prune, typeCode } from "../../onnx/index.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingProgram } from "../program.js";
import { CONTEXT, contextRows } from "./spans.js";

/** Prefix of the weights that are used in training alone. */
export const contextPrefix = "context.";

/** Width of the context's hidden layer. */
const HIDDEN = 384;
/** The factor of cosines is learned; it starts here. */
const FIRST_SCALE = 12;

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

/** What a program with contexts trains: every float that is no constant. */
export const contextWeights = ({ graph }: Model): string[] =>
  [...graph.initializers].flatMap(([name, { type, data }]) =>
    type === "float32" && (data.length > 1 || name === scaleName) ? [name] : [],
  );

/** A weighted bag of all words, and the nearest ones in order through one hidden layer: [spans, meaning]. */
export function contextEncoder(net: Net, sizes: WordEncoderSizes): string {
  const { vectors, meaning } = sizes;
  const { g } = net;
  const bagIds = g.input("context_bag", "int32", ["spans", CONTEXT.words]);
  const nearIds = g.input("context_near", "int32", ["spans", CONTEXT.near]);
  const rows = contextRows(sizes.contextWords ?? sizes.vocabulary);
  const table = weight(net, `${contextPrefix}vectors`, [rows, vectors], normal(0.05));
  const wordWeights = weight(net, `${contextPrefix}weights`, [rows, 1], zeros);
  const isWord = g.add("Cast", [g.add("Greater", [bagIds, g.scalar("int32", 0)])], {
    to: typeCode("float32"),
  });
  const shares = g.add("Mul", [
    g.add("Softplus", [g.add("Gather", [wordWeights, bagIds])]),
    g.add("Unsqueeze", [isWord, g.ints(2)]),
  ]);
  const weighted = g.add("Mul", [g.add("Gather", [table, bagIds]), shares]);
  const bag = l2Normalise(net, reduce(net, "ReduceSum", weighted, { axes: [1] }));
  const near = g.add("Reshape", [g.add("Gather", [table, nearIds]), g.ints(-1, CONTEXT.near * vectors)]);
  const seen = g.add("Concat", [g.add("Mul", [bag, number(net, 6)]), near], { axis: 1 });
  const dense = (x: string, name: string, inputs: number, outputs: number, gain: number) =>
    linear(net, x, {
      ...{ name: `${contextPrefix}${name}`, inputs, outputs },
      initialiser: normal(gain / Math.sqrt(inputs)),
    });
  const hidden = gelu(net, dense(seen, "hidden", (1 + CONTEXT.near) * vectors, HIDDEN, 1));
  const both = g.add("Add", [
    dense(hidden, "out", HIDDEN, meaning, 1),
    dense(bag, "bag", vectors, meaning, 4),
  ]);
  return l2Normalise(net, both);
}

const scaleName = `${contextPrefix}scale`;

/** The contrast of spans and their contexts, cosines times a learned scale. @returns a scalar */
export function contextContrast(
  net: Net,
  { spans, contexts, groups }: { spans: string; contexts: string; groups: string },
): string {
  const scale = net.g.add("Exp", [weight(net, scaleName, [1, 1], () => Math.log(FIRST_SCALE))]);
  return contrastBothWays(net, { anchors: spans, positives: contexts, groups }, scale);
}
