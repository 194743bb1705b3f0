/** How sharply a trained model's embedding tells types apart, set anew without training. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromTensors } from "../../dist/nn/net.js";
import { readModel, writeModel } from "../../dist/onnx/index.js";
import { wordModelGraph } from "../../dist/training/word-model.js";

/**
 * Sets how sharply an embedding tells types apart: the graph is made anew around the same weights.
 * @param {string} folder a word encoder, tables as float32; changed in place
 * @param {number} typeTemperature src/nn/words/encoder.ts
 */
export function temperTypes(folder, typeTemperature) {
  const [path, graph] = [join(folder, "config.json"), join(folder, "onnx/model.onnx")];
  const config = JSON.parse(readFileSync(path, "utf8"));
  const sizes = { ...config.pearl.word_encoder, typeTemperature };
  config.pearl.word_encoder = sizes;
  const weights = fromTensors(readModel(graph).graph.initializers, folder);
  writeModel(wordModelGraph({ weights, sizes }), graph);
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}
