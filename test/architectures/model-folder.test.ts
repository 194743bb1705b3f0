/** What config.json and the tokenizer's files say of a model. */
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { makeOracleModel } from "../encoder/oracle-model.js";

const withFiles = (files: Record<string, object>) =>
  readModelFolder(
    makeOracleModel(
      "encoder.folded.onnx",
      Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])),
    ),
  );

describe("a model folder", () => {
  it.each([[null], [{}], [{ features: [null], dimension: 3 }]])(
    "is refused with the section %j",
    async (pearl) => {
      await expect(withFiles({ "config.json": { pearl } })).rejects.toThrow(
        /config\.json: the "pearl" section must list features and a dimension/,
      );
    },
  );

  it.each([
    ["the tokenizer's limit", { model_max_length: 48 }, 48],
    ["512 where transformers knew no limit and wrote 1e30", { model_max_length: 1e30 }, 512],
  ])("reads as many tokens as its files say: %s", async (_, tokenizer, expected) => {
    const config = { model_type: "bert", hidden_size: 32 };
    const { features } = await withFiles({ "config.json": config, "tokenizer_config.json": tokenizer });
    expect(features[0].maximumLength).toBe(expected);
  });
});
