/**
 * PEARL's training as a graph: an encoder and its loss (Chen, Varoquaux and Suchanek, 2024, "Learning High-Quality
 * and General-Purpose Phrase Representations", section 3): NT-Xent + CE(type | anchor) + CE(type | positive).
 */
import type { Columns, VectorLayout } from "../../architectures/architecture.js";
import { phraseVector } from "../../architectures/compose.js";
import { typeLogits } from "../../architectures/type-head.js";
import { crossEntropy, ntXent } from "../../nn/losses.js";
import { createNet, fromSeed, type Net, number, type WeightSource } from "../../nn/net.js";
import { GraphBuilder } from "../../onnx/builder.js";
import { constantsToInitializers, prune, untieInitializers } from "../../onnx/graph.js";
import { copyModel, type Model } from "../../onnx/model.js";
import { addDropout } from "../../onnx/rewrite/dropout.js";
import { fuseOperators } from "../../onnx/rewrite/fuse.js";
import { upgradeOpset } from "../../onnx/rewrite/upgrade.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingProgram } from "../../training/program.js";
import { contrastiveBatch, type ReadPhrases } from "../contrastive-batch.js";

/** The loss and its terms, as the program names its outputs. */
export const lossNames = {
  total: "training_loss",
  contrastive: "nt_xent",
  type: "type_loss",
} as const;

/** A term of the loss. */
export interface LossTerm {
  readonly name: string;
  readonly weight: number;
  /** Adds the term to the graph; returns the name of a scalar. */
  add(net: Net, rows: BatchRows): string;
  /** For a term with inputs of its own: their values in the sample; `rows`: indices of its own rows after the pairs. */
  readonly sample?: { readonly rows?: readonly number[]; readonly feeds: Feeds };
  /** First values of the weights that the term adds. Default: from the seed. */
  readonly weights?: WeightSource;
  /** Names of the weights to train. Default: the engine's choice. */
  readonly trained?: (model: Model) => string[];
}

export interface PairProgramOptions {
  /** Eight phrases of different lengths as the model reads them, for the sample batch. */
  readonly sample: ReadPhrases;
  readonly temperature: number;
  readonly width: number;
  /** Number of phrase types; 0: no type head. */
  readonly types: number;
  readonly typeWeight?: number;
  readonly negatives: "used" | "none";
  /** Default: one part, an embedding. */
  readonly layout?: VectorLayout;
  /**
   * The terms of the loss, made of PEARL's; default: PEARL's. At most one may have its own rows, and only without hard
   * negatives.
   */
  readonly terms?: (pearl: readonly LossTerm[]) => readonly LossTerm[];
  readonly dropout?: number;
  /** Seed of the type head's first weights, where the encoder has none. */
  readonly seed: number;
}

/**
 * Adds the losses to an encoder from {@link prepareForTraining}.
 * Inputs in addition to the encoder's: `sizes` int64 (anchors, positives, and the rows behind them), `groups` int32 [rows];
 * with types `typed_rows`, `type_labels` int64 [n] and `type_weight`, a float; with dropout `dropout_seed` int64 [1];
 * and those of further terms.
 */
export function pairProgram(encoder: Model, options: PairProgramOptions): TrainingProgram {
  const { seed, dropout = 0, terms: arrange = (pearl) => pearl } = options;
  const terms = arrange(pearlTerms(options));
  const plain = copyModel(encoder);
  plain.graph.outputs = [{ name: phraseVector }];
  prune(plain.graph);
  const { model } = addDropout(plain, { ratio: dropout, end: phraseVector });
  model.graph.outputs = [];
  const hasOwnRows = terms.some(({ sample }) => sample?.rows);
  const weights = terms.find((term) => term.weights)?.weights ?? fromSeed(seed);
  const net = createNet(weightsFrom(encoder, weights), new GraphBuilder(model));
  const rows = splitRows(net, options.negatives === "used" || hasOwnRows);
  for (const { name, add } of terms) net.g.output(name, add(net, rows));
  net.g.output(lossNames.total, weightedSum(net, terms));
  const used = new Set(model.graph.nodes.flatMap(({ inputs }) => inputs));
  model.graph.inputs = model.graph.inputs.filter(({ name }) => used.has(name));
  const trained = terms.find((term) => term.trained)?.trained;
  return {
    ...{ model, loss: lossNames.total, parts: terms.map(({ name }) => name), cut: phraseVector },
    sample: sampleOf(model, options, terms),
    hasFewShapes: options.sample.bucketShapes,
    ...(trained && { weights: trained(model) }),
  };
}

/** The contrastive loss, and the loss of phrase types where they are learned. */
function pearlTerms(options: PairProgramOptions): LossTerm[] {
  const { temperature, negatives, layout = {}, types, typeWeight = 1 } = options;
  const contrast: ContrastOptions = { columns: [layout.embedding ?? "all"], temperature, negatives };
  const terms: LossTerm[] = [
    { name: lossNames.contrastive, weight: 1, add: (net, rows) => contrastiveLoss(net, rows, contrast) },
  ];
  if (types > 0)
    terms.push({ name: lossNames.type, weight: typeWeight, add: (net) => typeLoss(net, options) });
  return terms;
}

function weightedSum(net: Net, terms: readonly LossTerm[]): string {
  return terms
    .map(({ name, weight }) => (weight === 1 ? name : net.g.add("Mul", [name, number(net, weight)])))
    .reduce((sum, term) => net.g.add("Add", [sum, term]));
}

const weightsFrom =
  ({ graph }: Model, otherwise: WeightSource): WeightSource =>
  (name, dims, initialiser) => {
    const found = graph.initializers.get(name);
    return found && String(found.dims) === String(dims) ? found : otherwise(name, dims, initialiser);
  };

/** Three pairs, and behind them three hard negatives or a further term's rows. */
function sampleOf(
  model: Model,
  { sample, types, negatives }: PairProgramOptions,
  terms: readonly LossTerm[],
): Feeds {
  const inputNames = new Set(model.graph.inputs.map(({ name }) => name));
  const all = {
    anchors: [0, 1, 2],
    positives: [3, 4, 5],
    ...(negatives === "used" && { negatives: [6, 7, 0] }),
    types: [0, types - 1, -1],
    further: {
      rows: terms.find((term) => term.sample?.rows)?.sample?.rows,
      feeds: Object.assign({}, ...terms.map((term) => term.sample?.feeds)),
    },
  };
  const whole = { cells: Number.POSITIVE_INFINITY, overhead: Number.POSITIVE_INFINITY };
  return contrastiveBatch(all, sample, { ...whole, types, inputNames, seed: 1 }).feeds;
}

/**
 * Rewrites an encoder's graph so that it trains faster: LayerNorm and GELU become one operator each, weights that share
 * an initializer get one each. Names and layouts of weights stay.
 */
export function prepareForTraining(model: Model): Model {
  const upgraded = upgradeOpset(model);
  const constants = upgraded.graph.nodes.flatMap(({ op, outputs }) => (op === "Constant" ? outputs : []));
  const fused = fuseOperators(untieInitializers(constantsToInitializers(upgraded)));
  return fixConstants(fused, constants);
}

/** Tables that the exporter wrote as Constant nodes are not weights: they become Constant nodes again. */
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

// The terms of PEARL's loss (section 3), and the rows of a batch that they read: anchors, positives, and what follows them.

/** Names of the graph's values. */
export interface BatchRows {
  /** [pairs, dimension], as are the positives. */
  readonly anchors: string;
  readonly positives: string;
  /** Rows behind the pairs, [rows, dimension]: hard negatives or a further term's own; absent where there are none. */
  readonly third: string | undefined;
  /** int64 [2]: numbers of anchors and positives; three with a third part. */
  readonly sizes: string;
  /** int32 [rows]: rows with the same number are not negatives of each other. */
  readonly groups: string;
}

/** Declares the inputs `sizes` and `groups`, and splits the encoder's output. */
function splitRows({ g }: Net, hasThird: boolean): BatchRows {
  const sizes = g.input("sizes", "int64", ["parts"]);
  const groups = g.input("groups", "int32", ["rows"]);
  const split = g.addMany("Split", [phraseVector, sizes], hasThird ? 3 : 2, { axis: 0 });
  const [anchors, positives, third] = split;
  return { anchors, positives, third, sizes, groups };
}

/** Some columns of [rows, dimension] side by side. */
export function columnsOf(net: Net, values: string, columns: readonly (Columns | "all")[]): string {
  const { g } = net;
  const cut = columns.map((range) =>
    range === "all" ? values : g.add("Slice", [values, g.ints(range[0]), g.ints(range[1]), g.ints(1)]),
  );
  return cut.length === 1 ? cut[0] : g.add("Concat", cut, { axis: 1 });
}

interface ContrastOptions {
  readonly columns: readonly (Columns | "all")[];
  readonly temperature: number;
  readonly negatives: "used" | "none";
}

/** The contrastive loss (PEARL, section 3): NT-Xent over anchors, positives and hard negatives, of all columns or some. */
export function contrastiveLoss(net: Net, rows: BatchRows, options: ContrastOptions): string {
  const { columns, temperature, negatives } = options;
  const pick = (values: string) => columnsOf(net, values, columns);
  const pairs = { anchors: pick(rows.anchors), positives: pick(rows.positives) };
  const hardNegatives = negatives === "used" && rows.third ? pick(rows.third) : undefined;
  return ntXent(net, { ...pairs, hardNegatives, groups: rows.groups }, { temperature });
}

/**
 * The loss of phrase types (PEARL, section 3), the cross-entropy of the anchor's type plus that of the positive's: twice the
 * mean over all, as their numbers are equal.
 */
function typeLoss(
  net: Net,
  { types, width, layout }: { types: number; width: number; layout?: VectorLayout },
): string {
  const { g } = net;
  const rows = g.input("typed_rows", "int64", ["typed"]);
  const labels = g.input("type_labels", "int64", ["typed"]);
  const weight = g.input("type_weight", "float32", []);
  const typed = g.add("Gather", [phraseVector, rows]);
  const entropy = layout?.logits
    ? factoredEntropy(net, { typed, labels, logits: layout.logits })
    : crossEntropy(net, { logits: typeLogits(net, typed, { width, types }), labels });
  return g.add("Mul", [g.add("Mul", [entropy, number(net, 2)]), weight]);
}

/** A label is class × entity types + entity type; its log-probability is the sum of both. */
function factoredEntropy(
  net: Net,
  { typed, labels, logits }: { typed: string; labels: string } & Required<Pick<VectorLayout, "logits">>,
): string {
  const { g } = net;
  const among = g.scalar("int64", logits.types[1] - logits.types[0]);
  const of = (range: Columns, own: string) =>
    crossEntropy(net, { logits: columnsOf(net, typed, [range]), labels: own });
  return g.add("Add", [
    of(logits.types, g.add("Mod", [labels, among])),
    of(logits.classes, g.add("Div", [labels, among])),
  ]);
}
