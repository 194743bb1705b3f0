/** BERT, and RoBERTa, MPNet and DistilBERT, which differ from it in {@link Traits}: graphs with the weights' published names. */
import { ModelError } from "../../errors.js";
import { truncatedNormal } from "../../nn/initialise.js";
import type { LinearOptions } from "../../nn/layers.js";
import { attention, attentionMask, embedding, gelu, geluTanh, layerNorm, linear } from "../../nn/layers.js";
import { createNet, type Net, type WeightSource } from "../../nn/net.js";
import { GraphBuilder } from "../../onnx/builder.js";
import type { Model } from "../../onnx/model.js";
import { tensor } from "../../onnx/tensor.js";

/** The keys of a hub repository's config.json that shape the encoder; DistilBERT has other names for some. */
export interface BertConfig {
  /** "bert" (the default), or "roberta", "xlm-roberta", "camembert", "mpnet", "distilbert". */
  model_type?: string;
  vocab_size: number;
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  intermediate_size: number;
  max_position_embeddings: number;
  /** Not of MPNet and DistilBERT, which have no token types. */
  type_vocab_size?: number;
  /** Default 1e-12. */
  layer_norm_eps?: number;
  /** "gelu" (the default), its approximation "gelu_new" (also "gelu_pytorch_tanh", "gelu_fast"), "relu" or "tanh". */
  hidden_act?: string;
  /** Only used where positions count from it; default 1. */
  pad_token_id?: number;
  /** Default "absolute", and nothing else is built. */
  position_embedding_type?: string;
  /** Deviation of new weights; default 0.02. */
  initializer_range?: number;
}

/** In what the families differ. */
interface Traits {
  /** "all": 0, 1, 2, ...; "real": from pad_token_id + 1, and only tokens that are not padding count. */
  readonly positions: "all" | "real";
  /** Token types: an input of the graph, always type 0, or there are none. */
  readonly types: "input" | "zero" | "none";
  /** Scores also depend on the distance of two tokens: the prefix of that table. */
  readonly distances?: string;
  /** Prefix of the layers' weights, and the parts of a layer. */
  readonly layers: string;
  readonly parts: Readonly<Record<keyof typeof bertParts, string>>;
}

const bertParts = {
  ...{ query: "attention.self.query", key: "attention.self.key", value: "attention.self.value" },
  ...{ mixed: "attention.output.dense", mixedNorm: "attention.output.LayerNorm" },
  ...{ wide: "intermediate.dense", narrow: "output.dense", narrowNorm: "output.LayerNorm" },
};
const mpnetParts = {
  ...{ query: "attention.attn.q", key: "attention.attn.k", value: "attention.attn.v" },
  ...{ mixed: "attention.attn.o", mixedNorm: "attention.LayerNorm" },
};
const distilbertParts = {
  ...{ query: "attention.q_lin", key: "attention.k_lin", value: "attention.v_lin" },
  ...{ mixed: "attention.out_lin", mixedNorm: "sa_layer_norm" },
  ...{ wide: "ffn.lin1", narrow: "ffn.lin2", narrowNorm: "output_layer_norm" },
};

const bertTraits: Traits = { positions: "all", types: "input", layers: "encoder.layer", parts: bertParts };
const robertaTraits: Traits = { ...bertTraits, positions: "real", types: "zero" };

/** By `model_type`. */
export const bertFamilies: Readonly<Record<string, Traits>> = {
  ...{ bert: bertTraits, roberta: robertaTraits, "xlm-roberta": robertaTraits, camembert: robertaTraits },
  mpnet: {
    ...{ positions: "real", types: "none", distances: "encoder.relative_attention_bias" },
    ...{ layers: "encoder.layer", parts: { ...bertParts, ...mpnetParts } },
  },
  distilbert: { positions: "all", types: "none", layers: "transformer.layer", parts: distilbertParts },
};

const traitsOf = ({ model_type = "bert" }: BertConfig): Traits => bertFamilies[model_type] ?? bertTraits;

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
  const types = traitsOf(config).types === "input" ? { token_type_ids: input("token_type_ids") } : {};
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
  const { distances, layers } = traitsOf(config);
  const padding = attentionMask(net, inputs.attention_mask);
  const mask =
    distances === undefined
      ? padding
      : g.add("Add", [distanceBias(net, inputs.input_ids, distances, config), padding]);
  let hidden = embeddings(net, config, inputs);
  for (let layer = 0; layer < config.num_hidden_layers; layer++)
    hidden = block(net, hidden, { name: `${layers}.${layer}`, config, shape, mask });
  return g.add("Reshape", [hidden, g.add("Concat", [shape, g.ints(config.hidden_size)], { axis: 0 })]);
}

function checkConfig(config: BertConfig): void {
  const { hidden_size, num_attention_heads, hidden_act = "gelu" } = config;
  const { position_embedding_type = "absolute" } = config;
  checkHeads(hidden_size, num_attention_heads);
  checkActivation("hidden_act", hidden_act);
  if (position_embedding_type !== "absolute")
    throw new ModelError(`config.json: position_embedding_type ${position_embedding_type} is not supported`);
}

/** @throws ModelError where heads would not be of one width */
export function checkHeads(width: number, heads: number): void {
  if (width % heads === 0) return;
  throw new ModelError(`config.json: hidden_size ${width} is not a multiple of num_attention_heads ${heads}`);
}

/** @throws ModelError for an activation that is not built here */
export function checkActivation(key: string, name: string): void {
  if (!Object.hasOwn(activations, name))
    throw new ModelError(`config.json: ${key} ${name} is not one of ${Object.keys(activations)}`);
}

export const activations: Record<string, (net: Net, x: string) => string> = {
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
) => layerNorm(net, x, { name, width, epsilon });

/** Words, types and positions, added and normalised: [batch × length, hidden_size]. */
function embeddings(net: Net, config: BertConfig, inputs: BertInputs): string {
  const { g } = net;
  const { hidden_size: width, vocab_size, type_vocab_size = 0, max_position_embeddings } = config;
  const name = "embeddings";
  const initialiser = deviation(config);
  const table = (part: string, rows: number, ids: string) =>
    embedding(net, ids, { name: `${name}.${part}_embeddings`, rows, width, initialiser });
  let sum = table("word", vocab_size, inputs.input_ids);
  if (traitsOf(config).types !== "none") {
    const types = table("token_type", type_vocab_size, inputs.token_type_ids ?? g.scalar("int64", 0));
    sum = g.add("Add", [sum, types]);
  }
  const positions = table("position", max_position_embeddings, positionIds(net, config, inputs.input_ids));
  const flat = g.add("Reshape", [g.add("Add", [sum, positions]), g.ints(-1, width)]);
  return normed(net, flat, `${name}.LayerNorm`, config);
}

/** 0, 1, 2, ... for each token of a row, int64 [length]. */
export function placesOf({ g }: Net, ids: string): string {
  const length = g.add("Squeeze", [g.add("Shape", [ids], { start: 1 })]);
  return g.add("Range", [g.scalar("int64", 0), length, g.scalar("int64", 1)]);
}

function positionIds(net: Net, config: BertConfig, ids: string): string {
  if (traitsOf(config).positions === "all") return placesOf(net, ids);
  const { g } = net;
  const padding = g.scalar("int64", config.pad_token_id ?? 1);
  const real = g.cast(g.add("Not", [g.add("Equal", [ids, padding])]), "int64");
  return g.add("Add", [g.add("Mul", [g.add("CumSum", [real, g.scalar("int64", 1)]), real]), padding]);
}

/** Buckets of distances, half of them for tokens to the right, and where the last one begins (Raffel et al., 2020). */
const [buckets, farthest] = [32, 128];

/** The bucket of a distance to another token: one each up to 7, then evenly by logarithm. */
function bucketOf(distance: number): number {
  const [half, exact] = [buckets / 2, buckets / 4];
  const far = Math.abs(distance);
  const side = distance > 0 ? half : 0;
  if (far < exact) return side + far;
  const steps = Math.floor((Math.log(far / exact) / Math.log(farthest / exact)) * (half - exact) + 1e-9);
  return side + Math.min(half - 1, exact + steps);
}

/** What scores gain by the distance of two tokens, by head: float32 [1, heads, length, length]. */
function distanceBias(net: Net, ids: string, name: string, config: BertConfig): string {
  const { g } = net;
  // all distances beyond are in the last bucket of their side
  const known = Array.from({ length: 2 * farthest + 1 }, (_, i) => bucketOf(i - farthest));
  const table = g.add("Constant", [], { value: tensor("int64", [known.length], known) });
  const places = placesOf(net, ids);
  const [row, column] = [1, 0].map((axis) => g.add("Unsqueeze", [places, g.ints(axis)]));
  const limit = (value: number) => g.scalar("int64", value);
  const distance = g.add("Clip", [g.add("Sub", [column, row]), limit(-farthest), limit(farthest)]);
  const bucket = g.add("Gather", [table, g.add("Add", [distance, limit(farthest)])]);
  const { num_attention_heads: width } = config;
  const bias = embedding(net, bucket, { name, rows: buckets, width, initialiser: deviation(config) });
  return g.add("Unsqueeze", [g.add("Transpose", [bias], { perm: [2, 0, 1] }), g.ints(0)]);
}

/** One layer: attention and feed-forward, each added to its input and normalised. */
function block(
  net: Net,
  x: string,
  { name, config, shape, mask }: { name: string; config: BertConfig; shape: string; mask: string },
): string {
  const { hidden_size: width, num_attention_heads: heads, intermediate_size, hidden_act = "gelu" } = config;
  const { parts } = traitsOf(config);
  const project = (at: Net, input: string, how: LinearOptions) =>
    linear(at, input, { ...how, initialiser: deviation(config) });
  const output = (input: string, inputs: number, residual: string, part: "mixed" | "narrow") => {
    const dense = project(net, input, { name: `${name}.${parts[part]}`, inputs, outputs: width });
    return normed(net, net.g.add("Add", [dense, residual]), `${name}.${parts[`${part}Norm`]}`, config);
  };
  const self = { name, parts: [parts.query, parts.key, parts.value] as const, width, heads, shape, mask };
  const attended = output(attention(net, x, { ...self, project }), width, x, "mixed");
  const wide = { name: `${name}.${parts.wide}`, inputs: width, outputs: intermediate_size };
  const active = activations[hidden_act](net, project(net, attended, wide));
  return output(active, intermediate_size, attended, "narrow");
}
