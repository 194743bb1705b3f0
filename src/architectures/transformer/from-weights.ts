/** From the weights of a BERT or RoBERTa as training libraries publish them to a graph. */
import { ModelError } from "../../errors.js";
import type { WeightSource } from "../../nn/net.js";
import { toFloat32 } from "../../onnx/io/float16.js";
import type { Tensor } from "../../onnx/tensor.js";
import { type Conversion, exportInstead, type PublishedModel } from "../conversion.js";
import { type BertConfig, encoderGraph } from "./bert.js";
import { tokenLimit } from "./published.js";

/** @throws ModelError for encoders that are not built here, and for weights that are missing or misshaped */
export const graphOf: Conversion["graphOf"] = async ({ folder, config: given, tensors }) => {
  const config = encoderConfig(given, `${folder}/config.json`);
  const found = await tensors();
  const label = `${folder}/model.safetensors`;
  const prefix = prefixOf(found.keys(), label);
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
        `${label}: tensor ${prefix}${name} is missing; config.json requires it as float32 ` +
          `[${dims.join(", ")}]. Download the weights again, or take both files from the same model.`,
      );
    return checkedWeight(entry.tensor, dims, `${folder}/${entry.file}: tensor ${prefix}${name}`);
  };
  const types = new Set<string>();
  for (const [name, { tensor }] of found)
    if (name.startsWith(prefix) && tensor.type.includes("float")) types.add(tensor.type);
  return {
    model: encoderGraph(config, weights),
    family: config.model_type ?? "bert",
    layers: config.num_hidden_layers,
    dimension: config.hidden_size,
    maximumLength: await tokenLimit(folder, config),
    types: [...types],
  };
};

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

/** The encoder's shape. @throws ModelError for a kind that is not built here, and for missing sizes */
function encoderConfig(config: PublishedModel["config"], label: string): BertConfig {
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
