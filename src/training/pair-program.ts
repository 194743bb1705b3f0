/**
 * Training on pairs, as a graph: encoders, NT-Xent over anchors, positives and hard negatives, and the type head
 * (Chen, Varoquaux and Suchanek, 2024, "Learning High-Quality and General-Purpose Phrase Representations",
 * section 3): loss = NT-Xent + CE(type | anchor) + CE(type | positive).
 */
import { phraseVector, typeHead } from "../encoder/assemble.js";
import {
  contrastBothWays,
  createNet,
  crossEntropy,
  fromSeed,
  l2Normalise,
  linear,
  type Net,
  ntXent,
  number,
  reduce,
  type WeightSource,
} from "../nn/index.js";
import type { WordEncoderSizes } from "../nn/words/index.js";
import {
  constantsToInitializers,
  copyModel,
  fuseGelu,
  fuseLayerNorm,
  GraphBuilder,
  type Model,
  prune,
  tensor,
  typeCode,
  untieInitializers,
  upgradeOpset,
} from "../onnx/index.js";
import type { Feeds } from "../runtime/tensor.js";
import { contrastiveBatch, type ReadPhrases } from "./contrastive-batch.js";
import { addDropout } from "./dropout.js";
import { contextContrast, contextEncoder, contextWeights } from "./pretrain/context-program.js";
import { CONTEXT } from "./pretrain/spans.js";
import type { TrainingProgram } from "./program.js";

/** The loss and its parts, as the program names its outputs. */
export const lossNames = {
  total: "training_loss",
  contrastive: "nt_xent",
  phrase: "nt_xent_phrase",
  characters: "nt_xent_characters",
  type: "type_loss",
  prefix: "nt_xent_prefix",
  context: "context_loss_of_spans",
  shares: "divergence_of_shares",
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

/** Columns of the phrase's vector: from, and up to. */
export type Columns = readonly [from: number, to: number];

/** What the columns of the phrase's vector are. */
export interface VectorLayout {
  /** The embedding; default all columns. */
  readonly embedding?: Columns;
  /** Each encoder's part of it. */
  readonly parts?: { readonly phrase: Columns; readonly characters: Columns };
  /** Columns whose squared lengths are shares, which add up to 1. */
  readonly shares?: readonly Columns[];
  /** Columns that make a shorter embedding by themselves. */
  readonly prefix?: readonly Columns[];
  /** Logits of classes and entity types that the encoder computes itself; default: a head is added. */
  readonly logits?: { readonly types: Columns; readonly classes: Columns };
}

/** Factors of further losses; 0, the default, leaves one out. */
export interface FurtherLosses {
  /** NT-Xent of each part alone. */
  readonly phrase?: number;
  readonly characters?: number;
  /** NT-Xent of the shorter embedding. */
  readonly prefix?: number;
  /** Spans of text against what stands around them. */
  readonly context?: number;
  /** How far the batch's mean shares are from given ones, as their Kullback–Leibler divergence. */
  readonly shares?: {
    readonly mean: readonly number[];
    /** Those of pairs that are the phrase part's matter alone; `mean` is then that of the others. Needs `rows: "own"`. */
    readonly meanings?: readonly number[];
    readonly weight: number;
  };
  /** What the parts' and the prefix's losses compare: all rows with all, or each side with the other alone. */
  readonly further?: "all" | "between";
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
  /** Default: one part, an embedding. */
  readonly layout?: VectorLayout;
  /** Default: PEARL's, none. */
  readonly losses?: FurtherLosses;
  /** "own": a part's loss sees the pairs that are its matter alone, inputs `phrase_rows` and `characters_rows`. */
  readonly rows?: "all" | "own";
  /** Of the context's encoder, where that loss is taken: its sizes, and first weights. */
  readonly context?: { readonly sizes: WordEncoderSizes; readonly weights: WeightSource };
  /** Share of what is dropped in the transformer; default 0. */
  readonly dropout?: number;
  /** Of the type head's first weights, where the encoder has none. */
  readonly seed: number;
}

/**
 * Adds losses to an assembled encoder that {@link prepareForTraining} made ready.
 * Inputs beside the encoder's: `sizes` int64 (anchors, positives, and hard negatives or spans where used), `groups`
 * int32 [rows], with types `typed_rows`, `type_labels` int64 [n] and `type_weight`, a float, with dropout
 * `dropout_seed` int64 [1], with rows of their own `phrase_rows` and `characters_rows` int64 [n], and with
 * contexts those of pretrain/context-program.ts.
 */
export function pairProgram(encoder: Model, options: PairProgramOptions): TrainingProgram {
  const { types, seed, dropout = 0, losses = {}, layout = {} } = options;
  const plain = copyModel(encoder);
  plain.graph.outputs = [{ name: phraseVector }];
  prune(plain.graph);
  const { model } = addDropout(plain, { ratio: dropout, end: phraseVector });
  model.graph.outputs = [];
  const source = weightsFrom(encoder, options.context?.weights ?? fromSeed(seed));
  const net = createNet(source, new GraphBuilder(model));
  const terms: { name: string; weight: number }[] = [];
  const add = (name: string, value: string, weight: number) => {
    net.g.output(name, value);
    terms.push({ name, weight });
  };
  const pairs = pairsOf(net, options);
  add(lossNames.contrastive, pairs.contrast([layout.embedding ?? "all"]), 1);
  const { phrase = 0, characters = 0, prefix = 0, context = 0, shares } = losses;
  if (prefix > 0 && layout.prefix) add(lossNames.prefix, pairs.contrast(layout.prefix), prefix);
  if (phrase > 0 && layout.parts)
    add(lossNames.phrase, pairs.contrast([layout.parts.phrase], "phrase"), phrase);
  if (characters > 0 && layout.parts)
    add(lossNames.characters, pairs.contrast([layout.parts.characters], "characters"), characters);
  if (shares && shares.weight > 0 && layout.shares)
    add(lossNames.shares, pairs.divergence(layout.shares, shares), shares.weight);
  if (types > 0) add(lossNames.type, typeLoss(net, options), options.typeWeight ?? 1);
  const around = context > 0 && layout.parts && options.context && { ...layout.parts, ...options.context };
  if (around) add(lossNames.context, contextLoss(net, pairs.spans(), around), context);
  net.g.output(lossNames.total, weightedSum(net, terms));
  const used = new Set(model.graph.nodes.flatMap(({ inputs }) => inputs));
  model.graph.inputs = model.graph.inputs.filter(({ name }) => used.has(name));
  const names = terms.map(({ name }) => name);
  return {
    ...{ model, loss: lossNames.total, parts: names, cut: phraseVector, sample: sampleOf(model, options) },
    ...(around && { weights: contextWeights(model) }),
  };
}

/** The rows of a batch: pairs, and behind them hard negatives or spans. */
function pairsOf(net: Net, { temperature, negatives, losses, layout, rows = "all" }: PairProgramOptions) {
  const { g } = net;
  const sizes = g.input("sizes", "int64", ["parts"]);
  const groups = g.input("groups", "int32", ["rows"]);
  const count = negatives === "used" || (losses?.context ?? 0) > 0 ? 3 : 2;
  const split = g.addMany("Split", [phraseVector, sizes], count, { axis: 0 });
  const [anchors, positives] = split;
  const hardNegatives = negatives === "used" ? split[2] : undefined;
  const rowsOf = (part: "phrase" | "characters") => {
    const picked = inputOnce(net, `${part}_rows`, [`${part}_own`]);
    return { picked, second: g.add("Add", [picked, g.add("Gather", [sizes, g.ints(0)])]) };
  };
  const own = (part: "phrase" | "characters") => {
    const { picked, second } = rowsOf(part);
    return {
      anchors: g.add("Gather", [anchors, picked]),
      positives: g.add("Gather", [positives, picked]),
      groups: g.add("Gather", [groups, g.add("Concat", [picked, second], { axis: 0 })]),
    };
  };
  return {
    /** NT-Xent over some columns, of all pairs or of a part's own. */
    contrast(columns: readonly (Columns | "all")[], part?: "phrase" | "characters"): string {
      const inputs = part && rows === "own" ? own(part) : { anchors, positives, hardNegatives, groups };
      const pick = (values: string | undefined) => values && columnsOf(net, values, columns);
      const picked = {
        anchors: pick(inputs.anchors) as string,
        positives: pick(inputs.positives) as string,
        hardNegatives: pick("hardNegatives" in inputs ? inputs.hardNegatives : undefined),
      };
      const isMain = part === undefined && columns[0] === (layout?.embedding ?? "all");
      if (isMain || losses?.further !== "between")
        return ntXent(net, { ...picked, groups: inputs.groups }, { temperature });
      const sides = {
        anchors: l2Normalise(net, picked.anchors),
        positives: l2Normalise(net, picked.positives),
        groups: firstRows(net, inputs.groups, picked.anchors),
      };
      return contrastBothWays(net, sides, 1 / temperature);
    },
    /** Of the mean shares from those wanted. */
    divergence(parts: readonly Columns[], { mean: wanted, meanings }: Shares): string {
      const paired = g.add("Concat", [anchors, positives], { axis: 0 });
      const squares = parts.map((part) => {
        const values = columnsOf(net, paired, [part]);
        return reduce(net, "ReduceSum", g.add("Mul", [values, values]), { keepdims: 1 });
      });
      const all = g.add("Concat", squares, { axis: 1 });
      if (!meanings) return divergenceOfShares(net, meanOfRows(net, all), wanted);
      const { picked, second } = rowsOf("characters");
      const spelled = g.add("Gather", [all, g.add("Concat", [picked, second], { axis: 0 })]);
      const rest = meanOfOtherRows(net, all, spelled);
      const [first, other] = [
        divergenceOfShares(net, meanOfRows(net, spelled), wanted),
        divergenceOfShares(net, rest, meanings),
      ];
      return g.add("Mul", [g.add("Add", [first, other]), number(net, 0.5)]);
    },
    spans: () => split[2],
  };
}

/** Some columns of [rows, width] side by side. */
function columnsOf(net: Net, values: string, columns: readonly (Columns | "all")[]): string {
  const { g } = net;
  const cut = columns.map((range) =>
    range === "all" ? values : g.add("Slice", [values, g.ints(range[0]), g.ints(range[1]), g.ints(1)]),
  );
  return cut.length === 1 ? cut[0] : g.add("Concat", cut, { axis: 1 });
}

type Shares = NonNullable<FurtherLosses["shares"]>;

/** An int64 input of the graph, declared where it is first wanted. */
const inputOnce = ({ g }: Net, name: string, dims: string[]): string =>
  g.model().graph.inputs.some((input) => input.name === name) ? name : g.input(name, "int64", dims);

/** As many of `values` as `like` has rows. */
const firstRows = ({ g }: Net, values: string, like: string): string =>
  g.add("Slice", [values, g.ints(0), g.add("Shape", [like], { start: 0, end: 1 })]);

const meanOfRows = (net: Net, rows: string): string => reduce(net, "ReduceMean", rows, { axes: [0] });

/** Mean over the rows of `all` that are not among `some`; nearly 0 where there are none. */
function meanOfOtherRows(net: Net, all: string, some: string): string {
  const { g } = net;
  const sum = (rows: string) => reduce(net, "ReduceSum", rows, { axes: [0] });
  const count = (rows: string) => g.add("Shape", [rows], { start: 0, end: 1 });
  const others = g.add("Max", [g.add("Sub", [count(all), count(some)]), g.ints(1)]);
  const asFloat = g.add("Cast", [others], { to: typeCode("float32") });
  return g.add("Div", [g.add("Max", [g.add("Sub", [sum(all), sum(some)]), number(net, 1e-6)]), asFloat]);
}

/**
 * Σ wanted · log(wanted / mean share): zero where parts weigh on average as they should, however they differ from
 * phrase to phrase. Contrast alone lets the part win that tells most pairs apart, and the others die away.
 * @param shares float32 [parts]
 */
function divergenceOfShares(net: Net, shares: string, wanted: readonly number[]): string {
  const { g } = net;
  const factors = g.add("Constant", [], {
    value: { type: "tensor", value: tensor("float32", [wanted.length], Float32Array.from(wanted)) },
  });
  const surprise = reduce(net, "ReduceSum", g.add("Mul", [g.add("Log", [shares]), factors]));
  const entropy = wanted.reduce((sum, share) => sum + share * Math.log(share), 0);
  return g.add("Sub", [number(net, entropy), surprise]);
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
function typeLoss(net: Net, { types, width, layout }: PairProgramOptions): string {
  const { g } = net;
  const rows = g.input("typed_rows", "int64", ["typed"]);
  const labels = g.input("type_labels", "int64", ["typed"]);
  const weight = g.input("type_weight", "float32", []);
  const typed = g.add("Gather", [phraseVector, rows]);
  const entropy = layout?.logits
    ? factoredEntropy(net, { typed, labels, logits: layout.logits })
    : crossEntropy(
        net,
        { logits: linear(net, typed, { name: typeHead, inputs: width, outputs: types }), labels },
        { classes: types },
      );
  return g.add("Mul", [g.add("Mul", [entropy, number(net, 2)]), weight]);
}

/** A label is class × entity types + entity type, and its log-probability the sum of both. */
function factoredEntropy(
  net: Net,
  {
    typed,
    labels,
    logits,
  }: { typed: string; labels: string; logits: { readonly types: Columns; readonly classes: Columns } },
): string {
  const { g } = net;
  const [types, classes] = [logits.types, logits.classes].map(([from, to]) => to - from);
  const among = g.scalar("int64", types);
  const of = (range: Columns, own: string, count: number) =>
    crossEntropy(net, { logits: columnsOf(net, typed, [range]), labels: own }, { classes: count });
  return g.add("Add", [
    of(logits.types, g.add("Mod", [labels, among]), types),
    of(logits.classes, g.add("Div", [labels, among]), classes),
  ]);
}

function contextLoss(
  net: Net,
  spans: string,
  { sizes, phrase }: { sizes: WordEncoderSizes; phrase: Columns },
): string {
  const groups = net.g.input("span_groups", "int32", ["spans"]);
  // parts are scaled by their shares: at length 1 they are as in pretraining
  const meaning = l2Normalise(net, columnsOf(net, spans, [phrase]));
  return contextContrast(net, { spans: meaning, contexts: contextEncoder(net, sizes), groups });
}

/** Three pairs, and two hard negatives or some spans. */
function sampleOf(model: Model, { sample, types, negatives, rows, losses }: PairProgramOptions) {
  const inputNames = new Set(model.graph.inputs.map(({ name }) => name));
  const spans = (losses?.context ?? 0) > 0 ? sampleContexts() : undefined;
  const all = {
    anchors: [0, 1, 2],
    positives: [3, 4, 5],
    negatives: negatives === "used" ? [6, 7] : [],
    types: [0, types - 1, -1],
    ...(rows === "own" && { phraseRows: [0, 1], charactersRows: [1, 2] }),
    ...(spans && { spans: { rows: [6, 7, 0, 1, 2], feeds: spans } }),
  };
  const whole = { cells: Number.POSITIVE_INFINITY, overhead: Number.POSITIVE_INFINITY };
  return contrastiveBatch(all, sample, { ...whole, negatives, types, inputNames, seed: 1 }).feeds;
}

/** Contexts of five spans in the form of pretrain/context-batches.ts. */
function sampleContexts(): Feeds {
  const numbers = (dims: readonly number[]) => ({
    type: "int32" as const,
    dims,
    data: Int32Array.from(
      { length: dims.reduce((product, size) => product * size, 1) },
      (_, i) => 1 + (i % 7),
    ),
  });
  return {
    context_bag: numbers([5, CONTEXT.words]),
    context_near: numbers([5, CONTEXT.near]),
    span_groups: numbers([5]),
  };
}
