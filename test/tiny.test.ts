/** All of pearl in one file, for newcomers: read it from top to bottom, then open the room that you need. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { differentiate } from "../src/autodiff/gradient.js";
import { rocAuc } from "../src/benchmark/metrics.js";
import {
  cluster,
  createAugmenter,
  dedupe,
  encodeTable,
  finetune,
  fuzzyJoin,
  PhraseEncoder,
  train,
  VectorIndex,
} from "../src/index.js";
import { linear } from "../src/nn/layers.js";
import { squaredError } from "../src/nn/losses.js";
import { createNet, fromSeed } from "../src/nn/net.js";
import { encodeModel } from "../src/onnx/io/file.js";
import { observeShapes } from "../src/onnx/observe-shapes.js";
import { tensor } from "../src/onnx/tensor.js";
import { createOrtSession } from "../src/runtime/ort-session.js";
import type { Feeds } from "../src/runtime/tensor.js";
import { makeOracleModel } from "./encoder/oracle-model.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-tour-"));
const names = ["The New York Times", "New York Times", "Acme Inc.", "Acme, Inc", "Apex Ltd"];

describe("use: phrases become vectors", () => {
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    encoder = await PhraseEncoder.load(); // pearl-mini, embedded in the package
  });
  afterAll(() => encoder.dispose());

  it("encodes a phrase as a unit vector, and an empty phrase as zeros", async () => {
    const [vector, empty] = await encoder.encode(["NYTimes", ""]);
    expect(vector.length).toBe(encoder.dimension);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(empty.every((value) => value === 0)).toBe(true);
  });

  it("gives phrases that mean the same a higher cosine", async () => {
    const [[same, other]] = await encoder.similarity(["NYTimes"], ["The New York Times", "photosynthesis"]);
    expect(same).toBeGreaterThan(other);
  });

  it("writes a table with its embeddings", async () => {
    const report = await encodeTable("data/phrases.csv", join(folder, "phrases.parquet"), encoder);
    expect(report).toMatchObject({ rows: 65, dimension: encoder.dimension });
  });

  it("joins two lists without a shared key, at the precision asked for", async () => {
    const companies = [
      "Siemens AG",
      "Deutsche Bahn AG",
      "Sony Group Corporation",
      "Nestlé S.A.",
      "Dell Inc.",
    ];
    const suppliers = ["SIEMENS A.G.", "Deutsche Bhan", "Bernini Pasta"];
    const { matches } = await fuzzyJoin(companies, suppliers, { encoder, precision: 0.9 });
    const found = new Map(matches.map(({ left, right }) => [suppliers[right], companies[left]]));
    expect(found.get("SIEMENS A.G.")).toBe("Siemens AG");
    expect(found.has("Bernini Pasta")).toBe(false);
  });

  it("puts spellings of one thing into one cluster, and removes duplicates", async () => {
    const { groups } = await cluster(names, { encoder, threshold: 0.7 });
    expect(groups.map(({ rows }) => rows.length).sort()).toEqual([1, 2, 2]);
    expect((await dedupe(names, { encoder, threshold: 0.7 })).kept.length).toBe(3);
  });

  it("finds the nearest rows in an index on disk", async () => {
    const path = join(folder, "names.index");
    const index = await VectorIndex.create(path, { dimension: encoder.dimension, columns: ["name"] });
    const { data: vectors } = await encoder.encodeMatrix(names);
    await index.add({ vectors, cells: names.map((name) => [name]) });
    const [query] = await encoder.encode(["acme incorporated"]);
    const [hits] = await index.search(query, { k: 2 });
    expect(hits.map(({ cells }) => cells.name).sort()).toEqual(["Acme Inc.", "Acme, Inc"]);
    await index.close();
  });
});

describe("learn: a graph, its gradient, a training", () => {
  /** y = x W, and its squared distance from a target. */
  function regression() {
    const net = createNet(fromSeed(0));
    const x = net.g.input("x", "float32", ["rows", 3]);
    const target = net.g.input("target", "float32", ["rows", 1]);
    const y = linear(net, x, { name: "layer", inputs: 3, outputs: 1, bias: "none" });
    net.g.output("loss", squaredError(net, { predictions: y, targets: target }));
    return net.g.model();
  }
  const rows: Feeds = {
    x: tensor("float32", [4, 3], [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]) as Feeds[string],
    target: tensor("float32", [4, 1], [1, 2, 3, 6]) as Feeds[string],
  };

  it("derives the gradient of a graph, as a graph", async () => {
    const model = regression();
    const shapes = await observeShapes(model, rows, (bytes) =>
      createOrtSession(bytes, { optimization: "disabled" }),
    );
    const { model: trained, gradients } = differentiate(model, { loss: "loss", shapes });
    const session = await createOrtSession(encodeModel(trained), { optimization: "basic" });
    const weight = model.graph.initializers.get("layer.weight") as Feeds[string];
    const outputs = await session.run({ ...rows, "layer.weight": weight });
    expect(outputs[gradients.get("layer.weight") as string].dims).toEqual(weight.dims);
    await session.release();
  });

  it("trains a graph until its loss is almost 0", async () => {
    const program = { model: regression(), loss: "loss", sample: rows };
    const losses: number[] = [];
    await train(
      program,
      { fingerprint: "four rows", batch: () => ({ feeds: rows, phrases: 4 }) },
      { steps: 300, learningRate: 0.2, onStep: ({ loss }) => losses.push(loss) },
    );
    expect(losses.at(-1)).toBeLessThan(0.01);
  });

  it("makes twins of a phrase, which training pulls together", async () => {
    const augmenter = await createAugmenter({ preset: "house", wordNet: "off" });
    const twins = augmenter.all("The New York Times").map(({ text }) => text);
    expect(twins).toContain("New York Times");
  });

  it("trains an encoder further on pairs, into a model folder that loads", async () => {
    const output = join(folder, "model");
    const base = makeOracleModel("encoder.folded.onnx"); // a tiny BERT with random weights
    await finetune({ base, pairs: "data/pairs.csv", output, epochs: 1, batchSize: 8 });
    const encoder = await PhraseEncoder.load(output);
    expect((await encoder.encode(["t1 t2"]))[0].length).toBe(32);
    await encoder.dispose();
  });
});

describe("judge: scores of a model", () => {
  it("ranks pairs that mean the same above others: AUC 1 is perfect, 0.5 is chance", () => {
    expect(rocAuc([0.9, 0.8, 0.3], [true, true, false])).toBe(1);
    expect(rocAuc([0.5, 0.5], [true, false])).toBe(0.5); // a tie counts half
  });
});
