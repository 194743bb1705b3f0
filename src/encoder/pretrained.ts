/** A model as hubs publish it for training libraries: config.json and safetensors weights of a BERT or RoBERTa. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ModelError, messageOf } from "../errors.js";
import type { BertConfig, WeightSource } from "../nn/index.js";
import { readSafetensors, type Tensor, toFloat32 } from "../onnx/index.js";
import { readJson } from "./model-folder.js";

/** Weights in one file, and the table of contents of weights in several. */
export const weightsFile = "model.safetensors";
export const weightsIndex = "model.safetensors.index.json";

/** The families that pearl writes graphs for: `model_type` of config.json, and the class that holds the encoder. */
export const families: Readonly<Record<string, string>> = {
  bert: "BertModel",
  roberta: "RobertaModel",
  "xlm-roberta": "XLMRobertaModel",
  camembert: "CamembertModel",
};

const exportInstead =
  "Take a repository that has onnx/model.onnx, or export the model to ONNX with its own tools.";

/** The weights of a folder, under the names that its files give them. */
export interface Pretrained {
  readonly config: BertConfig;
  /** What stands before each encoder weight's name: "bert.", "roberta." or nothing. */
  readonly prefix: string;
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** Types of the numbers in the files, such as "float16". */
  readonly types: readonly string[];
  /** Gives the encoder's weights in float32, by their names without prefix. */
  readonly weights: WeightSource;
}

/** True where the folder has weights in safetensors. */
export async function hasSafetensors(folder: string): Promise<boolean> {
  for (const name of [weightsFile, weightsIndex])
    if (await stat(join(folder, name)).catch(() => undefined)) return true;
  return false;
}

/**
 * Reads config.json and the weights of a folder.
 * @throws ModelError that names the file, and the tensor where it is one, for architectures that are not built
 *   here and for weights that are missing, misshaped or cut off
 */
export async function readPretrained(folder: string): Promise<Pretrained> {
  const config = await readEncoderConfig(folder);
  const found = new Map<string, { tensor: Tensor; file: string }>();
  for (const file of await weightFiles(folder))
    for (const [name, tensor] of readSafetensors(join(folder, file))) found.set(name, { tensor, file });
  const anywhere = `${folder}/${weightsFile}`;
  const prefix = prefixOf(found.keys(), anywhere);
  const deeper = `${prefix}encoder.layer.${config.num_hidden_layers}.attention.self.query.weight`;
  if (found.has(deeper))
    throw new ModelError(
      `${folder}/config.json: num_hidden_layers is ${config.num_hidden_layers}, but the weights have more ` +
        `(${deeper}). Take both files from the same model.`,
    );
  const weights: WeightSource = (name, dims) => {
    // Checkpoints converted from TensorFlow call a LayerNorm's weight gamma, and its bias beta.
    const old = name
      .replace(/LayerNorm\.weight$/, "LayerNorm.gamma")
      .replace(/LayerNorm\.bias$/, "LayerNorm.beta");
    const entry = found.get(prefix + name) ?? found.get(prefix + old);
    if (!entry)
      throw new ModelError(
        `${anywhere}: tensor ${prefix}${name} is missing; a model of config.json's shape has it as float32 ` +
          `[${dims.join(", ")}]. Download the weights again, or take both files from the same model.`,
      );
    return checkedWeight(entry.tensor, dims, `${folder}/${entry.file}: tensor ${prefix}${name}`);
  };
  const tensors = new Map([...found].map(([name, { tensor }]) => [name, tensor]));
  const used = [...tensors].filter(([name]) => name.startsWith(prefix)).map(([, { type }]) => type);
  const types = [...new Set(used)].filter((type) => type.includes("float"));
  return { config, prefix, tensors, types, weights };
}

function checkedWeight(tensor: Tensor, dims: readonly number[], label: string): Tensor {
  const shape = dims.join(", ");
  const wide = toFloat32(tensor);
  if (!wide)
    throw new ModelError(
      `${label} is ${tensor.type}, expected float32, float16 or bfloat16 [${shape}]. Take the unquantised model.`,
    );
  if (tensor.dims.join(", ") !== shape)
    throw new ModelError(
      `${label} is [${tensor.dims.join(", ")}], expected [${shape}] by config.json. ` +
        "Take both files from the same model.",
    );
  return wide;
}

/** The files that hold the weights: one, or those that the index names. */
async function weightFiles(folder: string): Promise<string[]> {
  if (await stat(join(folder, weightsFile)).catch(() => undefined)) return [weightsFile];
  const path = join(folder, weightsIndex);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new ModelError(
      `${folder}: there is no ${weightsFile} to import. A folder with pytorch_model.bin alone becomes one by ` +
        "transformers' save_pretrained(folder, safe_serialization=True).",
    );
  const files = shardsOf(text, path);
  for (const file of files)
    if (!(await stat(join(folder, file)).catch(() => undefined)))
      throw new ModelError(`${folder}: ${file}, which ${weightsIndex} names, is missing. Download it too.`);
  return files;
}

/** The files that an index of sharded weights names, each once. @throws ModelError for another kind of text */
export function shardsOf(text: string, label: string): string[] {
  try {
    const { weight_map: map } = JSON.parse(text) as { weight_map: Record<string, string> };
    const files = [...new Set(Object.values(map))];
    const isPlain = (name: unknown) => typeof name === "string" && /^[\w-][\w.-]*\.safetensors$/.test(name);
    if (files.length > 0 && files.every(isPlain)) return files;
  } catch (error) {
    throw new ModelError(`${label}: not a table of weights (${messageOf(error)}). Download it again.`, {
      cause: error,
    });
  }
  throw new ModelError(
    `${label}: its weight_map names no safetensors files of this folder. Download it again.`,
  );
}

function prefixOf(names: Iterable<string>, label: string): string {
  const stem = "embeddings.word_embeddings.weight";
  const prefixes = [...names].filter((name) => name === stem || name.endsWith(`.${stem}`));
  if (prefixes.length === 0)
    throw new ModelError(
      `${label}: tensor ${stem} is missing, also behind "bert." and "roberta.": these are no weights of a BERT ` +
        `or RoBERTa. ${exportInstead}`,
    );
  return prefixes.sort((a, b) => a.length - b.length)[0].slice(0, -stem.length);
}

const sizes = [
  ...["vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"],
  ...["intermediate_size", "max_position_embeddings", "type_vocab_size"],
] as const;

/**
 * What config.json says about the encoder's shape.
 * @throws ModelError for a family or a variant that is not built here, and for sizes that are missing
 */
export async function readEncoderConfig(folder: string): Promise<BertConfig> {
  const label = `${folder}/config.json`;
  const config = await readJson(join(folder, "config.json"), label);
  if (config === undefined) throw new ModelError(`${label} is missing; it gives the shape of the model`);
  const family = config.model_type ?? "none";
  if (!Object.hasOwn(families, String(family)))
    throw new ModelError(
      `${label}: model_type is ${family}; from weights pearl builds ${Object.keys(families).join(", ")}. ${exportInstead}`,
    );
  for (const key of ["is_decoder", "add_cross_attention"])
    if (config[key] === true)
      throw new ModelError(`${label}: ${key} is set; pearl builds encoders. ${exportInstead}`);
  for (const key of sizes) {
    const value = config[key];
    if (!(Number.isSafeInteger(value) && (value as number) > 0))
      throw new ModelError(
        `${label}: ${key} must be a whole number above 0, not ${value}. Download it again.`,
      );
  }
  const known = { ...config, pad_token_id: config.pad_token_id ?? undefined };
  return known as unknown as BertConfig;
}
