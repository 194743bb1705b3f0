/** Trained weights in the graph they came from, and the folder around it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assembleModel } from "../../src/architectures/compose.js";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { ArgumentError, ModelError } from "../../src/errors.js";
import { withWeights, writeTrainedModel } from "../../src/methods/start-model.js";
import { readModel } from "../../src/onnx/io/file.js";
import { tensor } from "../../src/onnx/tensor.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { newFolder } from "../setup/new-folder.js";

/** The oracle's encoder with a type head, ready to be written. */
async function typed(files: Record<string, string> = {}) {
  const base = await readModelFolder(makeOracleModel("encoder.folded.onnx", files));
  const model = readModel(base.graph);
  const assembled = assembleModel({ base: { folder: base, model }, types: ["even", "odd"], seed: 1 });
  return { base, assembled };
}
const bias = "type_head.bias";

describe("writeTrainedModel", () => {
  it("writes the base's files, the trained weights, a config of its own and the texts", async () => {
    const config = { name: "base", model_type: "bert", hidden_size: 32, max_position_embeddings: 64 };
    const model = await typed({ "config.json": JSON.stringify(config), LICENSE: "own terms" });
    const folder = join(newFolder(), "model");
    const weights = new Map([[bias, tensor("float32", [2], [3, 4])]]);
    await writeTrainedModel(folder, { ...model, weights, texts: { "README.md": "# mine" } });
    expect(readdirSync(folder).sort()).toEqual(
      [
        ...["LICENSE", "README.md", "checksums.json", "config.json", "onnx", "tokenizer.json"],
        "tokenizer_config.json",
      ].sort(),
    );
    const written = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    expect(written).toMatchObject({ model_type: "bert", pearl: { dimension: 32, types: ["even", "odd"] } });
    expect(written).not.toHaveProperty("name");
    const { initializers } = readModel(join(folder, "onnx", "model.onnx")).graph;
    expect(Array.from(initializers.get(bias)?.data ?? [], Number)).toEqual([3, 4]);
    const name = "type_head.weight";
    expect(initializers.get(name)?.data).toEqual(model.assembled.model.graph.initializers.get(name)?.data);
  });

  it("refuses a folder that is not empty, and leaves it as it is", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "mine.txt"), "mine");
    await expect(writeTrainedModel(folder, { ...(await typed()), weights: new Map() })).rejects.toThrow(
      ArgumentError,
    );
    expect(readdirSync(folder)).toEqual(["mine.txt"]);
  });

  it("leaves nothing where a file cannot be written", async () => {
    const parent = newFolder();
    const folder = join(parent, "model");
    const texts = { "no/such/folder.txt": "" };
    const writing = writeTrainedModel(folder, { ...(await typed()), weights: new Map(), texts });
    await expect(writing).rejects.toThrow(ModelError);
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe("withWeights", () => {
  it("leaves the given model as it was, and skips weights that the graph does not have", async () => {
    const { model } = (await typed()).assembled;
    const before = Array.from(model.graph.initializers.get(bias)?.data ?? [], Number);
    const given = new Map([bias, "other"].map((name) => [name, tensor("float32", [2], [3, 4])]));
    const { initializers } = withWeights(model, given).graph;
    expect(Array.from(initializers.get(bias)?.data ?? [], Number)).toEqual([3, 4]);
    expect(initializers.has("other")).toBe(false);
    expect(Array.from(model.graph.initializers.get(bias)?.data ?? [], Number)).toEqual(before);
  });

  it("names a weight of another shape", async () => {
    const { model } = (await typed()).assembled;
    const given = new Map([[bias, tensor("float32", [3], [1, 2, 3])]]);
    expect(() => withWeights(model, given)).toThrow(/weight type_head\.bias is \[3\] .* but \[2\]/);
  });
});
