import { describe, expect, it } from "vitest";
import * as transformer from "../../src/architectures/transformer/bert.js";
import * as nn from "../../src/nn/index.js";
import { encodeModel, type Model } from "../../src/onnx/index.js";
import type { Feeds } from "../../src/runtime/index.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import { sampleFeeds } from "../onnx/sample-feeds.js";

const config = {
  ...{ vocab_size: 10, hidden_size: 8, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 16 },
  ...{ max_position_embeddings: 7, type_vocab_size: 2 },
};

function encoder(ratio?: number, seed = 1) {
  let place = seed;
  const net = nn.createNet(nn.fromSeed(3));
  const ids = (name: string) => net.g.input(name, "int64", ["batch", "length"]);
  const inputs = { input_ids: ids("ids"), attention_mask: ids("mask"), token_type_ids: ids("types") };
  const options =
    ratio === undefined ? {} : { dropout: (x: string) => nn.dropout(net, x, { ratio, seed: place++ }) };
  net.g.output("hidden", transformer.bert(net, config, inputs, options));
  return net.g.model();
}

async function hiddenOf(model: Model): Promise<number[]> {
  // the optimiser takes Dropout out of graphs without gradients
  const session = await createOrtSession(encodeModel(model), { optimization: "disabled" });
  const outputs = await session.run(sampleFeeds(model) as Feeds);
  await session.release();
  return Array.from(outputs.hidden.data, Number);
}

describe("dropout in a BERT", () => {
  it("stands after embeddings, shares, attention and feed-forward", () => {
    expect(encoder(0.1).graph.nodes.filter(({ op }) => op === "Dropout")).toHaveLength(1 + 3 * 2);
  });

  it("changes what a training graph computes, by nothing where the ratio is 0", async () => {
    const plain = await hiddenOf(encoder());
    expect(await hiddenOf(encoder(0.5))).not.toEqual(plain);
    expect(await hiddenOf(encoder(0))).toEqual(plain);
  });

  it("draws the same masks from the same seed", async () => {
    expect(await hiddenOf(encoder(0.5))).toEqual(await hiddenOf(encoder(0.5)));
    expect(await hiddenOf(encoder(0.5))).not.toEqual(await hiddenOf(encoder(0.5, 100)));
  });
});
