/**
 * Training on pairs, as a graph: encoder, pooling, NT-Xent over anchors, positives and hard negatives, and the
 * type head (Chen, Varoquaux and Suchanek, 2024, "Learning High-Quality and General-Purpose Phrase
 * Representations", section 3): loss = NT-Xent + CE(type | anchor) + CE(type | positive).
 */
import type { Featurizer } from "../encoder/features.js";
import type { ModelFolder } from "../encoder/model-folder.js";
import { ModelError } from "../errors.js";
import {
  createNet,
  crossEntropy,
  firstToken,
  fromSeed,
  linear,
  maxPooling,
  meanPooling,
  type Net,
  ntXent,
  number,
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
import type { Feeds } from "../runtime/tensor.js";
import type { TrainingProgram } from "./program.js";

/** The loss and its parts, as the program names its outputs. */
export const lossNames = { total: "training_loss", contrastive: "nt_xent", type: "type_loss" } as const;

/** Prefix of the type head's weights, `weight` [types, width] and `bias` [types]. */
export const typeHead = "type_head";

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

export interface PairProgramOptions {
  readonly folder: ModelFolder;
  /** The graph's output that vectors come from. */
  readonly output: string;
  readonly featurizers: readonly Featurizer[];
  readonly temperature: number;
  /** Number of phrase types; 0: no type head. */
  readonly types: number;
  readonly negatives: "used" | "none";
  /** Of the type head's first weights. */
  readonly seed: number;
}

/**
 * Adds pooling and losses to an encoder that {@link prepareForTraining} made ready.
 * Inputs beside the encoder's: `sizes` int64 (anchors, positives, and hard negatives where used), `groups`
 * int32 [rows], and with types `typed_rows`, `type_labels` int64 [n] and `type_weight`, a float.
 */
export function pairProgram(encoder: Model, options: PairProgramOptions): TrainingProgram {
  const model = copyModel(encoder);
  const { output, temperature, types, negatives, seed } = options;
  const declared = model.graph.outputs.find(({ name }) => name === output);
  model.graph.outputs = [];
  const net = createNet(fromSeed(seed), new GraphBuilder(model));
  const { g } = net;
  const cut = pooled(net, output, declared?.shape?.length, options);
  const sizes = g.input("sizes", "int64", ["parts"]);
  const groups = g.input("groups", "int32", ["rows"]);
  const count = negatives === "used" ? 3 : 2;
  const [anchors, positives, hardNegatives] = g.addMany("Split", [cut, sizes], count, { axis: 0 });
  const contrastive = ntXent(net, { anchors, positives, hardNegatives, groups }, { temperature });
  g.output(lossNames.contrastive, contrastive);
  const parts: string[] = [lossNames.contrastive];
  if (types === 0) g.output(lossNames.total, contrastive);
  else {
    const width = widthOf(options.folder, declared?.shape?.at(-1));
    g.output(lossNames.type, typeLoss(net, cut, { types, width }));
    g.output(lossNames.total, g.add("Add", [contrastive, lossNames.type]));
    parts.push(lossNames.type);
  }
  prune(model.graph);
  const used = new Set(model.graph.nodes.flatMap(({ inputs }) => inputs));
  model.graph.inputs = model.graph.inputs.filter(({ name }) => used.has(name));
  return { model, loss: lossNames.total, parts, cut, sample: sampleOf(model, options) };
}

/** One vector per phrase, [rows, width]. */
function pooled(net: Net, output: string, rank: number | undefined, { folder }: PairProgramOptions): string {
  if (rank === 2) return output;
  if (folder.pooling === "cls") return firstToken(net, output);
  const { g } = net;
  const name = "attention_mask";
  const known = g.graph.inputs.some((input) => input.name === name);
  const mask = known ? name : g.input(name, "int64", ["rows", "length"]);
  return (folder.pooling === "max" ? maxPooling : meanPooling)(net, { hidden: output, mask });
}

function widthOf(folder: ModelFolder, declared: unknown): number {
  const width = typeof declared === "number" ? declared : folder.dimension;
  if (width === undefined)
    throw new ModelError(`${folder.path}/config.json: hidden_size is missing, which a type head needs`);
  return width;
}

/** CE over anchors plus CE over positives; both halves are equally long, so it is twice the mean of all. */
function typeLoss(net: Net, cut: string, { types, width }: { types: number; width: number }): string {
  const { g } = net;
  const rows = g.input("typed_rows", "int64", ["typed"]);
  const labels = g.input("type_labels", "int64", ["typed"]);
  const weight = g.input("type_weight", "float32", []);
  const logits = linear(net, g.add("Gather", [cut, rows]), { name: typeHead, inputs: width, outputs: types });
  const mean = crossEntropy(net, { logits, labels }, { classes: types });
  return g.add("Mul", [g.add("Mul", [mean, number(net, 2)]), weight]);
}

/** For the sample: words and phrases of sizes that differ from each other and from the number of phrases. */
const sampleWords = ["a", "bc", "def", "ghij", "klmnopqrstu", "vwx yz", "ab cde fgh", "ij klm nop q"];

/** Three pairs and two hard negatives, tokens padded to five at least. */
function sampleOf(model: Model, { featurizers, types, negatives }: PairProgramOptions): Feeds {
  const rows = negatives === "used" ? 8 : 6;
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  const feeds: Feeds = {
    sizes: {
      type: "int64",
      dims: [rows === 8 ? 3 : 2],
      data: BigInt64Array.of(3n, 3n, 2n).slice(0, rows === 8 ? 3 : 2),
    },
    groups: { type: "int32", dims: [rows], data: order },
  };
  if (types > 0) {
    const zeros = { type: "int64", dims: [4], data: new BigInt64Array(4) } as const;
    Object.assign(feeds, { typed_rows: zeros, type_labels: zeros });
    feeds.type_weight = { type: "float32", dims: [], data: Float32Array.of(1) };
  }
  for (const featurizer of featurizers) {
    const read = featurizer.read(sampleWords.slice(-rows)).rows;
    const length = read.starts.slice(1).reduce((most, end, i) => Math.max(most, end - read.starts[i]), 5);
    featurizer.fill(read, order, length === rows ? length + 1 : length, feeds);
  }
  const names = new Set(model.graph.inputs.map(({ name }) => name));
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)));
}
