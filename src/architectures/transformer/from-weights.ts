/** From an encoder's weights as training libraries publish them to a graph. */
import { ModelError } from "../../errors.js";
import type { WeightSource } from "../../nn/net.js";
import { toFloat32 } from "../../onnx/io/float16.js";
import type { Tensor } from "../../onnx/tensor.js";
import { type Conversion, exportInstead } from "../conversion.js";
import { encoderOf } from "./encoder.js";
import { tokenLimit } from "./published.js";

/** @throws ModelError for encoders that are not built here, and for weights that are missing or misshaped */
export const graphOf: Conversion["graphOf"] = async ({ folder, config: given, tensors }) => {
  const config = encoderOf(given, `${folder}/config.json`);
  const { family, layers, dimension, layerNames } = config;
  const found = await tensors();
  const label = `${folder}/model.safetensors`;
  const prefix = prefixOf(found.keys(), config.words, label);
  const deeper = [...found.keys()].find((name) => name.startsWith(`${prefix}${layerNames}.${layers}.`));
  if (deeper !== undefined)
    throw new ModelError(
      `${folder}/config.json: the model has ${layers} layers, but the weights have more (${deeper}). ` +
        "Take both files from the same model.",
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
  const maximumLength = await tokenLimit(folder, given);
  return { model: config.graph(weights), family, layers, dimension, maximumLength, types: [...types] };
};

/** @throws ModelError for a quantised or misshaped tensor */
export function checkedWeight(tensor: Tensor, dims: readonly number[], label: string): Tensor {
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

function prefixOf(names: Iterable<string>, words: string, label: string): string {
  const found = [...names].filter((name) => name === words || name.endsWith(`.${words}`));
  if (found.length === 0)
    throw new ModelError(
      `${label}: tensor ${words} is missing, with or without a prefix such as "bert.": these are not the weights ` +
        `of an encoder that config.json describes. ${exportInstead}`,
    );
  return found.sort((a, b) => a.length - b.length)[0].slice(0, -words.length);
}
