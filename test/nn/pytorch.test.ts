import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as transformer from "../../src/architectures/transformer/bert.js";
import { differentiate } from "../../src/autodiff/gradient.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import { observeShapes } from "../../src/onnx/observe-shapes.js";
import { type Tensor, tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import * as nn from "../../src/train.js";

interface Stored {
  type: "float32" | "int64";
  dims: number[];
  data: number[];
}
interface PyTorchCase {
  weights: Record<string, Stored>;
  inputs: Record<string, Stored>;
  result: Stored;
  gradients: Record<string, Stored>;
}
/** Made by test/oracles/nn.py. */
const pytorch: Record<string, PyTorchCase> = JSON.parse(
  readFileSync(new URL("../oracles/nn.json", import.meta.url), "utf8"),
);

type Build = (net: nn.Net, inputs: Record<string, string>) => string;
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
const unitLength = (net: nn.Net, { anchors, positives, groups }: Record<string, string>) => ({
  anchors: nn.l2Normalise(net, anchors),
  positives: nn.l2Normalise(net, positives),
  groups,
});
const lstm = { name: "l", inputs: 4, width: 3, steps: 3 };
type Pair = { anchors: string; positives: string };
type Labelled = { logits: string; labels: string };

const graphs: Record<string, Build> = {
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
  "lstm.forward": (net, { x }) => nn.lstm(net, { x }, lstm).hidden,
  "lstm.backward": (net, { x }) => nn.lstm(net, { x }, { ...lstm, direction: "backward" }).hidden,
  "lstm.masked": (net, { x, mask }) => nn.lstm(net, { x, mask }, lstm).last,
  ntXent: (net, inputs) => nn.ntXent(net, inputs as Pair),
  "ntXent.cold": (net, inputs) => nn.ntXent(net, inputs as Pair, { temperature: 0.005 }),
  "ntXent.hard": (net, inputs) => nn.ntXent(net, inputs as Pair, { temperature: 0.1 }),
  "ntXent.groups": (net, inputs) => nn.ntXent(net, inputs as Pair, { temperature: 0.1 }),
  bothWays: (net, inputs) => nn.contrastBothWays(net, unitLength(net, inputs), 10),
  "bothWays.learned": (net, inputs) => nn.contrastBothWays(net, unitLength(net, inputs), inputs.scale),
  crossEntropy: (net, inputs) => nn.crossEntropy(net, inputs as Labelled, { classes: 3 }),
  "crossEntropy.smooth": (net, inputs) =>
    nn.crossEntropy(net, inputs as Labelled, { classes: 3, labelSmoothing: 0.1 }),
  "crossEntropy.weighted": (net, inputs) =>
    nn.crossEntropy(net, inputs as Labelled, { classes: 3, classWeights: [0.5, 1, 2.5] }),
  "crossEntropy.both": (net, inputs) =>
    nn.crossEntropy(net, inputs as Labelled, {
      classes: 3,
      classWeights: [0.5, 1, 2.5],
      labelSmoothing: 0.2,
    }),
  "crossEntropy.huge": (net, inputs) => nn.crossEntropy(net, inputs as Labelled, { classes: 3 }),
  binaryCrossEntropy: (net, { logits, targets }) => nn.binaryCrossEntropy(net, { logits, targets }),
  "binaryCrossEntropy.huge": (net, { logits, targets }) => nn.binaryCrossEntropy(net, { logits, targets }),
  squaredError: (net, { predictions, targets }) => nn.squaredError(net, { predictions, targets }),
  cosineRegression: (net, { left, right, targets }) => nn.cosineRegression(net, { left, right, targets }),
  triplet: (net, inputs) => nn.triplet(net, inputs as Pair & { negatives: string }),
  roberta: (net, { ids, mask }) => transformer.bert(net, roberta, { input_ids: ids, attention_mask: mask }),
  "triplet.cosine": (net, inputs) =>
    nn.triplet(net, inputs as Pair & { negatives: string }, { distance: "cosine" }),
};

const roberta = {
  ...{ model_type: "roberta", vocab_size: 10, hidden_size: 4, num_hidden_layers: 0, num_attention_heads: 2 },
  ...{ intermediate_size: 8, max_position_embeddings: 7, type_vocab_size: 1, layer_norm_eps: 1e-5 },
};

const load = ({ type, dims, data }: Stored): Tensor => tensor(type, dims, data);
const loaded = (stored: Record<string, Stored>) =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, load(value)]));

/** Same factors as in nn.py. */
function addLoss({ g }: nn.Net, result: string, { dims, data }: Stored): void {
  const factors = g.add("Constant", [], {
    value: tensor(
      "float32",
      dims,
      data.map((_, i) => Math.cos(i)),
    ),
  });
  g.output("loss", g.add("ReduceSum", [g.add("Mul", [result, factors])], { keepdims: 0 }));
}

/** Largest difference, relative to the largest number expected. */
function error(found: ArrayLike<number | bigint>, { data }: Stored): number {
  if (found.length !== data.length) return Number.POSITIVE_INFINITY;
  const largest = data.reduce((max, x) => Math.max(max, Math.abs(x)), 1e-3);
  return data.reduce((worst, x, i) => Math.max(worst, Math.abs(Number(found[i]) - x)), 0) / largest;
}

describe("layers and losses have PyTorch's results and gradients", () => {
  it("for every case that was computed", () => {
    expect(Object.keys(graphs).sort()).toEqual(Object.keys(pytorch).sort());
  });

  for (const opset of [17, 20]) {
    it.each(Object.entries(graphs))(`%s (opset ${opset})`, async (name, build) => {
      const expected = pytorch[name];
      const feeds = loaded(expected.inputs);
      const net = nn.createNet(
        nn.fromTensors(new Map(Object.entries(loaded(expected.weights)))),
        new GraphBuilder({ opset }),
      );
      const inputs = Object.fromEntries(
        Object.entries(feeds).map(([input, { type, dims }]) => [input, net.g.input(input, type, [...dims])]),
      );
      const result = build(net, inputs);
      net.g.output("result", result);
      addLoss(net, result, expected.result);
      const model = net.g.model();
      const shapes = await observeShapes(model, feeds, (bytes) =>
        createOrtSession(bytes, { optimization: "disabled" }),
      );
      const weights = Object.keys(expected.gradients);
      const trained = differentiate(model, { loss: "loss", weights, shapes });
      const session = await createOrtSession(encodeModel(trained.model), { optimization: "basic" });
      const outputs = await session.run({ ...feeds, ...loaded(expected.weights) } as Feeds);
      expect(outputs.result.dims).toEqual(expected.result.dims);
      expect(error(outputs.result.data, expected.result)).toBeLessThan(3e-6);
      for (const [weight, gradient] of Object.entries(expected.gradients)) {
        // a bias on keys moves all scores of a row alike: its gradient is 0, and what is computed is noise
        if (weight === "l.key.bias") continue;
        const output = outputs[trained.gradients.get(weight) as string];
        expect(error(output.data, gradient), `gradient of ${weight}`).toBeLessThan(1e-5);
      }
      await session.release();
    });
  }
});
