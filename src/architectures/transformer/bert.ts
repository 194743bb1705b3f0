/** BERT and RoBERTa encoders of any shape, written from their config.json, with the weights' published names. */
import { ModelError } from "../../errors.js";
import { truncatedNormal } from "../../nn/initialise.js";
import type { LinearOptions } from "../../nn/layers.js";
import { attention, attentionMask, embedding, gelu, geluTanh, layerNorm, linear } from "../../nn/layers.js";
import { createNet, type Net, type WeightSource } from "../../nn/net.js";
import { GraphBuilder } from "../../onnx/builder.js";
import type { Model } from "../../onnx/model.js";

/** The keys of a hub repository's config.json that shape the encoder. */
export interface BertConfig {
  /** "bert" (the default), or "roberta", "xlm-roberta", "camembert", which number positions otherwise. */
  model_type?: string;
  vocab_size: number;
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  intermediate_size: number;
  max_position_embeddings: number;
  type_vocab_size: number;
  /** Default 1e-12. */
  layer_norm_eps?: number;
  /** "gelu" (the default), its approximation "gelu_new" (also "gelu_pytorch_tanh", "gelu_fast"), "relu" or "tanh". */
  hidden_act?: string;
  /** Only used by RoBERTa; default 1. */
  pad_token_id?: number;
  /** Default "absolute", and nothing else is built. */
  position_embedding_type?: string;
  /** Deviation of new weights; default 0.02. */
  initializer_range?: number;
}

interface BertInputs {
  /** int64 [batch, length] */
  input_ids: string;
  /** int64 [batch, length], 1 for tokens and 0 for padding */
  attention_mask: string;
  /** int64 [batch, length]; default type 0 everywhere */
  token_type_ids?: string;
}

/** The encoder as a graph with the inputs, the output and the weights' names of published exports. */
export function encoderGraph(config: BertConfig, weights: WeightSource): Model {
  const net = createNet(weights, new GraphBuilder({ name: config.model_type ?? "bert" }));
  const dims = ["batch_size", "sequence_length"];
  const input = (name: string): string => net.g.input(name, "int64", [...dims]);
  const inputs = { input_ids: input("input_ids"), attention_mask: input("attention_mask") };
  const isBert = (config.model_type ?? "bert") === "bert";
  const types = isBert ? { token_type_ids: input("token_type_ids") } : {};
  const hidden = bert(net, config, { ...inputs, ...types });
  net.g.output("last_hidden_state", hidden, "float32", [...dims, config.hidden_size]);
  return net.g.model();
}

/**
 * @returns the last hidden state, float32 [batch, length, hidden_size]
 * @throws ModelError for a config that is not built here
 */
export function bert(net: Net, config: BertConfig, inputs: BertInputs): string {
  checkConfig(config);
  const { g } = net;
  const shape = g.add("Shape", [inputs.input_ids]);
  const mask = attentionMask(net, inputs.attention_mask);
  let hidden = embeddings(net, config, inputs);
  for (let layer = 0; layer < config.num_hidden_layers; layer++)
    hidden = block(net, hidden, { name: `encoder.layer.${layer}`, config, shape, mask });
  return g.add("Reshape", [hidden, g.add("Concat", [shape, g.ints(config.hidden_size)], { axis: 0 })]);
}

function checkConfig(config: BertConfig): void {
  const { hidden_size, num_attention_heads, hidden_act = "gelu" } = config;
  const { position_embedding_type = "absolute" } = config;
  if (hidden_size % num_attention_heads !== 0)
    throw new ModelError(
      `config.json: hidden_size ${hidden_size} is not a multiple of num_attention_heads ${num_attention_heads}`,
    );
  if (!Object.hasOwn(activations, hidden_act))
    throw new ModelError(`config.json: hidden_act ${hidden_act} is not one of ${Object.keys(activations)}`);
  if (position_embedding_type !== "absolute")
    throw new ModelError(`config.json: position_embedding_type ${position_embedding_type} is not supported`);
}

const activations: Record<string, (net: Net, x: string) => string> = {
  gelu,
  gelu_new: geluTanh,
  gelu_pytorch_tanh: geluTanh,
  gelu_fast: geluTanh,
  relu: ({ g }, x) => g.add("Relu", [x]),
  tanh: ({ g }, x) => g.add("Tanh", [x]),
};

const deviation = ({ initializer_range = 0.02 }: BertConfig) => truncatedNormal(initializer_range);
const normed = (
  net: Net,
  x: string,
  name: string,
  { hidden_size: width, layer_norm_eps: epsilon }: BertConfig,
) => layerNorm(net, x, { name: `${name}.LayerNorm`, width, epsilon });

/** Words, types and positions, added and normalised: [batch × length, hidden_size]. */
function embeddings(net: Net, config: BertConfig, inputs: BertInputs): string {
  const { g } = net;
  const { hidden_size: width, vocab_size, type_vocab_size, max_position_embeddings } = config;
  const name = "embeddings";
  const initialiser = deviation(config);
  const table = (part: string, rows: number, ids: string) =>
    embedding(net, ids, { name: `${name}.${part}_embeddings`, rows, width, initialiser });
  const words = table("word", vocab_size, inputs.input_ids);
  const types = table("token_type", type_vocab_size, inputs.token_type_ids ?? g.scalar("int64", 0));
  const positions = table("position", max_position_embeddings, positionIds(net, config, inputs.input_ids));
  const sum = g.add("Add", [g.add("Add", [words, types]), positions]);
  const flat = g.add("Reshape", [sum, g.ints(-1, width)]);
  return normed(net, flat, name, config);
}

/** 0, 1, 2, ...; RoBERTa starts at pad_token_id + 1 and counts only tokens that are not padding. */
function positionIds({ g }: Net, config: BertConfig, ids: string): string {
  const [zero, one] = [g.scalar("int64", 0), g.scalar("int64", 1)];
  if (!/roberta|camembert/.test(config.model_type ?? "bert")) {
    const length = g.add("Squeeze", [g.add("Shape", [ids], { start: 1 })]);
    return g.add("Range", [zero, length, one]);
  }
  const padding = g.scalar("int64", config.pad_token_id ?? 1);
  const real = g.cast(g.add("Not", [g.add("Equal", [ids, padding])]), "int64");
  return g.add("Add", [g.add("Mul", [g.add("CumSum", [real, one]), real]), padding]);
}

/** One layer: attention and feed-forward, each added to its input and normalised. */
function block(
  net: Net,
  x: string,
  { name, config, shape, mask }: { name: string; config: BertConfig; shape: string; mask: string },
): string {
  const { hidden_size: width, num_attention_heads: heads, intermediate_size, hidden_act = "gelu" } = config;
  const project = (at: Net, input: string, how: LinearOptions) =>
    linear(at, input, { ...how, initialiser: deviation(config) });
  const output = (input: string, inputs: number, residual: string, part: string) => {
    const dense = project(net, input, { name: `${part}.dense`, inputs, outputs: width });
    return normed(net, net.g.add("Add", [dense, residual]), part, config);
  };
  const self = { name: `${name}.attention.self`, width, heads, shape, mask, project };
  const mixed = attention(net, x, self);
  const attended = output(mixed, width, x, `${name}.attention.output`);
  const wide = { name: `${name}.intermediate.dense`, inputs: width, outputs: intermediate_size };
  const active = activations[hidden_act](net, project(net, attended, wide));
  return output(active, intermediate_size, attended, `${name}.output`);
}
