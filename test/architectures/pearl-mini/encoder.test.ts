/** The word encoder's gate layers, one for each way to write a phrase. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { wordEncoder } from "../../../src/architectures/pearl-mini/encoder.js";
import { declareWordInputs } from "../../../src/architectures/pearl-mini/inputs.js";
import { wordModelGraph, writeWordModel } from "../../../src/architectures/pearl-mini/model.js";
import { pearlMiniSizes, type WordEncoderSizes } from "../../../src/architectures/pearl-mini/sizes.js";
import { checkGradients } from "../../../src/autodiff/check.js";
import { PhraseEncoder } from "../../../src/index.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { createNet, fromSeed, fromTensors } from "../../../src/train.js";
import { testFolder } from "../../table/folder.js";

const { path } = testFolder();
const words = Array.from({ length: 20 }, (_, i) => `word${String.fromCharCode(97 + i)}`);
const reading = { minimum: 2, maximum: 4, buckets: 64, ngrams: 20, phraseLength: 14 };
const sizes: WordEncoderSizes = {
  ...{ ...pearlMiniSizes, vocabulary: words.length, buckets: 64, characters: 8, vectors: 8, width: 8 },
  ...{ heads: 2, feedForward: 16, layers: 1, meaning: 16, prefix: { characters: 4, meaning: 4 } },
};
const byWriting = { ...sizes, sharesByWriting: true };

/** Phrases that each of the three layers is for. */
const phrases = [
  ["Worda", "wordb Wordc", "wordd eWord", "the NASA", "B2"],
  ["worda", "unknown", "7", "(wordb)", "été", "東京"],
  ["worda wordb", "the word of 1990", "covid-19", "wordc's", "a b c d e f g h i j k l m n o"],
];

describe("shares by writing", () => {
  let embedded: { all: number[][][]; alone: number[][][] };
  beforeAll(async () => {
    const { initializers } = wordModelGraph({ weights: fromSeed(4), sizes: byWriting }).graph;
    const share = (name: string) => initializers.get(name)?.data as Float32Array;
    // logits of about 0.02 would make gates that hardly differ
    const [weight, bias] = [share("share.weight").map((w) => 60 * w), share("share.bias")];
    for (const i of bias.keys()) bias[i] = Math.sin(i);
    const writes = async (name: string, rows: [number, number], own: WordEncoderSizes) => {
      const folder = join(path, name);
      const [from, to] = rows.map((row) => row * (weight.length / 9));
      const weights = new Map(initializers);
      weights.set(
        "share.weight",
        tensor("float32", [rows[1] - rows[0], weight.length / 9], weight.slice(from, to)),
      );
      weights.set("share.bias", tensor("float32", [rows[1] - rows[0]], bias.slice(...rows)));
      await writeWordModel(folder, { weights: fromTensors(weights, folder), sizes: own, words, reading });
      const encoder = await PhraseEncoder.load(folder);
      const rowsOf = async (texts: string[]) => (await encoder.encode(texts)).map((row) => Array.from(row));
      return { encoder, rowsOf };
    };
    const all = await writes("all", [0, 9], byWriting);
    embedded = { all: [], alone: [] };
    for (const [kind, own] of phrases.entries()) {
      const alone = await writes(`layer-${kind}`, [3 * kind, 3 * kind + 3], sizes);
      embedded.all.push(await all.rowsOf(own));
      embedded.alone.push(await alone.rowsOf(own));
      await alone.encoder.dispose();
    }
    await all.encoder.dispose();
  });

  it.each([
    ["a phrase with a capital", 0],
    ["a word without", 1],
    ["a longer phrase without", 2],
  ])("%s has the layer that is for it", (_, kind) => {
    for (const [i, row] of embedded.all[kind].entries())
      for (const [j, value] of row.entries()) expect(value).toBeCloseTo(embedded.alone[kind][i][j], 5);
  });

  it("the layers differ", () => {
    const [one, two] = [embedded.alone[0][0], embedded.alone[1][0]];
    expect(Math.max(...one.map((value, i) => Math.abs(value - two[i])))).toBeGreaterThan(0.05);
  });

  it("each layer gets its gradient from its own phrases only", async () => {
    const net = createNet(fromSeed(8));
    const { g } = net;
    const encoded = wordEncoder(net, declareWordInputs(g), byWriting);
    // errors are relative only for gradients above 1
    const sum = g.add("ReduceSum", [encoded.parts[0]], { keepdims: 0 });
    g.output("loss", g.add("Mul", [sum, g.scalar("float32", 200)]));
    // three words, two of them in the vocabulary; three phrases: one with a capital, two in small letters
    const feeds = {
      word_ids: tensor("int32", [4], Int32Array.of(0, 1, 2, 0)),
      word_ngrams: tensor("int32", [4, 3], Int32Array.of(0, 0, 0, 5, 9, 0, 7, 8, 2, 3, 0, 0)),
      word_scales: tensor("float32", [4, 1], Float32Array.of(0, 0.7, 0.6, 1)),
      phrase_words: tensor("int32", [3, 2], Int32Array.of(1, 0, 2, 0, 2, 3)),
      phrase_marks: tensor("int32", [3, 2], Int32Array.of(4, 0, 1, 0, 1, 2)),
    };
    const errors = await checkGradients(g.model(), {
      ...{ loss: "loss", weights: ["share.weight", "share.bias"], feeds, step: 1e-2 },
      open: (model) => createOrtSession(model),
    });
    for (const error of errors.values()) expect(error).toBeLessThan(5e-3);
  });
});
