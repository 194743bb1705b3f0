/** A trained word encoder's graph made anew around the same weights. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromTensors } from "../../dist/nn/net.js";
import { readModel, writeModel } from "../../dist/onnx/index.js";
import { wordModelGraph } from "../../dist/training/word-model.js";

/**
 * Sets sizes, and weights that go with them, in a model folder, in place.
 * @param {string} folder a word encoder, tables as float32
 * @param {Partial<import("../../dist/nn/words/index.js").WordEncoderSizes>} sizes
 * @param {ReadonlyMap<string, import("../../dist/onnx/index.js").Tensor>} [weights] that replace others
 */
export function remakeModel(folder, sizes, weights = new Map()) {
  const [path, graph] = [join(folder, "config.json"), join(folder, "onnx/model.onnx")];
  const config = JSON.parse(readFileSync(path, "utf8"));
  config.pearl.word_encoder = { ...config.pearl.word_encoder, ...sizes };
  const all = new Map([...readModel(graph).graph.initializers, ...weights]);
  writeModel(wordModelGraph({ weights: fromTensors(all, folder), sizes: config.pearl.word_encoder }), graph);
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}
