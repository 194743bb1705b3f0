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

const bertSizes = {
  ...{
    vocab_size: "vocab_size",
    max_position_embeddings: "max_position_embeddings",
    hidden_size: "hidden_size",
  },
  ...{ num_hidden_layers: "num_hidden_layers", num_attention_heads: "num_attention_heads" },
  intermediate_size: "intermediate_size",
};
/** DistilBERT's keys by BERT's. */
const distilbertSizes = {
  ...{ vocab_size: "vocab_size", max_position_embeddings: "max_position_embeddings", hidden_size: "dim" },
  ...{ num_hidden_layers: "n_layers", num_attention_heads: "n_heads", intermediate_size: "hidden_dim" },
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
  const sizesOf = (keys: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(keys).map(([key, published]) => [key, sizeAt(config, published, label)]),
    );
  const sizes = sizesOf(family === "distilbert" ? distilbertSizes : bertSizes);
  // MPNet's is fixed
  const padding = family === "mpnet" ? 1 : (config.pad_token_id ?? undefined);
  const facts = {
    ...{ family, layers: sizes.num_hidden_layers, heads: sizes.num_attention_heads },
    ...{
      dimension: sizes.hidden_size,
      vocabulary: sizes.vocab_size,
      positions: sizes.max_position_embeddings,
    },
    padding: Number(padding ?? 0),
    activation: String(config.hidden_act ?? config.activation ?? config.hidden_activation ?? "gelu"),
  };
  if (family === "modernbert") {
    const shape = config as unknown as ModernBertConfig;
    const names = { words: "embeddings.tok_embeddings.weight", layerNames: "layers" };
    return { ...facts, ...names, graph: (weights) => modernBertGraph(shape, weights) };
  }
  const { types, layers } = bertFamilies[family];
  const shape = {
    ...{ ...config, ...sizes, ...(types !== "none" && sizesOf({ type_vocab_size: "type_vocab_size" })) },
    ...(family === "distilbert" && { hidden_act: config.activation ?? "gelu", layer_norm_eps: 1e-12 }),
    pad_token_id: padding,
  } as unknown as BertConfig;
  const names = { words: "embeddings.word_embeddings.weight", layerNames: layers };
  return { ...facts, ...names, graph: (weights) => encoderGraph(shape, weights) };
}

function sizeAt(config: Readonly<Record<string, unknown>>, key: string, label: string): number {
  const value = config[key];
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw new ModelError(`${label}: ${key} is ${value}, expected a whole number above 0. Download it again.`);
}
