/** Rebuilds the graph of a trained word encoder around its weights. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wordModelGraph } from "../../../dist/architectures/pearl-mini/model.js";
import { fromTensors } from "../../../dist/nn/net.js";
import { readModel, writeModel } from "../../../dist/onnx/io/file.js";
import { forgetChecksums } from "./forget-checksums.mjs";

/**
 * Changes sizes in a model folder, in place; weights that the new graph does not use are dropped.
 * @param {string} folder a word encoder, tables as float32
 * @param {Partial<import("../../../dist/architectures/pearl-mini/sizes.js").WordEncoderSizes>} sizes
 */
export function remakeModel(folder, sizes) {
  const [path, graph] = [join(folder, "config.json"), join(folder, "onnx/model.onnx")];
  const config = JSON.parse(readFileSync(path, "utf8"));
  config.pearl.word_encoder = { ...config.pearl.word_encoder, ...sizes };
  const weights = fromTensors(readModel(graph).graph.initializers, folder);
  writeModel(wordModelGraph({ weights, sizes: config.pearl.word_encoder }), graph);
  forgetChecksums(folder);
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}
