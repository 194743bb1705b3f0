/**
 * Training on pairs, as a graph: encoders, NT-Xent over anchors, positives and hard negatives, and the type head
 * (Chen, Varoquaux and Suchanek, 2024, "Learning High-Quality and General-Purpose Phrase Representations",
 * section 3): loss = NT-Xent + CE(type | anchor) + CE(type | positive).
 */
import { phraseVector, typeHead } from "../encoder/assemble.js";
import {
  createNet,
  crossEntropy,
  fromSeed,
  linear,
  type Net,
  ntXent,
  number,
  type WeightSource,
} from "../nn/index.js";
import {
  constantsToInitializers,
  copyModel,
  fuseGelu,
  fuseLayerNorm,
  GraphBuilder,
  type Model,
  prune,
  untieInitializers,
  upgradeOpset,
} from "../onnx/index.js";
import { contrastiveBatch, type ReadPhrases } from "./contrastive-batch.js";
import { addDropout } from "./dropout.js";
import type { TrainingProgram } from "./program.js";

/** The loss and its parts, as the program names its outputs. */
export const lossNames = {
  total: "training_loss",
  contrastive: "nt_xent",
  phrase: "nt_xent_phrase",
  characters: "nt_xent_characters",
  type: "type_loss",
} as const;

/**
 * An encoder in the form that trains fastest: LayerNorm and GELU as one operator each, weights that share one
 * initializer apart. Names and layouts of weights stay.
 */
export function prepareForTraining(model: Model): Model {
  const upgraded = upgradeOpset(model);
  const constants = upgraded.graph.nodes.flatMap(({ op, outputs }) => (op === "Constant" ? outputs : []));
  const fused = fuseGelu(fuseLayerNorm(untieInitializers(constantsToInitializers(upgraded))));
  return fixConstants(fused, constants);
}

/** Tables that the exporter wrote as Constant nodes are no weights: they become such nodes again. */
function fixConstants(model: Model, names: readonly string[]): Model {
  const copy = copyModel(model);
  const { initializers, nodes } = copy.graph;
  for (const name of names) {
    const value = initializers.get(name);
    if (value?.type !== "float32" || value.data.length < 2) continue;
    initializers.delete(name);
    const attributes = { value: { type: "tensor", value } as const };
    nodes.unshift({ name, op: "Constant", domain: "", inputs: [], outputs: [name], attributes });
  }
  return copy;
}

/** NT-Xent of each encoder's vectors alone, added to that of both together. */
export interface PartLosses {
  /** Widths of the parts of the phrase's vector. */
  readonly widths: readonly [phrase: number, characters: number];
  /** Factors of their losses. */
  readonly weights: readonly [phrase: number, characters: number];
}

export interface PairProgramOptions {
  /** Some phrases of different lengths as the model reads them: eight, for the sample batch. */
  readonly sample: ReadPhrases;
  readonly temperature: number;
  /** Length of the phrase's vector. */
  readonly width: number;
  /** Number of phrase types; 0: no type head. */
  readonly types: number;
  /** Factor of the type loss; default 1. */
  readonly typeWeight?: number;
  readonly negatives: "used" | "none";
  /** Default: PEARL's, none. */
  readonly parts?: PartLosses;
  /** Share of what is dropped in the transformer; default 0. */
  readonly dropout?: number;
  /** Of the type head's first weights, where the encoder has none. */
  readonly seed: number;
}

/**
 * Adds losses to an assembled encoder that {@link prepareForTraining} made ready.
 * Inputs beside the encoder's: `sizes` int64 (anchors, positives, and hard negatives where used), `groups`
 * int32 [rows], with types `typed_rows`, `type_labels` int64 [n] and `type_weight`, a float, and with dropout
 * `dropout_seed` int64 [1].
 */
export function pairProgram(encoder: Model, options: PairProgramOptions): TrainingProgram {
  const { temperature, types, negatives, seed, dropout = 0, parts } = options;
  const plain = copyModel(encoder);
  plain.graph.outputs = [{ name: phraseVector }];
  prune(plain.graph);
  const { model } = addDropout(plain, { ratio: dropout, end: phraseVector });
  model.graph.outputs = [];
  const net = createNet(fromSeed(seed), new GraphBuilder(model));
  const { g } = net;
  const sizes = g.input("sizes", "int64", ["parts"]);
  const groups = g.input("groups", "int32", ["rows"]);
  const losses: { name: string; weight: number }[] = [];
  const contrast = (name: string, vectors: string, weight: number) => {
    const count = negatives === "used" ? 3 : 2;
    const [anchors, positives, hardNegatives] = g.addMany("Split", [vectors, sizes], count, { axis: 0 });
    g.output(name, ntXent(net, { anchors, positives, hardNegatives, groups }, { temperature }));
    losses.push({ name, weight });
  };
  contrast(lossNames.contrastive, phraseVector, 1);
  if (parts) {
    const [phrase, characters] = g.addMany("Split", [phraseVector, g.ints(...parts.widths)], 2, { axis: 1 });
    if (parts.weights[0] > 0) contrast(lossNames.phrase, phrase, parts.weights[0]);
    if (parts.weights[1] > 0) contrast(lossNames.characters, characters, parts.weights[1]);
  }
  if (types > 0) {
    const source = weightsFrom(encoder, net.weights);
    g.output(lossNames.type, typeLoss({ g, weights: source }, { types, width: options.width }));
    losses.push({ name: lossNames.type, weight: options.typeWeight ?? 1 });
  }
  g.output(lossNames.total, weightedSum(net, losses));
  const used = new Set(model.graph.nodes.flatMap(({ inputs }) => inputs));
  model.graph.inputs = model.graph.inputs.filter(({ name }) => used.has(name));
  const names = losses.map(({ name }) => name);
  return { model, loss: lossNames.total, parts: names, cut: phraseVector, sample: sampleOf(model, options) };
}

function weightedSum(net: Net, losses: readonly { name: string; weight: number }[]): string {
  const terms = losses.map(({ name, weight }) =>
    weight === 1 ? name : net.g.add("Mul", [name, number(net, weight)]),
  );
  return terms.reduce((sum, term) => net.g.add("Add", [sum, term]));
}

/** The weights that a model has, and new ones where it has none. */
const weightsFrom =
  ({ graph }: Model, otherwise: WeightSource): WeightSource =>
  (name, dims, initialiser) => {
    const found = graph.initializers.get(name);
    return found && String(found.dims) === String(dims) ? found : otherwise(name, dims, initialiser);
  };

/** CE over anchors plus CE over positives; both halves are equally long, so it is twice the mean of all. */
function typeLoss(net: Net, { types, width }: { types: number; width: number }): string {
  const { g } = net;
  const rows = g.input("typed_rows", "int64", ["typed"]);
  const labels = g.input("type_labels", "int64", ["typed"]);
  const weight = g.input("type_weight", "float32", []);
  const typed = g.add("Gather", [phraseVector, rows]);
  const logits = linear(net, typed, { name: typeHead, inputs: width, outputs: types });
  const mean = crossEntropy(net, { logits, labels }, { classes: types });
  return g.add("Mul", [g.add("Mul", [mean, number(net, 2)]), weight]);
}

/** Three pairs and two hard negatives. */
function sampleOf(model: Model, { sample, types, negatives }: PairProgramOptions) {
  const inputNames = new Set(model.graph.inputs.map(({ name }) => name));
  const rows = {
    anchors: [0, 1, 2],
    positives: [3, 4, 5],
    negatives: negatives === "used" ? [6, 7] : [],
    types: [0, types - 1, -1],
  };
  const whole = { cells: Number.POSITIVE_INFINITY, overhead: Number.POSITIVE_INFINITY };
  return contrastiveBatch(rows, sample, { ...whole, negatives, types, inputNames, seed: 1 }).feeds;
}
