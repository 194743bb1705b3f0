import { describe, expect, it } from "vitest";
import * as transformer from "../../src/architectures/transformer/bert.js";
import { ModelError } from "../../src/errors.js";
import { tensor } from "../../src/onnx/tensor.js";
import * as nn from "../../src/train.js";

const draw = (initialiser: nn.Initialiser, dims = [200, 300], seed = 1, name = "w") =>
  Array.from(nn.initialise(initialiser, name, dims, seed).data, Number);
const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const deviation = (values: number[]) => Math.sqrt(mean(values.map((x) => x * x)) - mean(values) ** 2);
const limits = (values: number[]) =>
  values.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [0, 0]);

describe("initialisers", () => {
  it("draw from the distributions that they name", () => {
    const gauss = draw(nn.normal(0.02));
    expect(mean(gauss)).toBeCloseTo(0, 3);
    expect(deviation(gauss)).toBeCloseTo(0.02, 3);
    // fraction of a normal distribution beyond two deviations
    expect(gauss.filter((x) => Math.abs(x) > 0.04).length / gauss.length).toBeCloseTo(0.0455, 2);
    const cut = draw(nn.truncatedNormal(0.02));
    expect(Math.max(...limits(cut).map(Math.abs))).toBeLessThanOrEqual(0.04);
    // deviation of a normal distribution cut at ±2: 0.8796
    expect(deviation(cut)).toBeCloseTo(0.02 * 0.8796, 3);
    const even = draw(nn.uniform(3));
    expect(deviation(even)).toBeCloseTo(3 / Math.sqrt(3), 1);
    expect(limits(even)[0]).toBeCloseTo(-3, 2);
    expect(limits(even)[1]).toBeCloseTo(3, 2);
    expect(limits(draw(nn.byInputs(300)))[1]).toBeCloseTo(1 / Math.sqrt(300), 3);
    expect(new Set(draw(nn.zeros))).toEqual(new Set([0]));
    expect(new Set(draw(nn.ones))).toEqual(new Set([1]));
  });

  it("repeat for the same seed and name, and differ for others", () => {
    expect(draw(nn.normal(1), [4])).toEqual(draw(nn.normal(1), [4]));
    expect(draw(nn.normal(1), [4], 2)).not.toEqual(draw(nn.normal(1), [4]));
    expect(draw(nn.normal(1), [4], 1, "v")).not.toEqual(draw(nn.normal(1), [4]));
  });
});

describe("weights from a file", () => {
  const layer = { name: "head", inputs: 2, outputs: 1 };
  const given = (dims: number[]) =>
    nn.createNet(
      nn.fromTensors(new Map([["head.weight", tensor("float32", dims, [1, 2])]]), "model.safetensors"),
    );

  it("must be there, and of the shape that the layer has", () => {
    const build = (dims: number[]) => () => nn.linear(given(dims), "x", layer);
    expect(build([1, 2])).toThrow("model.safetensors: weight head.bias is missing");
    expect(build([2, 1])).toThrow("model.safetensors: head.weight is float32 [2,1], not float32 [1,2]");
  });

  it("must belong to a config that is built", () => {
    const config = {
      ...{
        vocab_size: 10,
        hidden_size: 6,
        num_hidden_layers: 1,
        num_attention_heads: 4,
        intermediate_size: 8,
      },
      ...{ max_position_embeddings: 7, type_vocab_size: 1 },
    };
    const build = (more: Partial<transformer.BertConfig>) => () =>
      transformer.bert(given([1, 2]), { ...config, ...more }, { input_ids: "i", attention_mask: "m" });
    expect(build({})).toThrow(
      new ModelError("config.json: hidden_size 6 is not a multiple of num_attention_heads 4"),
    );
    expect(build({ hidden_size: 8, hidden_act: "swish" })).toThrow(/hidden_act swish is not one of gelu/);
    expect(build({ hidden_size: 8, position_embedding_type: "relative_key" })).toThrow(/relative_key/);
  });
});
