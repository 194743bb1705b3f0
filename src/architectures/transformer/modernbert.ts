/**
 * ModernBERT (Warner et al., 2024): norms before each part, rotary positions (Su et al., 2021), attention to near tokens in
 * most layers, gated feed-forward layers (GeGLU), biases only where config.json asks for them.
 */
import { ModelError } from "../../errors.js";
import { truncatedNormal } from "../../nn/initialise.js";
import { attend, attentionMask, embedding, layerNorm, linear } from "../../nn/layers.js";
import { createNet, type Net, number, splitEvenly, type WeightSource } from "../../nn/net.js";
import { GraphBuilder } from "../../onnx/builder.js";
import type { Model } from "../../onnx/model.js";
import { tensor } from "../../onnx/tensor.js";
import { activations, checkActivation, checkHeads, placesOf } from "./bert.js";

type LayerType = "full_attention" | "sliding_attention";
type Rope = Readonly<{ rope_type?: string; rope_theta?: number }>;

/** The keys of config.json that shape the encoder. */
export interface ModernBertConfig {
  vocab_size: number;
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  intermediate_size: number;
  /** Default 1e-5. */
  norm_eps?: number;
  /** Default "gelu", as in {@link activations}. */
  hidden_activation?: string;
  /** Default false, as of the other two. */
  norm_bias?: boolean;
  attention_bias?: boolean;
  mlp_bias?: boolean;
  /** Tokens that a layer of local attention sees, half of them on each side; default 128. */
  local_attention?: number;
  /** Each layer's attention; default: every `global_attn_every_n_layers`-th (3) from the first is full. */
  layer_types?: readonly LayerType[];
  global_attn_every_n_layers?: number;
  /** Slowest rotation by kind of attention; older files have the two keys below, 160,000 and 10,000 by default. */
  rope_parameters?: Readonly<Partial<Record<LayerType, Rope>>> | null;
  global_rope_theta?: number;
  local_rope_theta?: number | null;
}

/** The encoder with inputs, output and weights named as published. @throws ModelError for a config that is not built here */
export function modernBertGraph(config: ModernBertConfig, weights: WeightSource): Model {
  const { hidden_size: width, num_attention_heads: heads, hidden_activation = "gelu" } = config;
  checkHeads(width, heads);
  checkActivation("hidden_activation", hidden_activation);
  const net = createNet(weights, new GraphBuilder({ name: "modernbert" }));
  const { g } = net;
  const dims = ["batch_size", "sequence_length"];
  const [ids, mask] = ["input_ids", "attention_mask"].map((name) => g.input(name, "int64", [...dims]));
  const shape = g.add("Shape", [ids]);
  const places = g.cast(placesOf(net, ids), "float32");
  const padding = attentionMask(net, mask);
  const kinds = {
    full_attention: { mask: padding, turn: rotation(net, places, config, "full_attention") },
    sliding_attention: {
      // not added: two masks would add up to -∞
      mask: g.add("Min", [padding, nearMask(net, places, config)]),
      turn: rotation(net, places, config, "sliding_attention"),
    },
  };
  const norm = (x: string, name: string) =>
    layerNorm(net, x, { name, width, epsilon: config.norm_eps ?? 1e-5, bias: trainedIf(config.norm_bias) });
  const name = "embeddings.tok_embeddings";
  const words = embedding(net, ids, { name, rows: config.vocab_size, width, initialiser });
  let x = norm(g.add("Reshape", [words, g.ints(-1, width)]), "embeddings.norm");
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `layers.${layer}`;
    const { mask, turn } = kinds[kindOf(config, layer)];
    const normed = layer === 0 ? x : norm(x, `${at}.attn_norm`);
    x = g.add("Add", [x, mixed(net, normed, { name: `${at}.attn`, config, shape, mask, turn })]);
    x = g.add("Add", [x, gated(net, norm(x, `${at}.mlp_norm`), `${at}.mlp`, config)]);
  }
  const sizes = g.add("Concat", [shape, g.ints(width)], { axis: 0 });
  const hidden = g.add("Reshape", [norm(x, "final_norm"), sizes]);
  g.output("last_hidden_state", hidden, "float32", [...dims, width]);
  return g.model();
}

const initialiser = truncatedNormal(0.02);
const trainedIf = (has = false) => (has ? "trained" : "none");

function kindOf(
  { layer_types, global_attn_every_n_layers: every = 3 }: ModernBertConfig,
  layer: number,
): LayerType {
  const kind = layer_types?.[layer] ?? (layer % every === 0 ? "full_attention" : "sliding_attention");
  if (kind === "full_attention" || kind === "sliding_attention") return kind;
  throw new ModelError(
    `config.json: layer_types has "${kind}", which is not full_attention or sliding_attention`,
  );
}

/** 0 for tokens at most half of local_attention apart, in effect -∞ for others: float32 [length, length]. */
function nearMask(net: Net, places: string, { local_attention = 128 }: ModernBertConfig): string {
  const { g } = net;
  const [row, column] = [1, 0].map((axis) => g.add("Unsqueeze", [places, g.ints(axis)]));
  const distance = g.add("Abs", [g.add("Sub", [column, row])]);
  const far = g.cast(g.add("Greater", [distance, number(net, Math.floor(local_attention / 2))]), "float32");
  return g.add("Mul", [far, number(net, -3.4028234663852886e38)]);
}

/** Turns each pair (i, i + d/2) of a head's numbers by its token's place, [batch, heads, length, d]. */
function rotation(
  net: Net,
  places: string,
  config: ModernBertConfig,
  kind: LayerType,
): (x: string) => string {
  const { g } = net;
  const { rope_parameters, global_rope_theta = 160_000, local_rope_theta = 10_000 } = config;
  const given = rope_parameters?.[kind] ?? {};
  if ((given.rope_type ?? "default") !== "default")
    throw new ModelError(`config.json: rope_type ${given.rope_type} is not supported, only default`);
  const own = kind === "full_attention" ? global_rope_theta : (local_rope_theta ?? global_rope_theta);
  const { rope_theta: theta = own } = given;
  const size = config.hidden_size / config.num_attention_heads;
  // rounded as PyTorch does: at high places a last bit is visible
  const rates = Array.from(
    { length: size / 2 },
    (_, i) => 1 / Math.fround(theta ** Math.fround((2 * i) / size)),
  );
  const rate = g.add("Constant", [], { value: tensor("float32", [rates.length], rates) });
  const angles = g.add("Mul", [g.add("Unsqueeze", [places, g.ints(1)]), rate]);
  const [sine, cosine] = [g.add("Sin", [angles]), g.add("Cos", [angles])];
  return (x) => {
    const [left, right] = splitEvenly(net, x, 2, -1);
    const product = (a: string, b: string) => g.add("Mul", [a, b]);
    const first = g.add("Sub", [product(left, cosine), product(right, sine)]);
    const second = g.add("Add", [product(right, cosine), product(left, sine)]);
    return g.add("Concat", [first, second], { axis: -1 });
  };
}

interface Mixing {
  readonly name: string;
  readonly config: ModernBertConfig;
  readonly shape: string;
  readonly mask: string;
  readonly turn: (x: string) => string;
}

function mixed(net: Net, x: string, { name, config, shape, mask, turn }: Mixing): string {
  const { g } = net;
  const { hidden_size: width, num_attention_heads: heads, attention_bias } = config;
  const bias = trainedIf(attention_bias);
  const all = linear(net, x, { name: `${name}.Wqkv`, inputs: width, outputs: 3 * width, bias, initialiser });
  const split = g.add("Concat", [shape, g.ints(heads, width / heads)], { axis: 0 });
  const [query, key, value] = splitEvenly(net, all, 3, -1).map((part) =>
    g.add("Transpose", [g.add("Reshape", [part, split])], { perm: [0, 2, 1, 3] }),
  );
  const turned = g.add("Transpose", [turn(key)], { perm: [0, 1, 3, 2] });
  const attended = attend(net, { query: turn(query), key: turned, value, mask, width, heads });
  return linear(net, attended, { name: `${name}.Wo`, inputs: width, outputs: width, bias, initialiser });
}

/** The activated half of a wide layer times its other half. */
function gated(net: Net, x: string, name: string, config: ModernBertConfig): string {
  const { hidden_size: width, intermediate_size: inner, hidden_activation = "gelu", mlp_bias } = config;
  const bias = trainedIf(mlp_bias);
  const wide = linear(net, x, { name: `${name}.Wi`, inputs: width, outputs: 2 * inner, bias, initialiser });
  const [input, gate] = splitEvenly(net, wide, 2, -1);
  const product = net.g.add("Mul", [activations[hidden_activation](net, input), gate]);
  return linear(net, product, { name: `${name}.Wo`, inputs: inner, outputs: width, bias, initialiser });
}
