/** MPNet, DistilBERT and ModernBERT as transformers and PyTorch compute them (test/oracles/families.py). */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { exportSafetensors } from "../../../src/hub/convert/export-safetensors.js";
import { importModel } from "../../../src/hub/convert/import-model.js";
import { createNet, fromTensors, mean } from "../../../src/nn/net.js";
import { meanPooling } from "../../../src/nn/pooling.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel, readModel } from "../../../src/onnx/io/file.js";
import { readSafetensors } from "../../../src/onnx/io/safetensors.js";
import type { Model } from "../../../src/onnx/model.js";
import { prepareForInference } from "../../../src/onnx/rewrite/fuse.js";
import { fuseAttention, fuseBiases, splitGemms } from "../../../src/onnx/rewrite/fuse-attention.js";
import { forGpuTraining } from "../../../src/onnx/rewrite/gpu-training.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { prepareForTraining } from "../../../src/pearl/loss/program.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import {
  type Expected,
  editJson,
  fixtureModel,
  largestError,
  readJsonFile,
} from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { newFolder } from "../../setup/new-folder.js";
import { gradientNorms, paddedRows, trainable } from "./gradient-norms.js";

const names = ["mpnet", "modernbert", "distilbert"] as const;

/** Imports the encoder alone. */
async function imported(source: string): Promise<string> {
  for (const file of ["modules.json", "1_Pooling", "2_Dense"])
    rmSync(join(source, file), { recursive: true, force: true });
  const target = join(newFolder(), "out");
  await importModel(source, target);
  return target;
}

/** Of the loss that families.py names. */
function normsOf(folder: string, { ids, pooled }: Expected): Promise<Map<string, number>> {
  const net = createNet(fromTensors(new Map()), new GraphBuilder(trainable(folder)));
  const { g } = net;
  const found = meanPooling(net, { hidden: "last_hidden_state", mask: "attention_mask" });
  const dims = [pooled.length, pooled[0].length];
  const direction = pooled.flat().map((_, i) => Math.cos(i));
  const towards = g.add("Constant", [], { value: tensor("float32", dims, direction) });
  g.output("loss", mean(net, g.add("Mul", [found, towards])));
  return gradientNorms(g.model(), "loss", paddedRows(ids, 1));
}

describe.each(names)("%s from safetensors", (name) => {
  const { folder, expected } = fixtureModel(name);

  it("gives PyTorch's vectors to 1e-5, also of 150 tokens", async () => {
    const vectors = await rawVectors(await imported(folder), expected.phrases);
    expect(largestError(vectors, expected.pooled)).toBeLessThan(1e-5);
  });

  it("has PyTorch's gradients of every parameter", async () => {
    const found = await normsOf(await imported(folder), expected);
    expect([...found.keys()].sort()).toEqual(Object.keys(expected.norms).sort());
    const largest = Math.max(...Object.values(expected.norms));
    for (const [parameter, norm] of Object.entries(expected.norms))
      expect(Math.abs(norm - (found.get(parameter) as number)), parameter).toBeLessThan(1e-5 * largest);
  });
});

it.each(names)("transformers.js loads what was imported, and gives the same vectors: %s", async (name) => {
  const { folder, expected } = fixtureModel(name);
  const { env, pipeline } = await import("@huggingface/transformers");
  Object.assign(env, { allowRemoteModels: false, localModelPath: "" });
  const source = await imported(folder);
  const extract = await pipeline("feature-extraction", source, { dtype: "fp32", local_files_only: true });
  const result = await extract(expected.phrases, { pooling: "mean" });
  await extract.dispose();
  expect(largestError(result.tolist(), expected.pooled)).toBeLessThan(1e-5);
});

it.each(names)("has the same states in the graphs that a GPU runs and trains: %s", async (name) => {
  const { folder, expected } = fixtureModel(name);
  const path = join(await imported(folder), "onnx/model.onnx");
  const feeds = paddedRows(expected.ids, 1);
  const statesOf = async (model: Model) => {
    const session = await createOrtSession(encodeModel(model));
    const { last_hidden_state: states } = await session.run(feeds, ["last_hidden_state"]);
    await session.release();
    // those of the longest row, which has no padding
    return Array.from((states.data as Float32Array).slice(-16 * expected.ids[3].length));
  };
  const plain = await statesOf(readModel(path));
  const fused = fuseBiases(fuseAttention(splitGemms(prepareForInference(readModel(path)))));
  const attentions = fused.graph.nodes.filter(({ op }) => op === "Attention").length;
  expect(attentions).toBe(name === "modernbert" ? 0 : 2);
  for (const model of [fused, forGpuTraining(prepareForTraining(readModel(path)))])
    expect(largestError([await statesOf(model)], [plain])).toBeLessThan(1e-5);
});

describe.each(names)("%s as safetensors again", (name) => {
  it("has the weights that it was imported from, and gives their vectors", async () => {
    const { folder, expected } = fixtureModel(name);
    const exported = join(newFolder(), "exported");
    const { family, difference } = await exportSafetensors(await imported(folder), exported);
    expect({ family, difference: difference < 1e-6 }).toEqual({ family: name, difference: true });
    expect(readJsonFile(join(exported, "config.json"))).toMatchObject({ model_type: name });
    const [given, found] = [folder, exported].map((from) => readSafetensors(join(from, "model.safetensors")));
    expect(found.size).toBe(given.size);
    const vectors = await rawVectors(await imported(exported), expected.phrases);
    expect(largestError(vectors, expected.pooled)).toBeLessThan(1e-5);
  });
});

describe("modernbert", () => {
  it("is read from the keys of transformers 4 too", async () => {
    const { folder, expected } = fixtureModel("modernbert");
    editJson(join(folder, "config.json"), {
      ...{ layer_types: undefined, rope_parameters: undefined, global_attn_every_n_layers: 3 },
      ...{ global_rope_theta: 5000, local_rope_theta: 100 },
    });
    const vectors = await rawVectors(await imported(folder), expected.phrases);
    expect(largestError(vectors, expected.pooled)).toBeLessThan(1e-5);
  });

  it.each([
    [{ rope_parameters: { full_attention: { rope_type: "yarn" } } }, /rope_type yarn is not supported/],
    [{ layer_types: ["linear"] }, /layer_types has "linear"/],
    [{ hidden_activation: "swish" }, /hidden_activation swish is not one of gelu/],
  ])("is refused where config.json asks for what is not built: %j", async (changes, message) => {
    const { folder } = fixtureModel("modernbert");
    editJson(join(folder, "config.json"), changes);
    await expect(imported(folder)).rejects.toThrow(message);
  });
});
