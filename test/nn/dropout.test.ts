import { describe, expect, it } from "vitest";
import { encodeModel } from "../../src/onnx/io/file.js";
import type { Model } from "../../src/onnx/model.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import * as nn from "../../src/train.js";
import { sampleFeeds } from "../onnx/sample-feeds.js";

/** A layer, two dropouts with different seeds, and another layer. */
function network(ratio?: number, seed = 1) {
  const net = nn.createNet(nn.fromSeed(3));
  const layer = (x: string, name: string) => nn.linear(net, x, { name, inputs: 8, outputs: 8 });
  const dropped = (x: string, place: number) =>
    ratio === undefined ? x : nn.dropout(net, x, { ratio, seed: seed + place });
  const first = layer(net.g.input("x", "float32", ["rows", 8]), "first");
  net.g.output("hidden", layer(dropped(dropped(first, 0), 1), "second"));
  return net.g.model();
}

async function hiddenOf(model: Model): Promise<number[]> {
  // the optimiser takes Dropout out of graphs without gradients
  const session = await createOrtSession(encodeModel(model), { optimization: "disabled" });
  const outputs = await session.run(sampleFeeds(model) as Feeds);
  await session.release();
  return Array.from(outputs.hidden.data, Number);
}

describe("dropout", () => {
  it("changes what a training graph computes, by nothing where the ratio is 0", async () => {
    const plain = await hiddenOf(network());
    expect(await hiddenOf(network(0.5))).not.toEqual(plain);
    expect(await hiddenOf(network(0))).toEqual(plain);
  });

  it("draws the same masks from the same seed", async () => {
    expect(await hiddenOf(network(0.5))).toEqual(await hiddenOf(network(0.5)));
    expect(await hiddenOf(network(0.5))).not.toEqual(await hiddenOf(network(0.5, 100)));
  });
});
