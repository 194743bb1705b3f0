/** What an architecture is to the rest of pearl, its model folder, and the outputs of its graph. */
import { ModelError } from "../errors.js";
import type { Net, WeightSource } from "../nn/net.js";
import type { poolings } from "../nn/pooling.js";
import type { Model } from "../onnx/model.js";
import type { Tensor } from "../onnx/tensor.js";
import type { Feeds } from "../runtime/tensor.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { Conversion } from "./conversion.js";
import type { SpellingEncoder, TextEncoder } from "./pretraining.js";

/** One way a graph reads phrases, as `pearl.features` of config.json declares it; a graph may have several. */
export interface Feature {
  /** Names the {@link Architecture}. */
  readonly kind: string;
  /** Tokens the model reads at most, where it has a tokenizer. */
  readonly maximumLength?: number;
}

/** How token vectors become the phrase's vector; "none" when the graph does it. */
export type Pooling = keyof typeof poolings | "none";

/** A model folder that was read: its settings, and absolute paths of its files. */
export interface ModelFolder {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Name for people: the last part of the path, or what config.json says. */
  readonly name: string;
  /** Contents of config.json. */
  readonly config: Readonly<Record<string, unknown>>;
  /** For example "BertModel" or "PearlCharacters". */
  readonly architecture: string;
  /** Length of an embedding, where config.json states it. */
  readonly dimension: number | undefined;
  /** Lengths that embeddings may be cut to, where config.json records them: the model was trained on these prefixes. */
  readonly dims?: readonly number[];
  readonly features: readonly Feature[];
  readonly pooling: Pooling;
  /** Set where no file of another maker's folder says how to pool: then it is "mean". */
  readonly isPoolingAssumed?: boolean;
  /** The model reads a prompt and pools the phrase's tokens alone, which pearl does not do: it refuses a prompt then. */
  readonly leavesPromptOut?: boolean;
  /** A module of sentence-transformers that pearl leaves out, such as "Dense": a graph of token vectors is refused then. */
  readonly oddModule?: string;
  /** Prompts of another maker's model by name, such as "query". */
  readonly prompts?: Readonly<Record<string, string>>;
  /** The one of them that is put before each phrase where no prompt is asked for. */
  readonly defaultPrompt?: string;
  /** Phrase types in the order of the graph's output `type_logits`; empty where it has none. */
  readonly types: readonly string[];
  /** Full-precision graph, or the only one there is. */
  readonly graph: string;
  /** int8 graph, where the folder has one. */
  readonly quantizedGraph: string | undefined;
  /** Set when the model is known to run fastest there. */
  readonly preferredDevice: "cpu" | undefined;
  /** {@link graph} and the files beside it that hold its weights, in bytes. */
  readonly sizeBytes: number;
}

/** Distinct phrases with their counts; they can be iterated several times. */
export type CountedPhrases = Iterable<readonly [phrase: string, count: number]>;

/** Settings of a new part of a model; saved in training.json. */
export interface PartSettings {
  /** Name of a new part ({@link Architecture.parts}), or the folder of a pretrained character encoder. */
  readonly from: string;
  /** Length of its part of the vector; default 96, as in PEARL-small, or that of the folder. */
  readonly width?: number;
  /** N-grams only: number of hash buckets, a power of two. Default 65,536. */
  readonly buckets?: number;
}

/** Settings of a new base of a model; saved in training.json. */
export interface ScratchShape {
  /** Width of its states; a multiple of `heads`. Default 256. */
  readonly hidden?: number;
  /** Default 2. */
  readonly layers?: number;
  /** Default one for each 64 of `hidden`, at least 1. */
  readonly heads?: number;
  /** Entries of the tokenizer's vocabulary at most. Default 16,000. */
  readonly vocabulary?: number;
  /** Tokens it reads, special ones included. Default 32. */
  readonly maximumLength?: number;
}

export interface ScratchOptions extends ScratchShape {
  /** The tokenizer is trained on them. */
  readonly phrases: CountedPhrases;
  readonly seed: number;
}

/** An encoder as a part of a model: alone, or beside a transformer. */
export interface ModelPart {
  /** The inputs it reads, as config.json declares them. */
  readonly features: readonly Feature[];
  /** Length of its vectors. */
  readonly width: number;
  /** Contents of its own files in the model folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further keys of the section `pearl` of config.json. */
  readonly section?: Readonly<Record<string, unknown>>;
  /** Adds inputs, weights and operators; returns the vectors, float32 [rows, width]. */
  build(net: Net): string;
}

/** What a featurizer is opened with. */
export interface OpenSource {
  readonly folder: ModelFolder;
  /** Inputs of the graph. */
  readonly inputNames: readonly string[];
  /** Result of {@link Architecture.share}, where the session runs that graph. */
  readonly shared?: SharedGraph;
}

/** A graph without the tables that all workers share; an architecture adds what its featurizer needs. */
export interface SharedGraph {
  readonly bytes: Uint8Array;
}

/** The ids of one feature of some phrases: row i is `ids[starts[i]]` to `ids[starts[i + 1] - 1]`. */
export interface FeatureRows {
  readonly ids: Int32Array;
  readonly starts: Int32Array;
}

/** What was read, how many phrases were longer than the model reads, and first ids of all rows, which may stay on a GPU. */
export interface ReadRows {
  readonly rows: FeatureRows;
  readonly truncated: number;
  readonly opening?: Int32Array;
}

/** One feature, ready to read phrases and to fill batches. */
export interface Featurizer {
  /** Of subword tokens. */
  readonly tokenizer?: Tokenizer;
  read(phrases: readonly string[]): ReadRows;
  /** Reads phrases with a prompt before each one. Default: `read` gets the texts of both. */
  readPrompted?(phrases: readonly string[], prompt: string): ReadRows;
  /** Positions that each row takes in a batch; default its number of ids. */
  lengths?(rows: FeatureRows): Int32Array;
  /** Fills the graph's inputs for some of the rows, padded to `length`; adds them to `feeds`. */
  fill(rows: FeatureRows, batch: Int32Array, length: number, feeds: Feeds): void;
}

/** One list of ids per phrase, as one array. */
export function concatenate(rows: readonly Int32Array[]): FeatureRows {
  const starts = new Int32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) starts[i + 1] = starts[i] + rows[i].length;
  const ids = new Int32Array(starts[rows.length]);
  for (let i = 0; i < rows.length; i++) ids.set(rows[i], starts[i]);
  return { ids, starts };
}

/** A row of the registry: how a model reads phrases, is built, trained and converted. `F`: its feature in config.json. */
export interface Architecture<F extends Feature = Feature> {
  readonly kind: string;
  /** The class in config.json of a model without a transformer. Default: the kind, as "MeanOfWords". */
  readonly className?: string;
  /** Files of the model folder that it reads phrases with. */
  readonly files: readonly string[];
  /** True where each position of a padded row costs a pass through a transformer. Default: an addition. */
  readonly padsRows?: true;
  /** Another library that loads a model of this feature alone. Default: only pearl does. */
  readonly library?: "transformers.js";
  /** Learning rate of a training on pairs, and factors of it by name of the weight. Default: PEARL's 3e-5. */
  readonly learning?: { readonly rate: number; readonly factors?: Readonly<Record<string, number>> };
  /** Names of the graph inputs that it may fill. */
  inputs(feature: F, shared?: SharedGraph): readonly string[];
  /** @throws ModelError for a missing or broken file */
  open(feature: F, source: OpenSource): Promise<Featurizer> | Featurizer;
  /** How token vectors of a folder are pooled. Default: the graph pools. */
  pooling?(path: string): Promise<Pooling>;
  /** New parts by the name that {@link PartSettings.from} gives; vocabulary and frequencies come from the phrases. */
  readonly parts?: Readonly<
    Record<string, (settings: PartSettings, phrases: CountedPhrases) => ModelPart | Promise<ModelPart>>
  >;
  /** The part that a folder's model is, with its weights; undefined where it is another. @throws ModelError */
  readPart?(folder: ModelFolder, settings: Pick<PartSettings, "width">): Promise<ModelPart | undefined>;
  /** Writes the folder of a new base, untrained. @throws ArgumentError for a shape that cannot be built */
  scratch?(folder: string, options: ScratchOptions): Promise<void>;
  /** What learns the spelling of words, by name. */
  readonly spelling?: Readonly<Record<string, () => Promise<SpellingEncoder>>>;
  /** What learns from running text. */
  text?(): Promise<TextEncoder>;
  /** Columns of the embedding that say only how a phrase is spelled. Default: none are known. */
  spelledColumns?(folder: ModelFolder): readonly Columns[];
  /** Its weights in the layout of training libraries. */
  readonly convert?: Conversion;
  /** Start of a training from a folder. Default: its graph, with a new type head where needed. */
  start?(folder: ModelFolder, options: StartOptions): Promise<TrainingStart>;
  /** A graph whose tables all workers share; undefined: each worker loads the graph. */
  share?(folder: ModelFolder, precision: "full" | "int8"): Promise<SharedGraph | undefined>;
}

export interface Assembled extends Omit<ModelPart, "build"> {
  readonly model: Model;
  /** Phrase types in the order of the type head; empty: there is none. */
  readonly types: readonly string[];
  /** Prefixes of the embedding that are trained too, recorded in config.json; default none. */
  readonly dims?: readonly number[];
  /** Widths of the two parts of the phrase's vector, where two were joined. */
  readonly parts?: readonly [phrase: number, characters: number];
}

/** A range of columns of the phrase's vector; `to` is exclusive. */
export type Columns = readonly [from: number, to: number];

/** How much of an embedding's squared length is spelling, meaning and types; they add up to 1. */
export interface Gates {
  readonly characters: number;
  readonly meaning: number;
  readonly types: number;
}

/** Meaning of the columns of the phrase's vector. */
export interface VectorLayout {
  /** The embedding; default all columns. */
  readonly embedding?: Columns;
  /** The same columns in the order in which the model gives them; default: as they come. */
  readonly order?: readonly Columns[];
  readonly parts?: { readonly phrase: Columns; readonly characters: Columns };
  /** Columns whose squared lengths are gates, which add up to 1. */
  readonly gates?: readonly Columns[];
  /** Columns that are a shorter embedding. */
  readonly prefix?: readonly Columns[];
  /** Logits of classes and entity types that the encoder computes itself; default: a head is added. */
  readonly logits?: { readonly types: Columns; readonly classes: Columns };
}

/** The contrast of spans and the text around them, with an encoder of contexts that only training uses. */
export interface ContextLoss {
  readonly weights: WeightSource;
  /** Inputs of a sample batch of five spans. */
  readonly sample: Feeds;
  /** Adds it to a graph. @param spans unit length, float32 [spans, width] @returns a scalar */
  add(net: Net, spans: string): string;
  trained(model: Model): string[];
}

export interface StartOptions {
  /** Seed of the weights that the folder lacks. */
  readonly seed: number;
  /** Prefixes of the embedding that are trained too, recorded in config.json; default none. */
  readonly dims?: readonly number[];
  /** Labels of the type head, and labels that distinguish the kinds of the last entity type. */
  readonly types: readonly string[];
  readonly fineTypes: readonly string[];
}

export interface TrainingStart {
  /** The graph whose value `phrase_vector` holds all that losses read. */
  readonly assembled: Assembled;
  readonly layout: VectorLayout;
  readonly context: ContextLoss;
  /** The vocabulary that contexts share, in order. */
  readonly words: readonly string[];
  /** Number of leading {@link words} that contexts know. */
  readonly contextWords: number;
  /** Writes the model with trained weights, and further files by name. @throws ModelError, ArgumentError */
  write(
    folder: string,
    trained: ReadonlyMap<string, Tensor>,
    texts?: Readonly<Record<string, string>>,
  ): Promise<void>;
}

/**
 * What config.json records of prefixes that a model was trained on, under the key that hub models and their servers know;
 * nothing where there are none.
 */
export const dimsSection = (dims: readonly number[] | undefined, dimension: number): object =>
  dims?.length ? { matryoshka_dimensions: [...dims, dimension] } : {};

/** The output of pearl's own graphs that holds unit-length vectors, float32 [rows, width]. */
export const EMBEDDING = "embedding";
/** The output of type scores, float32 [rows, types], where a model has a type head. */
export const TYPE_LOGITS = "type_logits";

/** Outputs that hold a phrase's or its tokens' vectors, best first, as exporters name them. */
const OUTPUTS = [EMBEDDING, "last_hidden_state", "token_embeddings", "sentence_embedding", "hidden_states"];

/**
 * The output that a folder's vectors come from.
 * @throws ModelError where none is known as an embedding
 */
export function chooseOutput(names: readonly string[], folder: ModelFolder): string {
  const known = OUTPUTS.find((name) => names.includes(name)) ?? (names.length === 1 ? names[0] : undefined);
  if (known !== undefined) return known;
  throw new ModelError(
    `${folder.graph}: no output that pearl knows as an embedding among ${names.join(", ")} ` +
      `(known: ${OUTPUTS.join(", ")})`,
  );
}
