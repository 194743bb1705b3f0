/** An encoder of any family from its config.json: sizes, names, and the graph for weights. */
import { ModelError } from "../../errors.js";
import type { WeightSource } from "../../nn/net.js";
import type { Model } from "../../onnx/model.js";
import { exportInstead } from "../conversion.js";
import { type BertConfig, bertFamilies, encoderGraph } from "./bert.js";
import { type ModernBertConfig, modernBertGraph } from "./modernbert.js";

export interface Encoder {
  readonly family: string;
  readonly layers: number;
  readonly heads: number;
  /** As config.json names it. */
  readonly activation: string;
  /** Width of the hidden states. */
  readonly dimension: number;
  /** The name of the word embeddings, and the prefix of the layers' weights. */
  readonly words: string;
  readonly layerNames: string;
  /** Token ids and positions stay below these. */
  readonly vocabulary: number;
  readonly positions: number;
  /** The id of padding. */
  readonly padding: number;
  /** @throws ModelError for a config that is not built here */
  graph(weights: WeightSource): Model;
}

const sizes =
  "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings".split(
    " ",
  );
/** DistilBERT's names of some of these keys. */
const distilbertKeys: Readonly<Record<string, string>> = {
  ...{ hidden_size: "dim", intermediate_size: "hidden_dim" },
  ...{ num_hidden_layers: "n_layers", num_attention_heads: "n_heads" },
};

/** True for families that read-bert.ts recognises in graphs of other makers. */
export const isReadByShape = (family: string): boolean =>
  Object.hasOwn(bertFamilies, family) && bertFamilies[family].types !== "none";

/** @param label of config.json, for messages @throws ModelError for a decoder, and for missing sizes */
export function encoderOf(config: Readonly<Record<string, unknown>>, label: string): Encoder {
  for (const key of ["is_decoder", "add_cross_attention"])
    if (config[key] === true)
      throw new ModelError(`${label}: ${key} is set; pearl builds encoders. ${exportInstead}`);
  const family = String(config.model_type ?? "bert");
  const isDistilled = family === "distilbert";
  const hasTypes = family !== "modernbert" && bertFamilies[family].types !== "none";
  const shape = {
    ...config,
    ...(isDistilled && { hidden_act: config.activation, layer_norm_eps: 1e-12 }),
    // MPNet's is fixed
    pad_token_id: family === "mpnet" ? 1 : (config.pad_token_id ?? undefined),
    ...Object.fromEntries(
      [...sizes, ...(hasTypes ? ["type_vocab_size"] : [])].map((key) => [
        key,
        sizeAt(config, (isDistilled && distilbertKeys[key]) || key, label),
      ]),
    ),
  } as unknown as BertConfig & ModernBertConfig;
  const facts = {
    ...{ family, layers: shape.num_hidden_layers, heads: shape.num_attention_heads },
    ...{
      dimension: shape.hidden_size,
      vocabulary: shape.vocab_size,
      positions: shape.max_position_embeddings,
    },
    ...{
      padding: shape.pad_token_id ?? 0,
      activation: shape.hidden_act ?? shape.hidden_activation ?? "gelu",
    },
  };
  if (family === "modernbert") {
    const names = { words: "embeddings.tok_embeddings.weight", layerNames: "layers" };
    return { ...facts, ...names, graph: (weights) => modernBertGraph(shape, weights) };
  }
  const names = { words: "embeddings.word_embeddings.weight", layerNames: bertFamilies[family].layers };
  return { ...facts, ...names, graph: (weights) => encoderGraph(shape, weights) };
}

function sizeAt(config: Readonly<Record<string, unknown>>, key: string, label: string): number {
  const value = config[key];
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw new ModelError(`${label}: ${key} is ${value}, expected a whole number above 0. Download it again.`);
}
