/** Messages of a distillation to a static model: each names a cure, which is applied and works. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DistillOptions, distillStatic } from "../../../../src/methods/distill-static.js";
import { editJson } from "../../../encoder/fixture-models.js";
import { makeOracleModel } from "../../../encoder/oracle-model.js";
import { newFolder } from "../../../setup/new-folder.js";

const transformer = makeOracleModel("encoder.folded.onnx");
const cut = makeOracleModel("encoder.folded.onnx");
editJson(join(cut, "config.json"), { vocab_size: 499 });
const distill = ({ base = transformer, ...options }: DistillOptions & { readonly base?: string }) =>
  distillStatic(base, join(newFolder(), "static"), { dims: 8, threads: 1, ...options });

describe("the cure in a message", () => {
  it.each<[string, DistillOptions & { readonly base?: string }, string, object]>([
    [
      "a model of words",
      { base: "pearl-mini" },
      "has no transformer that reads subword tokens. Name one that has, such as pearl-small.",
      { base: transformer },
    ],
    [
      "a tokenizer with more tokens than the transformer",
      { base: cut },
      "Take both files from the same model.",
      { base: transformer },
    ],
    [
      "more dimensions than the transformer has",
      { dims: 33 },
      "has 32 dimensions and 497 tokens. Give a whole number from 1 to 32.",
      { dims: 32 },
    ],
    [
      "a smoothing constant of 1",
      { sif: 1 },
      "Give a number above 0 and below 1, such as 1e-4.",
      { sif: 1e-4 },
    ],
  ])("of %s works", async (_, wrong, says, cure) => {
    await expect(distill(wrong)).rejects.toThrow(says);
    expect((await distill({ ...wrong, ...cure })).tokens).toBe(497);
  });
});
