/** A model as hubs publish it for training libraries: config.json and safetensors weights of a BERT or RoBERTa. */
import { join } from "node:path";
import { array, object, string } from "valibot";
import { readJson as readConfig } from "../../architectures/folder-json.js";
import type { BertConfig } from "../../architectures/transformer/bert.js";
import { ModelError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import type { WeightSource } from "../../nn/net.js";
import { toFloat32 } from "../../onnx/io/float16.js";
import { readSafetensors } from "../../onnx/io/safetensors.js";
import type { Tensor } from "../../onnx/tensor.js";
import { weightFiles, weightsFile } from "./weight-files.js";

/** The families that pearl writes graphs for: `model_type` of config.json, and the encoder's class. */
export const families: Readonly<Record<string, string>> = {
  bert: "BertModel",
  roberta: "RobertaModel",
  "xlm-roberta": "XLMRobertaModel",
  camembert: "CamembertModel",
};

const exportInstead =
  "Take a repository that has onnx/model.onnx, or export the model to ONNX with its own tools.";

/**
 * Reads config.json and the weights of a folder.
 * @returns `types` of the numbers in the files, such as "float16"; `weights` in float32, by name without prefix
 * @throws ModelError that names the file, and the tensor where it is one, for architectures that pearl does not
 *   build and for weights that are missing, misshaped or cut off
 */
export async function readPretrained(
  folder: string,
): Promise<{ config: BertConfig; types: string[]; weights: WeightSource }> {
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
        `${anywhere}: tensor ${prefix}${name} is missing; config.json requires it as float32 ` +
          `[${dims.join(", ")}]. Download the weights again, or take both files from the same model.`,
      );
    return checkedWeight(entry.tensor, dims, `${folder}/${entry.file}: tensor ${prefix}${name}`);
  };
  const types = new Set<string>();
  for (const [name, { tensor }] of found)
    if (name.startsWith(prefix) && tensor.type.includes("float")) types.add(tensor.type);
  return { config, types: [...types], weights };
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

function prefixOf(names: Iterable<string>, label: string): string {
  const stem = "embeddings.word_embeddings.weight";
  const found = [...names].filter((name) => name === stem || name.endsWith(`.${stem}`));
  if (found.length === 0)
    throw new ModelError(
      `${label}: tensor ${stem} is missing, with or without a prefix such as "bert.": these are not weights of a BERT ` +
        `or RoBERTa. ${exportInstead}`,
    );
  return found.sort((a, b) => a.length - b.length)[0].slice(0, -stem.length);
}

const sizes = (
  "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings " +
  "type_vocab_size"
).split(" ");

/** The encoder's shape. @throws ModelError for a kind that pearl does not build, and for missing sizes */
async function readEncoderConfig(folder: string): Promise<BertConfig> {
  const label = `${folder}/config.json`;
  const config = await readConfig(join(folder, "config.json"));
  if (config === undefined)
    throw new ModelError(`${label} is missing: it gives the shape of the model. Download it too.`);
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
        `${label}: ${key} is ${value}, expected a whole number above 0. Download it again.`,
      );
  }
  const known = { ...config, pad_token_id: config.pad_token_id ?? undefined };
  return known as unknown as BertConfig;
}

// modules.json lists the steps of sentence-transformers from text to vector.
const modulesSchema = array(object({ type: string() }));

/** Kinds of modules in order: Transformer, Pooling ...; undefined without modules.json. @throws ModelError */
export async function readModules(folder: string): Promise<string[] | undefined> {
  const path = join(folder, "modules.json");
  const modules = await readJson(path, modulesSchema, { error: ModelError, cure: "Download it again." });
  return modules?.map(({ type }) => type.split(".").at(-1) as string);
}

/** @throws ModelError that names a module that does more than pool and scale token vectors */
export async function checkModules(folder: string): Promise<void> {
  const odd = (await readModules(folder))?.find(
    (type) => !["Transformer", "Pooling", "Normalize"].includes(type),
  );
  if (odd !== undefined)
    throw new ModelError(
      `${join(folder, "modules.json")}: the model has a ${odd} module, which pearl does not support; ` +
        "without it the vectors would be wrong. Use a model of Transformer, Pooling and Normalize.",
    );
}
