import { describe } from "vitest";
import * as transformer from "../../src/architectures/transformer/bert.js";
import * as nn from "../../src/train.js";
import { type Build, itMatchesPyTorch } from "./pytorch.js";

const attend: Build = (net, { hidden, mask }) => {
  const flat = net.g.add("Reshape", [hidden, net.g.ints(-1, 4)]);
  const shape = net.g.add("Shape", [mask]);
  const states = nn.attention(net, flat, {
    name: "l",
    width: 4,
    heads: 2,
    shape,
    mask: nn.attentionMask(net, mask),
  });
  return net.g.add("Reshape", [states, net.g.ints(2, 3, 4)]);
};
const recurrent = { name: "l", inputs: 4, width: 3, steps: 3 };

const layers: Record<string, Build> = {
  linear: (net, { x }) => nn.linear(net, x, { name: "l", inputs: 4, outputs: 2 }),
  layerNorm: (net, { x }) => nn.layerNorm(net, x, { name: "l", width: 4, epsilon: 1e-5 }),
  gelu: (net, { x }) => nn.gelu(net, x),
  l2Normalise: (net, { x }) => nn.l2Normalise(net, x),
  embedding: (net, { ids }) => nn.embedding(net, ids, { name: "l", rows: 5, width: 2 }),
  meanPooling: (net, { hidden, mask }) => nn.meanPooling(net, { hidden, mask }),
  sumPooling: (net, { hidden, mask }) => nn.sumPooling(net, { hidden, mask }),
  maxPooling: (net, { hidden, mask }) => nn.maxPooling(net, { hidden, mask }),
  firstToken: (net, { hidden }) => nn.firstToken(net, hidden),
  attention: attend,
  "lstm.forward": (net, { x }) => nn.lstm(net, { x }, recurrent).hidden,
  "lstm.backward": (net, { x }) => nn.lstm(net, { x }, { ...recurrent, direction: "backward" }).hidden,
  "lstm.masked": (net, { x, mask }) => nn.lstm(net, { x, mask }, recurrent).last,
  roberta: (net, { ids, mask }) => transformer.bert(net, roberta, { input_ids: ids, attention_mask: mask }),
};

const roberta = {
  ...{ model_type: "roberta", vocab_size: 10, hidden_size: 4, num_hidden_layers: 0, num_attention_heads: 2 },
  ...{ intermediate_size: 8, max_position_embeddings: 7, type_vocab_size: 1, layer_norm_eps: 1e-5 },
};

describe("layers have PyTorch's results and gradients", () => itMatchesPyTorch(layers, "layers"));
