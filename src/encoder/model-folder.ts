/** A model folder in the hub's layout, read from disk: what its files say about inputs, output and size. */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ModelError, messageOf } from "../errors.js";
import type { HashedNgramOptions } from "../text/hashed-ngrams.js";
import type { WordUnitOptions } from "../text/word-units.js";
import type { WordOptions } from "../text/word-vocabulary.js";

/** Phrases as subword tokens: the input of BERT-like encoders. */
export interface TokensFeature {
  readonly kind: "tokens";
  /** Tokens the model reads at most, special tokens included. */
  readonly maximumLength: number;
}

/** Phrases as hashed character n-grams, padded with the bucket number `buckets`. */
export interface HashedNgramsFeature extends HashedNgramOptions {
  readonly kind: "hashed-ngrams";
  /** The graph input that takes the buckets, int32 [batch, n-grams]. */
  readonly input: string;
}

/**
 * Words as characters, pieces or n-grams: the input of character encoders, under the names of
 * src/nn/characters/inputs.ts. The vocabulary of characters and pieces is the folder's {@link CHARACTERS_FILE}.
 */
export interface CharactersFeature extends WordUnitOptions {
  readonly kind: "characters";
}

/** The vocabulary of a folder's character encoder. */
export const CHARACTERS_FILE = "characters.json";

/**
 * Words by number, by n-grams and with their marks, under the names of src/nn/words/inputs.ts. The vocabulary is
 * the folder's {@link WORDS_FILE}.
 */
export interface WordsFeature extends WordReading {
  readonly kind: "words";
}

/** How the words of a phrase become numbers. */
export interface WordReading extends WordOptions {
  /** Whether words outside the vocabulary are parted at inner capitals, as "NYTimes"; default "kept". */
  readonly innerCapitals?: "kept" | "parted";
}

/** The vocabulary of a folder's word encoder: one word a line, in the order of the graph's table. */
export const WORDS_FILE = "words.txt";

/** One way a graph wants phrases to be given to it; a graph may ask for several. */
export type Feature = TokensFeature | HashedNgramsFeature | CharactersFeature | WordsFeature;

const FEATURE_KINDS: readonly string[] = [
  "tokens",
  "hashed-ngrams",
  "characters",
  "words",
] satisfies Feature["kind"][];

/** How token vectors become the phrase's vector; "none" when the graph does it. */
export type Pooling = "mean" | "cls" | "max" | "none";

/** The parts of config.json that pearl writes for its own models; absent from other hubs' models. */
interface PearlSection {
  readonly features: readonly Feature[];
  readonly dimension: number;
  /** Phrase types in the order of the graph's output `type_logits`; absent: there is no such output. */
  readonly types?: readonly string[];
  /** Where the model runs fastest, for `--device auto`; absent: wherever it can. */
  readonly device?: "cpu";
}

export interface ModelFolder {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Name for people: the last part of the path, or what config.json says. */
  readonly name: string;
  /** config.json as it stands. */
  readonly config: Readonly<Record<string, unknown>>;
  /** For example "BertModel" or "PearlNgram". */
  readonly architecture: string;
  /** Length of an embedding, where the configuration tells. */
  readonly dimension: number | undefined;
  readonly features: readonly Feature[];
  readonly pooling: Pooling;
  /** Phrase types in the order of the graph's output `type_logits`; empty where it has none. */
  readonly types: readonly string[];
  /** Full-precision graph, or the only one there is. */
  readonly graph: string;
  /** int8 graph, where the folder has one. */
  readonly quantizedGraph: string | undefined;
  /** Set when the model is known to run fastest there. */
  readonly preferredDevice: "cpu" | undefined;
  /** All files together, in bytes. */
  readonly sizeBytes: number;
}

const GRAPHS = ["onnx/model.onnx", "model.onnx"];
const QUANTIZED_GRAPHS = ["onnx/model_quantized.onnx", "onnx/model_int8.onnx", "model_quantized.onnx"];
const DEFAULT_LENGTH = 512;

/**
 * Reads a model folder.
 * @throws ModelError that names the missing or broken file
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const path = resolve(folder);
  const entry = await stat(path).catch(() => undefined);
  if (entry === undefined) throw new ModelError(`${folder}: no such model folder`);
  if (!entry.isDirectory())
    throw new ModelError(`${folder}: a model is a folder with config.json and onnx/model.onnx`);
  const config = await readJson(join(path, "config.json"), `${folder}/config.json`);
  if (config === undefined)
    throw new ModelError(`${folder}: config.json is missing; a model folder needs one`);
  const full = await firstThatExists(path, GRAPHS);
  const quantizedGraph = await firstThatExists(path, QUANTIZED_GRAPHS);
  const graph = full ?? quantizedGraph;
  if (graph === undefined) {
    throw new ModelError(
      `${folder}: onnx/model.onnx is missing; export the model to ONNX, or make it from model.safetensors: ` +
        "pearl import FOLDER -o OUT",
    );
  }
  const pearl = pearlSection(config, folder);
  return {
    path,
    name: typeof config.name === "string" ? config.name : basename(path),
    config,
    architecture: architectureOf(config),
    dimension: pearl?.dimension ?? numberAt(config, "hidden_size") ?? numberAt(config, "dim"),
    features: pearl?.features ?? [{ kind: "tokens", maximumLength: await tokenLimit(path, config) }],
    pooling: readsOnlyTokens(pearl) ? await poolingOf(path) : "none",
    types: pearl?.types ?? [],
    graph,
    quantizedGraph,
    preferredDevice: pearl?.device,
    sizeBytes: await folderSize(path),
  };
}

/** True where the folder has an ONNX graph that can be run. */
export async function hasGraph(folder: string): Promise<boolean> {
  return (await firstThatExists(folder, [...GRAPHS, ...QUANTIZED_GRAPHS])) !== undefined;
}

/** Reads a JSON file of a model folder; undefined when it is not there. */
export async function readJson(path: string, label = path): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    throw new ModelError(`${label}: not valid JSON (${messageOf(error)})`, { cause: error });
  }
  throw new ModelError(`${label}: expected a JSON object`);
}

async function firstThatExists(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

function architectureOf(config: Record<string, unknown>): string {
  const names = config.architectures;
  if (Array.isArray(names) && typeof names[0] === "string") return names[0];
  return typeof config.model_type === "string" ? config.model_type : "unknown";
}

function numberAt(config: object, key: string): number | undefined {
  const value = (config as Record<string, unknown>)[key];
  return typeof value === "number" && value > 0 ? value : undefined;
}

function pearlSection(config: Record<string, unknown>, folder: string): PearlSection | undefined {
  const section = config.pearl as Partial<PearlSection> | undefined;
  if (section === undefined) return undefined;
  const label = `${folder}/config.json`;
  if (!Array.isArray(section.features) || section.features.length === 0 || !(Number(section.dimension) > 0)) {
    throw new ModelError(`${label}: the "pearl" section must list features and a dimension`);
  }
  for (const feature of section.features) {
    if (!FEATURE_KINDS.includes(feature.kind)) {
      const kind = (feature as { kind: unknown }).kind;
      throw new ModelError(`${label}: unknown feature kind "${kind}"; a newer pearl may know it`);
    }
  }
  return section as PearlSection;
}

/** A transformer alone pools as its sentence-transformers files say, whoever reads the folder. */
const readsOnlyTokens = (pearl: PearlSection | undefined): boolean =>
  pearl === undefined || pearl.features.every(({ kind }) => kind === "tokens");

/** The smallest limit that any file states: sentence-transformers', the tokenizer's, the position table's. */
export async function tokenLimit(path: string, config: object): Promise<number> {
  const sentence = (await readJson(join(path, "sentence_bert_config.json"))) ?? {};
  const tokenizer = (await readJson(join(path, "tokenizer_config.json"))) ?? {};
  // RoBERTa counts positions from padding_idx + 1, so two of its table's rows are never used.
  const family = String((config as Record<string, unknown>).model_type);
  const offset = /roberta|camembert/i.test(family) ? 2 : 0;
  const positions = numberAt(config, "max_position_embeddings");
  const limits = [
    numberAt(sentence, "max_seq_length"),
    numberAt(tokenizer, "model_max_length"),
    positions === undefined ? undefined : positions - offset,
  ].filter((limit): limit is number => limit !== undefined);
  return limits.length === 0 ? DEFAULT_LENGTH : Math.min(...limits);
}

async function poolingOf(path: string): Promise<Pooling> {
  const settings = await readJson(join(path, "1_Pooling", "config.json"));
  if (settings === undefined || settings.pooling_mode_mean_tokens === true) return "mean";
  if (settings.pooling_mode_cls_token === true) return "cls";
  if (settings.pooling_mode_max_tokens === true) return "max";
  throw new ModelError(
    `${path}/1_Pooling/config.json: pearl pools by mean, cls or max; this model asks for another way`,
  );
}

async function folderSize(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  let total = 0;
  for (const entry of entries) {
    // Hub caches link to their files, so links are followed.
    const file = await stat(join(entry.parentPath ?? entry.path, entry.name)).catch(() => undefined);
    if (file?.isFile()) total += file.size;
  }
  return total;
}
