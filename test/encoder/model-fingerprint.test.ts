/** Models that give other vectors have other fingerprints; those of the embedded models are recorded in indexes and results. */
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { modelFingerprint } from "../../src/encoder/model-fingerprint.js";
import { readModel, writeModel } from "../../src/onnx/io/file.js";
import { newFolder } from "../setup/new-folder.js";
import { editJson, readJsonFile } from "./fixture-models.js";
import { makeOracleModel } from "./oracle-model.js";

const fingerprintOf = async (folder: string, precision = "full") =>
  modelFingerprint(await readModelFolder(folder), precision);

it.each([
  ["pearl-mini", "full", "49fc50ced6e03cb4"],
  ["pearl-mini", "int8", "fd05a5e1c29f0b73"],
  ["pearl-strings", "full", "d0b904e1cbc53072"],
  ["pearl-strings", "int8", "57397df506211d29"],
])("stays as it was: %s, %s", async (name, precision, known) => {
  expect(await fingerprintOf(join("models", name), precision)).toBe(known);
});

const settings: Readonly<Record<string, [file: string, content: object]>> = {
  "tokens that are read": ["sentence_bert_config.json", { max_seq_length: 8 }],
  pooling: ["1_Pooling/config.json", { pooling_mode_cls_token: true }],
  "how text is cleaned": ["tokenizer_config.json", { remove_space: true }],
};
it.each(Object.keys(settings))("differs with %s", async (what) => {
  const folder = makeOracleModel("encoder.folded.onnx");
  const before = await fingerprintOf(folder);
  const [file, content] = settings[what];
  mkdirSync(join(folder, "1_Pooling"));
  writeFileSync(join(folder, file), JSON.stringify(content));
  expect(await fingerprintOf(folder)).not.toBe(before);
});

it("differs with the features of a model that pearl made", async () => {
  const folder = newFolder();
  cpSync("models/pearl-strings", folder, { recursive: true });
  const config = join(folder, "config.json");
  const { pearl } = readJsonFile(config) as { pearl: { features: object[] } };
  const features = pearl.features.map((feature) => ({ ...feature, phraseLength: 3 }));
  editJson(config, { pearl: { ...pearl, features } });
  expect(await fingerprintOf(folder)).not.toBe(await fingerprintOf("models/pearl-strings"));
});

it("differs with the weights that are really read: beside the graph, and of int8", async () => {
  const folder = makeOracleModel("encoder.folded.onnx");
  const graph = join(folder, "onnx/model.onnx");
  writeModel(readModel(graph), graph, { externalData: "always" });
  const [full, int8] = [await fingerprintOf(folder), await fingerprintOf(folder, "int8")];
  copyFileSync(graph, join(folder, "onnx/model_quantized.onnx"));
  expect(await fingerprintOf(folder)).toBe(full);
  expect(await fingerprintOf(folder, "int8")).not.toBe(int8);
  writeFileSync(`${graph}_data`, "other weights");
  expect(await fingerprintOf(folder)).not.toBe(full);
});
