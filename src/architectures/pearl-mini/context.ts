/**
 * Phrase in context, as a graph: the meaning of a span against an encoding of the words around it, both ways. As in
 * QuickThoughts (Logeswaran and Lee, 2018), contexts have their own encoder and word table, which only training uses.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { normal, zeros } from "../../nn/initialise.js";
import { gelu, linear } from "../../nn/layers.js";
import { contrastBothWays } from "../../nn/losses.js";
import { type Net, number, reduce, type WeightSource, weight } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import { readSafetensors, writeSafetensors } from "../../onnx/io/safetensors.js";
import type { Model } from "../../onnx/model.js";
import { elementCount, type Tensor } from "../../onnx/tensor.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { ContextLoss } from "../architecture.js";
import { CONTEXT, contextRows } from "../contexts.js";
import type { WordEncoderSizes } from "./sizes.js";

/** Prefix of the weights that only training uses; a pretrained model keeps them in a separate file. */
export const contextPrefix = "context.";
const FILE = "context.safetensors";

const HIDDEN = 384;
/** The factor of cosines is learned; it starts here. */
const FIRST_SCALE = 12;

/** Weights that a program with contexts trains: every float except constants. */
export const contextWeights = ({ graph }: Model): string[] =>
  [...graph.initializers].flatMap(([name, { type, data }]) =>
    type === "float32" && (data.length > 1 || name === scaleName) ? [name] : [],
  );

/** A weighted bag of all words, and the nearest ones in order through one hidden layer: [spans, meaning]. */
function contextEncoder(net: Net, sizes: WordEncoderSizes): string {
  const { vectors, meaning } = sizes;
  const { g } = net;
  const bagIds = g.input("context_bag", "int32", ["spans", CONTEXT.words]);
  const nearIds = g.input("context_near", "int32", ["spans", CONTEXT.near]);
  const rows = contextRows(sizes.contextWords ?? sizes.vocabulary);
  const table = weight(net, `${contextPrefix}vectors`, [rows, vectors], normal(0.05));
  const wordWeights = weight(net, `${contextPrefix}weights`, [rows, 1], zeros);
  const isWord = g.cast(g.add("Greater", [bagIds, g.scalar("int32", 0)]), "float32");
  const weights = g.add("Mul", [
    g.add("Softplus", [g.add("Gather", [wordWeights, bagIds])]),
    g.add("Unsqueeze", [isWord, g.ints(2)]),
  ]);
  const weighted = g.add("Mul", [g.add("Gather", [table, bagIds]), weights]);
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

export const contextLoss = (sizes: WordEncoderSizes, weights: WeightSource): ContextLoss => ({
  weights,
  sample: sampleContexts(),
  trained: contextWeights,
  add(net, spans) {
    const groups = net.g.input("span_groups", "int32", ["spans"]);
    const positives = contextEncoder(net, sizes);
    const scale = net.g.add("Exp", [weight(net, scaleName, [1, 1], () => Math.log(FIRST_SCALE))]);
    return contrastBothWays(net, { anchors: spans, positives, groups }, scale);
  },
});

/** Contexts of five spans as methods/pretrain/context-batches.ts reads them from text. */
function sampleContexts(): Feeds {
  const numbers = (...dims: number[]) => {
    const data = Int32Array.from({ length: elementCount(dims) }, (_, i) => 1 + (i % 7));
    return { type: "int32", dims, data } as const;
  };
  return {
    context_bag: numbers(5, CONTEXT.words),
    context_near: numbers(5, CONTEXT.near),
    span_groups: numbers(5),
  };
}

export function writeContext(folder: string, weights: ReadonlyMap<string, Tensor>): void {
  const own = [...weights].filter(([name]) => name.startsWith(contextPrefix));
  if (own.length > 0) writeSafetensors(join(folder, FILE), new Map(own));
}

/** Weights by name; none where the folder has no such file. @throws ModelError for a broken file */
export function readContext(folder: string): ReadonlyMap<string, Tensor> {
  const path = join(folder, FILE);
  return existsSync(path) ? readSafetensors(path) : new Map();
}
