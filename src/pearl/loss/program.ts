/**
 * PEARL's training as a graph: an encoder and its loss (Chen, Varoquaux and Suchanek, 2024, "Learning High-Quality
 * and General-Purpose Phrase Representations", section 3): NT-Xent + CE(type | anchor) + CE(type | positive).
 */
import type { VectorLayout } from "../../architectures/architecture.js";
import { phraseVector } from "../../architectures/compose.js";
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
import type { MethodSettings } from "../method.js";
import { contrastiveLoss } from "./contrastive-loss.js";
import { type BatchRows, splitRows } from "./rows.js";
import { typeLoss } from "./type-loss.js";

/** The loss and its terms, as the program names its outputs. */
export const lossNames = {
  total: "training_loss",
  contrastive: "nt_xent",
  phrase: "nt_xent_phrase",
  characters: "nt_xent_characters",
  type: "type_loss",
  prefix: "nt_xent_prefix",
} as const;

/** A term added to PEARL's. */
export interface FurtherTerm {
  readonly name: string;
  readonly weight: number;
  /** Adds the term to the graph; returns the name of a scalar. */
  add(net: Net, rows: BatchRows): string;
  /** For a term with its own rows after the pairs: their indices in the sample, and the term's inputs. */
  readonly sample?: { readonly rows: readonly number[]; readonly feeds: Feeds };
  /** First values of the weights that the term adds. Default: from the seed. */
  readonly weights?: WeightSource;
  /** Names of the weights to train. Default: the engine's choice. */
  readonly trained?: (model: Model) => string[];
}

/** Terms beyond PEARL's; default: left out. */
type FurtherLosses = Partial<Pick<MethodSettings, "partLosses" | "prefixLoss" | "furtherContrast">>;

export interface PairProgramOptions extends FurtherLosses {
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
  /** At most one of them may have its own rows, and only without hard negatives. */
  readonly terms?: readonly FurtherTerm[];
  /** "own": a part's loss sees only its own pairs, inputs `phrase_rows` and `characters_rows`. Default "all". */
  readonly rows?: "all" | "own";
  readonly dropout?: number;
  /** Seed of the type head's first weights, where the encoder has none. */
  readonly seed: number;
}

/**
 * Adds the losses to an encoder from {@link prepareForTraining}.
 * Inputs in addition to the encoder's: `sizes` int64 (anchors, positives, and the rows behind them), `groups` int32 [rows];
 * with types `typed_rows`, `type_labels` int64 [n] and `type_weight`, a float; with dropout `dropout_seed` int64 [1];
 * with `rows: "own"` `phrase_rows` and `characters_rows` int64 [n]; and those of further terms.
 */
export function pairProgram(encoder: Model, options: PairProgramOptions): TrainingProgram {
  const { seed, dropout = 0, terms: further = [] } = options;
  const plain = copyModel(encoder);
  plain.graph.outputs = [{ name: phraseVector }];
  prune(plain.graph);
  const { model } = addDropout(plain, { ratio: dropout, end: phraseVector });
  model.graph.outputs = [];
  const own = further.find(({ sample }) => sample);
  const weights = further.find((term) => term.weights)?.weights ?? fromSeed(seed);
  const net = createNet(weightsFrom(encoder, weights), new GraphBuilder(model));
  const terms = termsOf(net, splitRows(net, options.negatives === "used" || own !== undefined), options);
  net.g.output(lossNames.total, weightedSum(net, terms));
  const used = new Set(model.graph.nodes.flatMap(({ inputs }) => inputs));
  model.graph.inputs = model.graph.inputs.filter(({ name }) => used.has(name));
  const trained = further.find((term) => term.trained)?.trained;
  return {
    ...{ model, loss: lossNames.total, parts: terms.map(({ name }) => name), cut: phraseVector },
    sample: sampleOf(model, options, own?.sample),
    ...(trained && { weights: trained(model) }),
  };
}

interface Term {
  readonly name: string;
  readonly weight: number;
}

function termsOf(net: Net, rows: BatchRows, options: PairProgramOptions): Term[] {
  const { temperature, negatives, layout = {}, types, typeWeight = 1, prefixLoss = 0 } = options;
  const terms: Term[] = [];
  const add = (name: string, weight: number, value: string) => {
    net.g.output(name, value);
    terms.push({ name, weight });
  };
  const embedding = layout.embedding ?? "all";
  add(lossNames.contrastive, 1, contrastiveLoss(net, rows, { columns: [embedding], temperature, negatives }));
  const common = { temperature, negatives, compare: options.furtherContrast };
  if (layout.prefix && prefixLoss > 0)
    add(lossNames.prefix, prefixLoss, contrastiveLoss(net, rows, { ...common, columns: layout.prefix }));
  for (const part of ["phrase", "characters"] as const) {
    const weight = options.partLosses?.[part] ?? 0;
    if (weight <= 0 || !layout.parts) continue;
    const columns = [layout.parts[part]];
    const own = options.rows === "own" ? part : undefined;
    add(lossNames[part], weight, contrastiveLoss(net, rows, { ...common, columns, part: own }));
  }
  if (types > 0) add(lossNames.type, typeWeight, typeLoss(net, options));
  for (const term of options.terms ?? []) add(term.name, term.weight, term.add(net, rows));
  return terms;
}

function weightedSum(net: Net, terms: readonly Term[]): string {
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

/** Three pairs, and behind them two hard negatives or a further term's rows. */
function sampleOf(
  model: Model,
  { sample, types, negatives, rows }: PairProgramOptions,
  own: FurtherTerm["sample"],
): Feeds {
  const inputNames = new Set(model.graph.inputs.map(({ name }) => name));
  const all = {
    anchors: [0, 1, 2],
    positives: [3, 4, 5],
    ...(negatives === "used" && { negatives: [6, 7] }),
    types: [0, types - 1, -1],
    ...(rows === "own" && { phraseRows: [0, 1], charactersRows: [1, 2] }),
    ...(own && { spans: own }),
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
